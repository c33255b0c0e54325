package dev.acp4j.cli.command;

import java.nio.file.Path;

/** The folder for the persistent state of acp. */
public final class StateFolder {
    private StateFolder() {}

    /** Returns the folder by the rules of the XDG base directories: a path that is not absolute is ignored. */
    public static Path path() {
        String state = System.getenv("XDG_STATE_HOME");
        Path base = state != null && state.startsWith("/")
                ? Path.of(state)
                : Path.of(System.getProperty("user.home", ""), ".local", "state");
        return base.resolve("acp");
    }
}
