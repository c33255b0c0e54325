package dev.acp4j;

/** Keeps a listener registered until it is closed. Closing twice does nothing. */
@FunctionalInterface
public interface Registration extends AutoCloseable {
    /** Ends the registration. Events that are on their way may still come. */
    @Override
    void close();
}
