package dev.acp4j.cli.trace;

import dev.acp4j.trace.TraceEvent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An event of a trace, and its request.
 *
 * @param number its index in the trace, from 0
 * @param request the request of a response, if it is in the trace
 * @param requestNumber the index of the request; -1 if there is none
 * @param before the hop of the message before this one, if it is in the trace of a chain
 */
record TraceStep(
        int number,
        TraceEvent event,
        @Nullable TraceEvent request,
        int requestNumber,
        @Nullable TraceEvent before) {
    boolean isAnswer() {
        return event.type() == TraceEvent.Type.RESULT || event.type() == TraceEvent.Type.ERROR;
    }

    /** Returns whether it is an error. */
    boolean isBad() {
        return event.type() == TraceEvent.Type.ERROR || event.type() == TraceEvent.Type.NOISE;
    }

    /** Returns the method of the message or of its request. */
    String method() {
        String own = event.method();
        if (own != null) {
            return own;
        }
        String asked = request == null ? null : request.method();
        return asked == null ? "" : asked;
    }

    /** Returns what people call the method: of MCP, that of the message inside. */
    String shownMethod() {
        TraceEvent call = request == null ? event : request;
        if (!call.isMcp()) {
            return method();
        }
        String inner = MessageFacts.of(call.body()).text("method");
        return inner.isEmpty() ? method() : "mcp " + inner;
    }

    /** Returns what differs from the hop before, a line each; nothing if there is none. */
    List<String> changes() {
        return before == null ? List.of() : HopChanges.of(before.body(), event.body());
    }

    /** Returns the session of the message or of its request. */
    String session() {
        String own = event.session();
        if (own != null) {
            return own;
        }
        String asked = request == null ? null : request.session();
        return asked == null ? "" : asked;
    }

    /** Returns the duration of the request; negative if this is not a response, or its request is unknown. */
    double seconds() {
        return request == null ? -1 : event.seconds() - request.seconds();
    }
}
