package dev.acp4j.workspace;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A folder that an agent may use.
 *
 * @param path its real path when the workspace was created
 * @param key its file key at that time, which a replacement does not have; null if the file system has no file keys
 */
record Root(Path path, @Nullable Object key) {}
