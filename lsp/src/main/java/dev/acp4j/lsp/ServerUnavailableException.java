package dev.acp4j.lsp;

/** A server cannot be asked; the message is for the model. */
final class ServerUnavailableException extends Exception {
    private static final long serialVersionUID = 1;

    ServerUnavailableException(String message) {
        super(message);
    }
}
