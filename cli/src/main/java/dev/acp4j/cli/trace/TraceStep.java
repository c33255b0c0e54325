package dev.acp4j.cli.trace;

import dev.acp4j.trace.TraceEvent;
import org.jspecify.annotations.Nullable;

/**
 * An event of a trace, and what it belongs to.
 *
 * @param number its place in the trace, from 0
 * @param request of an answer, its request, if that is in the trace
 * @param requestNumber the place of that; -1 if there is none
 */
record TraceStep(int number, TraceEvent event, @Nullable TraceEvent request, int requestNumber) {
    boolean isAnswer() {
        return event.type() == TraceEvent.Type.RESULT || event.type() == TraceEvent.Type.ERROR;
    }

    /** Whether it is something that should not have happened. */
    boolean isBad() {
        return event.type() == TraceEvent.Type.ERROR || event.type() == TraceEvent.Type.NOISE;
    }

    /** Returns the method of the message or of what it answers. */
    String method() {
        String own = event.method();
        if (own != null) {
            return own;
        }
        String asked = request == null ? null : request.method();
        return asked == null ? "" : asked;
    }

    /** Returns the session of the message or of what it answers. */
    String session() {
        String own = event.session();
        if (own != null) {
            return own;
        }
        String asked = request == null ? null : request.session();
        return asked == null ? "" : asked;
    }

    /** Returns how long the answer took; negative when it is none, or its request is not known. */
    double seconds() {
        return request == null ? -1 : event.seconds() - request.seconds();
    }
}
