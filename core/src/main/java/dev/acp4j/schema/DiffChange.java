package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.In;
import dev.acp4j.schema.codec.Tag;
import dev.acp4j.schema.codec.Tagged;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What happened to one path. */
@Codable
@Tagged("operation")
@In(2)
@Unstable
public sealed interface DiffChange {
    /**
     * A path is new.
     *
     * @param path where it is, an absolute path
     * @param fileType what the path leads to, or null when it does not say
     * @param mimeType the type of the content, or null when it does not say
     * @param rest extension data, and members that are not known here
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

        /** Starts one with the members it must have. */
        public static DiffChangeAddBuilder builder(String path) {
            return new DiffChangeAddBuilder(path);
        }

        /** Returns a builder that starts from this. */
        public DiffChangeAddBuilder toBuilder() {
            return new DiffChangeAddBuilder(this);
        }
    }

    /**
     * A path is gone.
     *
     * @param path where it is, an absolute path
     * @param fileType what the path leads to, or null when it does not say
     * @param mimeType the type of the content, or null when it does not say
     * @param rest extension data, and members that are not known here
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

        /** Starts one with the members it must have. */
        public static DiffChangeDeleteBuilder builder(String path) {
            return new DiffChangeDeleteBuilder(path);
        }

        /** Returns a builder that starts from this. */
        public DiffChangeDeleteBuilder toBuilder() {
            return new DiffChangeDeleteBuilder(this);
        }
    }

    /**
     * The content of a path is another one.
     *
     * @param path where it is, an absolute path
     * @param fileType what the path leads to, or null when it does not say
     * @param mimeType the type of the content, or null when it does not say
     * @param rest extension data, and members that are not known here
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

        /** Starts one with the members it must have. */
        public static DiffChangeModifyBuilder builder(String path) {
            return new DiffChangeModifyBuilder(path);
        }

        /** Returns a builder that starts from this. */
        public DiffChangeModifyBuilder toBuilder() {
            return new DiffChangeModifyBuilder(this);
        }
    }

    /**
     * A path has another name.
     *
     * @param oldPath where it was, an absolute path
     * @param path where it is now, an absolute path
     * @param fileType what the path leads to, or null when it does not say
     * @param mimeType the type of the content, or null when it does not say
     * @param rest extension data, and members that are not known here
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

        /** Starts one with the members it must have. */
        public static DiffChangeMoveBuilder builder(String oldPath, String path) {
            return new DiffChangeMoveBuilder(oldPath, path);
        }

        /** Returns a builder that starts from this. */
        public DiffChangeMoveBuilder toBuilder() {
            return new DiffChangeMoveBuilder(this);
        }
    }

    /**
     * A path is a copy of another.
     *
     * @param oldPath where it was, an absolute path
     * @param path where it is now, an absolute path
     * @param fileType what the path leads to, or null when it does not say
     * @param mimeType the type of the content, or null when it does not say
     * @param rest extension data, and members that are not known here
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

        /** Starts one with the members it must have. */
        public static DiffChangeCopyBuilder builder(String oldPath, String path) {
            return new DiffChangeCopyBuilder(oldPath, path);
        }

        /** Returns a builder that starts from this. */
        public DiffChangeCopyBuilder toBuilder() {
            return new DiffChangeCopyBuilder(this);
        }
    }

    /**
     * A change of a sort that this version of the library does not know.
     *
     * @param operation what it calls itself
     * @param raw the JSON object as it came, which is what is written again
     */
    record Unknown(String operation, RawJson raw) implements DiffChange {
        public Unknown {
            Objects.requireNonNull(operation, "operation is null");
            Objects.requireNonNull(raw, "raw is null");
        }
    }
}
