package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Rejecting;
import dev.acp4j.schema.codec.Tag;
import dev.acp4j.schema.codec.Tagged;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Asks the user for input through the client: with a form, or at a web address. Only in the modes that
 * {@link ElicitationCapabilities} names.
 *
 * <p>Each request has one {@link ElicitationScope}. On the wire it is a {@code sessionId}, with or without a
 * {@code toolCallId}, or a {@code requestId}.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#createelicitationrequest">Elicitation</a>
 */
@Codable
@Tagged("mode")
public sealed interface CreateElicitationRequest {
    /** Returns a request to fill in a form. */
    static Form form(ElicitationScope scope, String message, ElicitationSchema requestedSchema) {
        return switch (scope) {
            case ElicitationScope.Session session ->
                new Form(message, requestedSchema, session.sessionId(), session.toolCallId(), null, Rest.NONE);
            case ElicitationScope.Request request ->
                new Form(message, requestedSchema, null, null, request.requestId(), Rest.NONE);
        };
    }

    /** Returns a request to visit a web address. */
    static Url url(ElicitationScope scope, String message, ElicitationId elicitationId, String url) {
        return switch (scope) {
            case ElicitationScope.Session session ->
                new Url(message, elicitationId, url, session.sessionId(), session.toolCallId(), null, Rest.NONE);
            case ElicitationScope.Request request ->
                new Url(message, elicitationId, url, null, null, request.requestId(), Rest.NONE);
        };
    }

    /** The common members of the known modes. */
    sealed interface Scoped extends CreateElicitationRequest, Extensible {
        /** Returns the question, for the user to read. */
        String message();

        /** Returns the session it belongs to, or null if it belongs to a request. */
        @Nullable
        SessionId sessionId();

        /** Returns the tool call it belongs to, or null if it belongs to no particular one. */
        @Nullable
        ToolCallId toolCallId();

        /** Returns the request it belongs to, or null if it belongs to a session. */
        @Nullable
        RequestId requestId();

        /** Returns its scope. */
        default ElicitationScope scope() {
            return ElicitationScope.of(sessionId(), toolCallId(), requestId());
        }
    }

    /**
     * A form to fill in, which the client builds from a schema. It must not ask for secrets.
     *
     * @param message the question, for the user to read
     * @param requestedSchema the fields of the form
     * @param sessionId the session it belongs to, or null if it belongs to a request
     * @param toolCallId the tool call in that session, or null if it belongs to no particular one
     * @param requestId the request it belongs to, or null if it belongs to a session
     * @param rest extension data and unknown members
     * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#elicitationformmode">Forms</a>
     */
    @Codable
    @Tag("form")
    @Rejecting
    record Form(
            String message,
            ElicitationSchema requestedSchema,
            @Nullable SessionId sessionId,
            @DefaultOnError @Nullable ToolCallId toolCallId,
            @Nullable RequestId requestId,
            Rest rest)
            implements Scoped {
        @Evolving
        public Form {
            Objects.requireNonNull(message, "message is null");
            Objects.requireNonNull(requestedSchema, "requestedSchema is null");
            Objects.requireNonNull(rest, "rest is null");
            ElicitationScope.of(sessionId, toolCallId, requestId);
        }

        /** Returns a builder of a form; either a session or a request must be set, too. */
        public static CreateElicitationRequestFormBuilder builder(String message, ElicitationSchema requestedSchema) {
            return new CreateElicitationRequestFormBuilder(message, requestedSchema);
        }

        /** Returns a builder initialized from this record. */
        public CreateElicitationRequestFormBuilder toBuilder() {
            return new CreateElicitationRequestFormBuilder(this);
        }
    }

    /**
     * A web address to visit, for data that must not pass through the client, such as a login. The response means only
     * that the user agreed to visit it; {@link CompleteElicitationNotification} reports the completion.
     *
     * @param message the question, for the user to read
     * @param elicitationId identifies it in the notification of its completion
     * @param url the address, for the user to see before it is opened
     * @param sessionId the session it belongs to, or null if it belongs to a request
     * @param toolCallId the tool call in that session, or null if it belongs to no particular one
     * @param requestId the request it belongs to, or null if it belongs to a session
     * @param rest extension data and unknown members
     * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#elicitationurlmode">Web addresses</a>
     */
    @Codable
    @Tag("url")
    @Rejecting
    record Url(
            String message,
            ElicitationId elicitationId,
            String url,
            @Nullable SessionId sessionId,
            @DefaultOnError @Nullable ToolCallId toolCallId,
            @Nullable RequestId requestId,
            Rest rest)
            implements Scoped {
        @Evolving
        public Url {
            Objects.requireNonNull(message, "message is null");
            Objects.requireNonNull(elicitationId, "elicitationId is null");
            Objects.requireNonNull(url, "url is null");
            Objects.requireNonNull(rest, "rest is null");
            ElicitationScope.of(sessionId, toolCallId, requestId);
        }

        /** Returns a builder of a web address; either a session or a request must be set, too. */
        public static CreateElicitationRequestUrlBuilder builder(
                String message, ElicitationId elicitationId, String url) {
            return new CreateElicitationRequestUrlBuilder(message, elicitationId, url);
        }

        /** Returns a builder initialized from this record. */
        public CreateElicitationRequestUrlBuilder toBuilder() {
            return new CreateElicitationRequestUrlBuilder(this);
        }
    }

    /**
     * A mode unknown to this version of the library. It must not be shown as one of the known types.
     *
     * @param mode the unknown value of this member
     * @param raw the original JSON object, which is written unchanged
     */
    record Unknown(String mode, RawJson raw) implements CreateElicitationRequest {
        public Unknown {
            Objects.requireNonNull(mode, "mode is null");
            Objects.requireNonNull(raw, "raw is null");
        }
    }
}
