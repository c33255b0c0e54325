package dev.acp4j;

import java.io.IOException;

/** An agent could not be started. The message says in one line what is missing and what to do. */
public final class AgentStartException extends IOException {
    private static final long serialVersionUID = 1L;

    AgentStartException(String message) {
        super(message);
    }

    AgentStartException(String message, Throwable cause) {
        super(message, cause);
    }
}
