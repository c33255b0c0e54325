package dev.acp4j.mcp;

import dev.acp4j.SessionWriter;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.Codecs;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.CreateElicitationResponse;
import dev.acp4j.schema.ToolCallId;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Passes a server's question on to the user of a session. Form and answer are the same in both protocols. */
final class Questions {
    /** What a question is answered with that nobody answers. */
    static final RawJson CANCEL = Link.object(out -> {
        out.name("action");
        out.string("cancel");
    });

    private Questions() {}

    /**
     * Asks, and returns the answer in the words of MCP. Nobody there to ask is an answer, too: cancel.
     *
     * @param call the tool call that the question belongs to, or null
     */
    static RawJson ask(String server, SessionWriter writer, @Nullable ToolCallId call, Members question)
            throws InterruptedException {
        if (writer.session().clients().isEmpty()) {
            return CANCEL;
        }
        CreateElicitationRequest request = request(server, writer, call, question);
        try {
            CreateElicitationResponse answer = writer.elicit(request);
            return answer instanceof CreateElicitationResponse.Unknown
                    ? CANCEL
                    : RawJson.encode(answer, Codecs.createElicitationResponse());
        } catch (ConnectionClosedException | IllegalStateException e) {
            // No client is attached that can ask this, or the session has ended.
            return CANCEL;
        }
    }

    private static CreateElicitationRequest request(
            String server, SessionWriter writer, @Nullable ToolCallId call, Members question) {
        String mode = question.text("mode", "form");
        RawJson json = Link.object(out -> {
            out.name("sessionId");
            out.string(writer.sessionId().value());
            if (call != null) {
                out.name("toolCallId");
                out.string(call.value());
            }
            out.name("mode");
            out.string(mode);
            out.name("message");
            out.string(server + ": " + question.text("message", ""));
            for (String member : new String[] {"requestedSchema", "url"}) {
                RawJson value = question.raw(member);
                if (value != null) {
                    out.name(member);
                    out.raw(value);
                }
            }
            if (mode.equals("url")) {
                out.name("elicitationId");
                out.string(question.text("elicitationId", UUID.randomUUID().toString()));
            }
        });
        try {
            CreateElicitationRequest request = json.decode(Codecs.createElicitationRequest());
            if (request instanceof CreateElicitationRequest.Unknown) {
                throw RpcError.invalidParams("params.mode: neither form nor url: " + mode);
            }
            return request;
        } catch (JsonException e) {
            throw RpcError.invalidParams("params." + e.messageWithoutValue());
        }
    }
}
