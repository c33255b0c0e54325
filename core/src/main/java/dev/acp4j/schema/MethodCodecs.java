package dev.acp4j.schema;

import dev.acp4j.json.Codec;

/**
 * The codecs of the methods in the catalogues. They are found by name, and when first asked for: to load all of them
 * with the catalogues would cost milliseconds of the time that an editor waits for its agent, which needs but a few at
 * first.
 */
final class MethodCodecs {
    private MethodCodecs() {}

    static Codec<?> params(String method) {
        return switch (method) {
            case "initialize" -> InitializeRequestCodec.INSTANCE;
            case "authenticate" -> AuthenticateRequestCodec.INSTANCE;
            case "logout" -> LogoutRequestCodec.INSTANCE;
            case "session/new" -> NewSessionRequestCodec.INSTANCE;
            case "session/load" -> LoadSessionRequestCodec.INSTANCE;
            case "session/list" -> ListSessionsRequestCodec.INSTANCE;
            case "session/delete" -> DeleteSessionRequestCodec.INSTANCE;
            case "session/resume" -> ResumeSessionRequestCodec.INSTANCE;
            case "session/close" -> CloseSessionRequestCodec.INSTANCE;
            case "session/prompt" -> PromptRequestCodec.INSTANCE;
            case "session/cancel" -> CancelNotificationCodec.INSTANCE;
            case "session/set_mode" -> SetSessionModeRequestCodec.INSTANCE;
            case "session/set_config_option" -> SetSessionConfigOptionRequestCodec.INSTANCE;
            case "session/update" -> SessionNotificationCodec.INSTANCE;
            case "session/request_permission" -> RequestPermissionRequestCodec.INSTANCE;
            case "elicitation/create" -> CreateElicitationRequestCodec.INSTANCE;
            case "elicitation/complete" -> CompleteElicitationNotificationCodec.INSTANCE;
            case "fs/read_text_file" -> ReadTextFileRequestCodec.INSTANCE;
            case "fs/write_text_file" -> WriteTextFileRequestCodec.INSTANCE;
            case "terminal/create" -> CreateTerminalRequestCodec.INSTANCE;
            case "terminal/output" -> TerminalOutputRequestCodec.INSTANCE;
            case "terminal/wait_for_exit" -> WaitForTerminalExitRequestCodec.INSTANCE;
            case "terminal/kill" -> KillTerminalRequestCodec.INSTANCE;
            case "terminal/release" -> ReleaseTerminalRequestCodec.INSTANCE;
            case "$/cancel_request" -> CancelRequestNotificationCodec.INSTANCE;
            default -> throw new IllegalArgumentException(method);
        };
    }

    static Codec<?> result(String method) {
        return switch (method) {
            case "initialize" -> InitializeResponseCodec.INSTANCE;
            case "authenticate" -> AuthenticateResponseCodec.INSTANCE;
            case "logout" -> LogoutResponseCodec.INSTANCE;
            case "session/new" -> NewSessionResponseCodec.INSTANCE;
            case "session/load" -> LoadSessionResponseCodec.INSTANCE;
            case "session/list" -> ListSessionsResponseCodec.INSTANCE;
            case "session/delete" -> DeleteSessionResponseCodec.INSTANCE;
            case "session/resume" -> ResumeSessionResponseCodec.INSTANCE;
            case "session/close" -> CloseSessionResponseCodec.INSTANCE;
            case "session/prompt" -> PromptResponseCodec.INSTANCE;
            case "session/set_mode" -> SetSessionModeResponseCodec.INSTANCE;
            case "session/set_config_option" -> SetSessionConfigOptionResponseCodec.INSTANCE;
            case "session/request_permission" -> RequestPermissionResponseCodec.INSTANCE;
            case "elicitation/create" -> CreateElicitationResponseCodec.INSTANCE;
            case "fs/read_text_file" -> ReadTextFileResponseCodec.INSTANCE;
            case "fs/write_text_file" -> WriteTextFileResponseCodec.INSTANCE;
            case "terminal/create" -> CreateTerminalResponseCodec.INSTANCE;
            case "terminal/output" -> TerminalOutputResponseCodec.INSTANCE;
            case "terminal/wait_for_exit" -> WaitForTerminalExitResponseCodec.INSTANCE;
            case "terminal/kill" -> KillTerminalResponseCodec.INSTANCE;
            case "terminal/release" -> ReleaseTerminalResponseCodec.INSTANCE;
            default -> throw new IllegalArgumentException(method);
        };
    }
}
