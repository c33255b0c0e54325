package dev.acp4j.proxies;

import dev.acp4j.json.JsonException;
import dev.acp4j.json.RawJson;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** What the params that open a session say. */
final class Sessions {
    private Sessions() {}

    /** Returns the folder of the session; null if it is none of this machine. */
    static @Nullable Path cwd(RawJson params) {
        try {
            String cwd = Members.text(params, "cwd");
            return cwd == null ? null : path(cwd);
        } catch (JsonException e) {
            return null;
        }
    }

    /** Returns a folder; null if there is none of that name on this machine. */
    static @Nullable Path path(String cwd) {
        try {
            Path path = Path.of(cwd);
            return path.isAbsolute() ? path : null;
        } catch (InvalidPathException e) {
            return null;
        }
    }
}
