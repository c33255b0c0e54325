package dev.acp4j.proxies;

import dev.acp4j.schema.Unstable;
import java.io.IOException;
import java.nio.file.Path;

/** Says which files of projects the user trusts: those that do something do nothing before. */
@Unstable
@FunctionalInterface
public interface Trust {
    /** Nothing is trusted. */
    Trust NOTHING = (file, contents) -> false;

    /**
     * Returns whether the user trusts a file with these contents: after a change it is another one.
     *
     * @throws IOException when that cannot be found out, and so it is not
     */
    boolean isTrusted(Path file, String contents) throws IOException;
}
