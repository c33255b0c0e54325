package dev.acp4j.registry;

import java.io.IOException;

/** Something about agents by name has failed; the message says what, and what to do. */
public class RegistryException extends IOException {
    private static final long serialVersionUID = 1L;

    public RegistryException(String message) {
        super(message);
    }

    public RegistryException(String message, Throwable cause) {
        super(message, cause);
    }
}
