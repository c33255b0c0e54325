package dev.acp4j.cli.trace;

import dev.acp4j.trace.TraceEvent;
import org.jspecify.annotations.Nullable;

/**
 * An event of a trace, and its request.
 *
 * @param number its index in the trace, from 0
 * @param request the request of a response, if it is in the trace
 * @param requestNumber the index of the request; -1 if there is none
 */
record TraceStep(int number, TraceEvent event, @Nullable TraceEvent request, int requestNumber) {
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
