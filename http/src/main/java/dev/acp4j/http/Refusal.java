package dev.acp4j.http;

/** Ends the handling of a request with an answer. */
final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Answer answer;

    Refusal(Answer answer) {
        super("status " + answer.status(), null, false, false);
        this.answer = answer;
    }

    Refusal(int status, String reason, String message) {
        this(Answer.refusal(status, reason, message));
    }

    Answer answer() {
        return answer;
    }
}
