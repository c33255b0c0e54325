package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.OptionalMember;
import dev.acp4j.schema.codec.Range;
import dev.acp4j.schema.codec.Rejecting;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Requests that the client run a command. The response is sent as soon as the command has started; the agent must
 * release the terminal when it no longer needs it. Only for clients with {@link ClientCapabilities#terminal()}.
 *
 * @param sessionId the session the agent runs it for
 * @param command the program
 * @param args its arguments
 * @param env variables to set for it
 * @param cwd the directory to run it in, an absolute path, or null for the choice of the client
 * @param outputByteLimit the number of bytes of output to keep, or null for the choice of the client. Beyond the limit
 *     the client drops the beginning, at a character boundary
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/terminals#executing-commands">Executing commands</a>
 */
@Codable
@Rejecting
public record CreateTerminalRequest(
        SessionId sessionId,
        String command,
        @OptionalMember List<String> args,
        @OptionalMember List<EnvVariable> env,
        @Nullable String cwd,
        @Range @Nullable Long outputByteLimit,
        Rest rest)
        implements Extensible {
    @Evolving
    public CreateTerminalRequest {
        Objects.requireNonNull(sessionId, "sessionId is null");
        Objects.requireNonNull(command, "command is null");
        args = List.copyOf(args);
        env = List.copyOf(env);
        Objects.requireNonNull(rest, "rest is null");
        Bounds.unsigned("outputByteLimit", outputByteLimit);
    }

    /** Returns a builder of a request for a command without arguments. */
    public static CreateTerminalRequestBuilder builder(SessionId sessionId, String command) {
        return new CreateTerminalRequestBuilder(sessionId, command);
    }

    /** Returns a builder initialized from this record. */
    public CreateTerminalRequestBuilder toBuilder() {
        return new CreateTerminalRequestBuilder(this);
    }
}
