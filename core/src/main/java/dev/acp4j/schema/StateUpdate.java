package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.In;
import dev.acp4j.schema.codec.Tag;
import dev.acp4j.schema.codec.Tagged;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What the agent is at in a session. */
@Codable
@Tag("state_update")
@Tagged("state")
@In(2)
@Unstable
public sealed interface StateUpdate extends SessionUpdate {
    /**
     * The agent works.
     *
     * @param background what goes on beside it, or null when it does not say
     * @param rest extension data, and members that are not known here
     */
    @Codable
    @Tag("running")
    record Running(@DefaultOnError @Nullable BackgroundList background, Rest rest) implements StateUpdate, Extensible {
        @Evolving
        public Running {
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Starts one with the members it must have. */
        public static StateUpdateRunningBuilder builder() {
            return new StateUpdateRunningBuilder();
        }

        /** Returns a builder that starts from this. */
        public StateUpdateRunningBuilder toBuilder() {
            return new StateUpdateRunningBuilder(this);
        }
    }

    /**
     * The agent waits for a prompt.
     *
     * @param stopReason why it stopped, or null when it does not say
     * @param error the error it stopped with, or null
     * @param background what goes on beside it, or null when it does not say
     * @param rest extension data, and members that are not known here
     */
    @Codable
    @Tag("idle")
    record Idle(
            @DefaultOnError @Nullable StopReason stopReason,
            @DefaultOnError @Nullable AgentError error,
            @DefaultOnError @Nullable BackgroundList background,
            Rest rest)
            implements StateUpdate, Extensible {
        @Evolving
        public Idle {
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Starts one with the members it must have. */
        public static StateUpdateIdleBuilder builder() {
            return new StateUpdateIdleBuilder();
        }

        /** Returns a builder that starts from this. */
        public StateUpdateIdleBuilder toBuilder() {
            return new StateUpdateIdleBuilder(this);
        }
    }

    /**
     * The agent waits for the user.
     *
     * @param background what goes on beside it, or null when it does not say
     * @param rest extension data, and members that are not known here
     */
    @Codable
    @Tag("requires_action")
    record RequiresAction(@DefaultOnError @Nullable BackgroundList background, Rest rest)
            implements StateUpdate, Extensible {
        @Evolving
        public RequiresAction {
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Starts one with the members it must have. */
        public static StateUpdateRequiresActionBuilder builder() {
            return new StateUpdateRequiresActionBuilder();
        }

        /** Returns a builder that starts from this. */
        public StateUpdateRequiresActionBuilder toBuilder() {
            return new StateUpdateRequiresActionBuilder(this);
        }
    }

    /**
     * A state of a sort that this version of the library does not know.
     *
     * @param state what it calls itself
     * @param raw the JSON object as it came, which is what is written again
     */
    record Unknown(String state, RawJson raw) implements StateUpdate {
        public Unknown {
            Objects.requireNonNull(state, "state is null");
            Objects.requireNonNull(raw, "raw is null");
        }
    }
}
