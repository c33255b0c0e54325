package dev.acp4j.registry;

/** Reports what an installation does. Called on the thread that installs. */
public interface Progress {
    /** Reports nothing. */
    Progress NONE = new Progress() {};

    /**
     * A step begins.
     *
     * @param text what it does, such as "unpacking"
     */
    default void step(String text) {}

    /**
     * Bytes have come.
     *
     * @param name what is downloaded
     * @param done the bytes so far
     * @param total all bytes, or -1 if the host does not say
     */
    default void bytes(String name, long done, long total) {}
}
