package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Draft;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The session methods that an agent has in addition to those of all agents. For {@code session/load} see
 * {@link AgentCapabilities#loadSession()}.
 *
 * @param list present if it has {@code session/list}, else null
 * @param delete present if it has {@code session/delete}, else null
 * @param additionalDirectories present if a session can work in several directories, else null
 * @param resume present if it has {@code session/resume}, else null
 * @param close present if it has {@code session/close}, else null
 * @param archive present if it has {@code session/archive}, else null; a draft
 * @param fork present if it has {@code session/fork}, else null; a draft
 * @param status present if it has {@code session/status}, else null; a draft
 * @param systemPrompt present if it accepts system prompts, else null; a draft
 * @param title present if it has {@code session/set_title}, else null; a draft
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/initialization#session-capabilities">Session
 *     capabilities</a>
 */
@Codable
public record SessionCapabilities(
        @DefaultOnError @Nullable SessionListCapabilities list,
        @DefaultOnError @Nullable SessionDeleteCapabilities delete,
        @DefaultOnError @Nullable SessionAdditionalDirectoriesCapabilities additionalDirectories,
        @DefaultOnError @Nullable SessionResumeCapabilities resume,
        @DefaultOnError @Nullable SessionCloseCapabilities close,
        @Unstable @Draft @DefaultOnError @Nullable SessionArchiveCapabilities archive,
        @Unstable @Draft @DefaultOnError @Nullable SessionForkCapabilities fork,
        @Unstable @Draft @DefaultOnError @Nullable SessionStatusCapabilities status,
        @Unstable @Draft @DefaultOnError @Nullable SessionSystemPromptCapabilities systemPrompt,
        @Unstable @Draft @DefaultOnError @Nullable SessionTitleCapabilities title,
        Rest rest)
        implements Extensible {
    /** An agent without these methods. */
    public static final SessionCapabilities NONE =
            new SessionCapabilities(null, null, null, null, null, null, null, null, null, null, Rest.NONE);

    @Evolving
    @Unstable
    public SessionCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder without any capability. */
    public static SessionCapabilitiesBuilder builder() {
        return new SessionCapabilitiesBuilder();
    }

    /** Returns a builder initialized from this record. */
    public SessionCapabilitiesBuilder toBuilder() {
        return new SessionCapabilitiesBuilder(this);
    }
}
