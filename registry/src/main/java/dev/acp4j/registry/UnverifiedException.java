package dev.acp4j.registry;

/** A download has no digest that it could be checked against, and was not begun. */
public final class UnverifiedException extends RegistryException {
    private static final long serialVersionUID = 1L;

    UnverifiedException(String message) {
        super(message);
    }
}
