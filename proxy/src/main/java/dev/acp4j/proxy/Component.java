package dev.acp4j.proxy;

import dev.acp4j.process.Launch;
import dev.acp4j.schema.Unstable;
import java.util.List;
import java.util.Objects;

/**
 * A program in the chain of a {@link Conductor}: a proxy that speaks {@code proxy/initialize}.
 *
 * @param id its name in reports; unique in the chain
 * @param launch how it is started
 * @param onDeath what happens when it dies, tried in this order
 * @param isLegacy whether it speaks {@code _proxy/initialize}, as components for older conductors do
 * @param deadlines how long it may take
 * @param limits how much it may take
 */
@Unstable
public record Component(
        String id,
        Launch launch,
        List<OnDeath> onDeath,
        boolean isLegacy,
        Deadlines deadlines,
        ComponentLimits limits) {
    /** What happens when a component dies. */
    public enum OnDeath {
        /** It is started again, at most three times in five minutes. Messages wait for it meanwhile. */
        RESTART,
        /** Its neighbours are joined: what it did is not done any more. Nothing for what protects somebody. */
        BYPASS,
        /** The chain ends. */
        FAIL
    }

    public Component {
        Objects.requireNonNull(launch, "launch is null");
        Objects.requireNonNull(deadlines, "deadlines is null");
        Objects.requireNonNull(limits, "limits is null");
        onDeath = List.copyOf(onDeath);
        if (id.isBlank()) {
            throw new IllegalArgumentException("a component needs a name");
        }
        if (onDeath.isEmpty()) {
            throw new IllegalArgumentException("say what happens when the component " + id + " dies");
        }
    }

    /** Returns a component that is started again when it dies, and ends the chain when that does not help. */
    public static Component of(String id, Launch launch) {
        return new Component(
                id, launch, List.of(OnDeath.RESTART, OnDeath.FAIL), false, Deadlines.STANDARD, ComponentLimits.NONE);
    }

    /** Returns a copy with what happens when it dies, tried in this order. */
    public Component onDeath(OnDeath... order) {
        return new Component(id, launch, List.of(order), isLegacy, deadlines, limits);
    }

    /** Returns a copy that speaks the dialect of older conductors. */
    public Component legacy() {
        return new Component(id, launch, onDeath, true, deadlines, limits);
    }

    /** Returns a copy with other deadlines than {@link Deadlines#STANDARD}. */
    public Component deadlines(Deadlines value) {
        return new Component(id, launch, onDeath, isLegacy, value, limits);
    }

    /** Returns a copy that is started otherwise. */
    public Component launch(Launch value) {
        return new Component(id, value, onDeath, isLegacy, deadlines, limits);
    }

    /** Returns a copy with other limits than {@link ComponentLimits#NONE}. */
    public Component limits(ComponentLimits value) {
        return new Component(id, launch, onDeath, isLegacy, deadlines, value);
    }
}
