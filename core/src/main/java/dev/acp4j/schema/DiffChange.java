package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.In;
import dev.acp4j.schema.codec.Tag;
import dev.acp4j.schema.codec.Tagged;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The change of one path. */
@Codable
@Tagged("operation")
@In(2)
@Unstable
public sealed interface DiffChange {
    /**
     * A path was created.
     *
     * @param path the absolute path
     * @param fileType the type of file at the path, or null if not given
     * @param mimeType the type of the content, or null if not given
     * @param rest extension data and unknown members
     */
    @Codable
    @Tag("add")
    record Add(
            String path,
            @DefaultOnError @Nullable DiffFileType fileType,
            @DefaultOnError @Nullable String mimeType,
            Rest rest)
            implements DiffChange, Extensible {
        @Evolving
        public Add {
            Objects.requireNonNull(path, "path is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns a builder with the required members. */
        public static DiffChangeAddBuilder builder(String path) {
            return new DiffChangeAddBuilder(path);
        }

        /** Returns a builder initialized from this record. */
        public DiffChangeAddBuilder toBuilder() {
            return new DiffChangeAddBuilder(this);
        }
    }

    /**
     * A path was deleted.
     *
     * @param path the absolute path
     * @param fileType the type of file at the path, or null if not given
     * @param mimeType the type of the content, or null if not given
     * @param rest extension data and unknown members
     */
    @Codable
    @Tag("delete")
    record Delete(
            String path,
            @DefaultOnError @Nullable DiffFileType fileType,
            @DefaultOnError @Nullable String mimeType,
            Rest rest)
            implements DiffChange, Extensible {
        @Evolving
        public Delete {
            Objects.requireNonNull(path, "path is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns a builder with the required members. */
        public static DiffChangeDeleteBuilder builder(String path) {
            return new DiffChangeDeleteBuilder(path);
        }

        /** Returns a builder initialized from this record. */
        public DiffChangeDeleteBuilder toBuilder() {
            return new DiffChangeDeleteBuilder(this);
        }
    }

    /**
     * The content of a path was modified.
     *
     * @param path the absolute path
     * @param fileType the type of file at the path, or null if not given
     * @param mimeType the type of the content, or null if not given
     * @param rest extension data and unknown members
     */
    @Codable
    @Tag("modify")
    record Modify(
            String path,
            @DefaultOnError @Nullable DiffFileType fileType,
            @DefaultOnError @Nullable String mimeType,
            Rest rest)
            implements DiffChange, Extensible {
        @Evolving
        public Modify {
            Objects.requireNonNull(path, "path is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns a builder with the required members. */
        public static DiffChangeModifyBuilder builder(String path) {
            return new DiffChangeModifyBuilder(path);
        }

        /** Returns a builder initialized from this record. */
        public DiffChangeModifyBuilder toBuilder() {
            return new DiffChangeModifyBuilder(this);
        }
    }

    /**
     * A path was renamed.
     *
     * @param oldPath the old absolute path
     * @param path the new absolute path
     * @param fileType the type of file at the path, or null if not given
     * @param mimeType the type of the content, or null if not given
     * @param rest extension data and unknown members
     */
    @Codable
    @Tag("move")
    record Move(
            String oldPath,
            String path,
            @DefaultOnError @Nullable DiffFileType fileType,
            @DefaultOnError @Nullable String mimeType,
            Rest rest)
            implements DiffChange, Extensible {
        @Evolving
        public Move {
            Objects.requireNonNull(oldPath, "oldPath is null");
            Objects.requireNonNull(path, "path is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns a builder with the required members. */
        public static DiffChangeMoveBuilder builder(String oldPath, String path) {
            return new DiffChangeMoveBuilder(oldPath, path);
        }

        /** Returns a builder initialized from this record. */
        public DiffChangeMoveBuilder toBuilder() {
            return new DiffChangeMoveBuilder(this);
        }
    }

    /**
     * A path was copied from another.
     *
     * @param oldPath the old absolute path
     * @param path the new absolute path
     * @param fileType the type of file at the path, or null if not given
     * @param mimeType the type of the content, or null if not given
     * @param rest extension data and unknown members
     */
    @Codable
    @Tag("copy")
    record Copy(
            String oldPath,
            String path,
            @DefaultOnError @Nullable DiffFileType fileType,
            @DefaultOnError @Nullable String mimeType,
            Rest rest)
            implements DiffChange, Extensible {
        @Evolving
        public Copy {
            Objects.requireNonNull(oldPath, "oldPath is null");
            Objects.requireNonNull(path, "path is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns a builder with the required members. */
        public static DiffChangeCopyBuilder builder(String oldPath, String path) {
            return new DiffChangeCopyBuilder(oldPath, path);
        }

        /** Returns a builder initialized from this record. */
        public DiffChangeCopyBuilder toBuilder() {
            return new DiffChangeCopyBuilder(this);
        }
    }

    /**
     * A change of a type unknown to this version of the library.
     *
     * @param operation the unknown value of this member
     * @param raw the original JSON object, which is written unchanged
     */
    record Unknown(String operation, RawJson raw) implements DiffChange {
        public Unknown {
            Objects.requireNonNull(operation, "operation is null");
            Objects.requireNonNull(raw, "raw is null");
        }
    }
}
