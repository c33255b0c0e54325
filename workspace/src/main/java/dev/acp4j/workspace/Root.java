package dev.acp4j.workspace;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A folder that an agent may use.
 *
 * @param path its real path when the workspace was made
 * @param key what the file system knew it by then, by which it is told from whatever takes its place; null where there
 *     is no such thing
 */
record Root(Path path, @Nullable Object key) {}
