package dev.acp4j.http;

import dev.acp4j.rpc.Message;
import java.util.Set;

/**
 * Which messages may be retried: what may be sent again when it is unknown whether it arrived, to a server that does
 * not recognize a message that comes twice. A prompt never is.
 */
final class Resend {
    /** A second answer to one of these says the same, and is dropped by its id. */
    private static final Set<String> HARMLESS = Set.of(
            "initialize",
            "session/list",
            "session/status",
            "session/close",
            "session/delete",
            "session/set_mode",
            "session/set_model",
            "session/set_config_option",
            "session/cancel",
            "$/cancel_request");

    private Resend() {}

    static boolean isAllowed(Message message) {
        return switch (message.kind()) {
            case RESULT, ERROR -> true;
            case REQUEST ->
                HARMLESS.contains(message.method()) || (message.method().equals("session/resume") && !replays(message));
            case NOTIFICATION -> HARMLESS.contains(message.method());
            default -> false;
        };
    }

    private static boolean replays(Message message) {
        return Raw.member(message.params(), "replayFrom") != null;
    }
}
