package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import java.util.Objects;

/**
 * The answer of an MCP server: its result or its error.
 *
 * @see <a href="https://agentclientprotocol.com/rfds/mcp-over-acp">MCP over ACP</a>
 */
@Draft
@Unstable
public sealed interface MessageMcpResponse {
    /**
     * The result of the request.
     *
     * @param result any JSON, including null
     * @param rest extension data and unknown members
     */
    @Codable
    record Result(RawJson result, Rest rest) implements MessageMcpResponse, Extensible {
        @Evolving
        public Result {
            Objects.requireNonNull(result, "result is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns the answer with these members. */
        public static Result of(RawJson result) {
            return new Result(result, Rest.NONE);
        }

        /** Returns a copy with other extension data. */
        public Result withMeta(Meta meta) {
            return new Result(result, rest.withMeta(meta));
        }
    }

    /**
     * The error of the request.
     *
     * @param error the error
     * @param rest extension data and unknown members
     */
    @Codable
    record Failure(McpError error, Rest rest) implements MessageMcpResponse, Extensible {
        @Evolving
        public Failure {
            Objects.requireNonNull(error, "error is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns the answer with these members. */
        public static Failure of(McpError error) {
            return new Failure(error, Rest.NONE);
        }

        /** Returns a copy with other extension data. */
        public Failure withMeta(Meta meta) {
            return new Failure(error, rest.withMeta(meta));
        }
    }
}
