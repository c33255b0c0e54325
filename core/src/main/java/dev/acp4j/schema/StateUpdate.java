package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Draft;
import dev.acp4j.schema.codec.In;
import dev.acp4j.schema.codec.Tag;
import dev.acp4j.schema.codec.Tagged;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The state of an agent in a session. An update of the session in version 2; in version 1 the state of a subagent. */
@Codable
@Tag(v2 = "state_update")
@Tagged("state")
@Draft(1)
@Unstable
public sealed interface StateUpdate extends SessionUpdate {
    /**
     * The agent works.
     *
     * @param background the background work, or null if not given
     * @param rest extension data and unknown members
     */
    @Codable
    @Tag("running")
    record Running(@In(2) @DefaultOnError @Nullable BackgroundList background, Rest rest)
            implements StateUpdate, Extensible {
        @Evolving
        public Running {
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns a builder with the required members. */
        public static StateUpdateRunningBuilder builder() {
            return new StateUpdateRunningBuilder();
        }

        /** Returns a builder initialized from this record. */
        public StateUpdateRunningBuilder toBuilder() {
            return new StateUpdateRunningBuilder(this);
        }
    }

    /**
     * The agent waits for a prompt.
     *
     * @param stopReason the reason for stopping, or null if not given
     * @param error the error that stopped it, or null
     * @param usage the tokens of the foreground work that has ended, or null if not given; a repeated snapshot may
     *     carry them again; a draft
     * @param background the background work, or null if not given
     * @param rest extension data and unknown members
     */
    @Codable
    @Tag("idle")
    record Idle(
            @DefaultOnError @Nullable StopReason stopReason,
            @DefaultOnError @Nullable AgentError error,
            @Draft @DefaultOnError @Nullable Usage usage,
            @In(2) @DefaultOnError @Nullable BackgroundList background,
            Rest rest)
            implements StateUpdate, Extensible {
        @Evolving
        public Idle {
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns a builder with the required members. */
        public static StateUpdateIdleBuilder builder() {
            return new StateUpdateIdleBuilder();
        }

        /** Returns a builder initialized from this record. */
        public StateUpdateIdleBuilder toBuilder() {
            return new StateUpdateIdleBuilder(this);
        }
    }

    /**
     * The agent waits for the user.
     *
     * @param background the background work, or null if not given
     * @param rest extension data and unknown members
     */
    @Codable
    @Tag("requires_action")
    record RequiresAction(@In(2) @DefaultOnError @Nullable BackgroundList background, Rest rest)
            implements StateUpdate, Extensible {
        @Evolving
        public RequiresAction {
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns a builder with the required members. */
        public static StateUpdateRequiresActionBuilder builder() {
            return new StateUpdateRequiresActionBuilder();
        }

        /** Returns a builder initialized from this record. */
        public StateUpdateRequiresActionBuilder toBuilder() {
            return new StateUpdateRequiresActionBuilder(this);
        }
    }

    /**
     * The agent cannot determine what is done. An earlier state no longer holds.
     *
     * @param background the background work, or null if not given
     * @param rest extension data and unknown members
     * @see <a href="https://agentclientprotocol.com/rfds/subagents">Subagents</a>
     */
    @Codable
    @Tag("unknown")
    @Draft
    @Unstable
    record Undetermined(@In(2) @DefaultOnError @Nullable BackgroundList background, Rest rest)
            implements StateUpdate, Extensible {
        @Evolving
        public Undetermined {
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns a builder of an instance without any member. */
        public static StateUpdateUndeterminedBuilder builder() {
            return new StateUpdateUndeterminedBuilder();
        }

        /** Returns a builder initialized from this record. */
        public StateUpdateUndeterminedBuilder toBuilder() {
            return new StateUpdateUndeterminedBuilder(this);
        }
    }

    /**
     * A state of a type unknown to this version of the library.
     *
     * @param state the unknown value of this member
     * @param raw the original JSON object, which is written unchanged
     */
    record Unknown(String state, RawJson raw) implements StateUpdate {
        public Unknown {
            Objects.requireNonNull(state, "state is null");
            Objects.requireNonNull(raw, "raw is null");
        }
    }
}
