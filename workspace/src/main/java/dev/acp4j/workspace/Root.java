package dev.acp4j.workspace;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A folder that an agent may use.
 *
 * @param path its real path when the workspace was made
 * @param key its file key at that time, which a folder or link in its place does not have; null where the file system
 *     has no file keys
 */
record Root(Path path, @Nullable Object key) {}
