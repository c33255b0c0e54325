package dev.acp4j.workspace;

import dev.acp4j.schema.Unstable;
import java.util.Objects;

/**
 * What becomes of a text file.
 *
 * @param operation what is done
 * @param oldPath the file before; the same as {@code path} unless it is moved or copied
 * @param path the file afterwards
 * @param before its text before; empty when there was none
 * @param after its text afterwards; empty when there is none
 */
@Unstable
public record FileChange(Operation operation, String oldPath, String path, String before, String after) {
    /** What is done with a file. */
    public enum Operation {
        ADD,
        DELETE,
        MODIFY,
        MOVE,
        COPY
    }

    public FileChange {
        Objects.requireNonNull(operation, "operation is null");
        Objects.requireNonNull(oldPath, "oldPath is null");
        Objects.requireNonNull(path, "path is null");
        Objects.requireNonNull(before, "before is null");
        Objects.requireNonNull(after, "after is null");
    }

    /** A new file. */
    public static FileChange added(String path, String text) {
        return new FileChange(Operation.ADD, path, path, "", text);
    }

    /** A file that there is no more. */
    public static FileChange deleted(String path, String text) {
        return new FileChange(Operation.DELETE, path, path, text, "");
    }

    /** A file with another text. */
    public static FileChange modified(String path, String before, String after) {
        return new FileChange(Operation.MODIFY, path, path, before, after);
    }

    /** A file at another place, perhaps with another text. */
    public static FileChange moved(String oldPath, String path, String before, String after) {
        return new FileChange(Operation.MOVE, oldPath, path, before, after);
    }

    /** A copy of a file, perhaps with another text. */
    public static FileChange copied(String oldPath, String path, String before, String after) {
        return new FileChange(Operation.COPY, oldPath, path, before, after);
    }
}
