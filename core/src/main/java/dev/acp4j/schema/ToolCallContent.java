package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.In;
import dev.acp4j.schema.codec.SkipInvalidItems;
import dev.acp4j.schema.codec.Tag;
import dev.acp4j.schema.codec.Tagged;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Content of a tool call: a content block, a change of a file, a terminal.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls#content">Content</a>
 */
@Codable
@Tagged("type")
public sealed interface ToolCallContent {
    /** Returns content with one block of text. */
    static Content text(String text) {
        return new Content(ContentBlock.text(text), Rest.NONE);
    }

    /** Returns content with one block. */
    static Content of(ContentBlock content) {
        return new Content(content, Rest.NONE);
    }

    /**
     * Returns a change of a file.
     *
     * @param path the file, an absolute path
     * @param oldText the whole text before, null for a new file
     * @param newText the whole text after
     */
    static Diff diff(String path, @Nullable String oldText, String newText) {
        return new Diff(path, oldText, newText, Rest.NONE);
    }

    /**
     * Returns the deletion of a file, a draft: a diff whose new text is empty, with a member {@code deleted} that
     * clients may not know.
     */
    @Unstable
    static Diff deleted(String path, @Nullable String oldText) {
        return new Diff(
                path,
                oldText,
                "",
                Rest.builder().add("deleted", RawJson.parse("true")).build());
    }

    /** Returns content with the live output of a terminal. */
    static Terminal terminal(TerminalId terminalId) {
        return new Terminal(terminalId, Rest.NONE);
    }

    /**
     * A content block, as in a message.
     *
     * @param content the block
     * @param rest extension data and unknown members
     * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls#regular-content">Regular content</a>
     */
    @Codable
    @Tag("content")
    record Content(ContentBlock content, Rest rest) implements ToolCallContent, Extensible {
        @Evolving
        public Content {
            Objects.requireNonNull(content, "content is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns content with this block. */
        public static Content of(ContentBlock content) {
            return new Content(content, Rest.NONE);
        }

        /** Returns a copy with other extension data. */
        public Content withMeta(Meta meta) {
            return new Content(content, rest.withMeta(meta));
        }
    }

    /**
     * A change of one file, given by its text before and after; the client computes the differing lines.
     *
     * @param path the file, an absolute path
     * @param oldText the whole text before, or null for a new file
     * @param newText the whole text after
     * @param rest extension data and unknown members
     * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls#diffs">Diffs</a>
     */
    @Codable
    @Tag("diff")
    @In(1)
    record Diff(String path, @DefaultOnError @Nullable String oldText, String newText, Rest rest)
            implements ToolCallContent, Extensible {
        @Evolving
        public Diff {
            Objects.requireNonNull(path, "path is null");
            Objects.requireNonNull(newText, "newText is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns whether the file is deleted, rather than empty; a draft. */
        @Unstable
        public boolean isDeleted() {
            return rest.get("deleted").filter(RawJson.parse("true")::equals).isPresent();
        }

        /** Returns a builder of a change that creates a new file, unless the old text is set. */
        public static ToolCallContentDiffBuilder builder(String path, String newText) {
            return new ToolCallContentDiffBuilder(path, newText);
        }

        /** Returns a builder initialized from this record. */
        public ToolCallContentDiffBuilder toBuilder() {
            return new ToolCallContentDiffBuilder(this);
        }
    }

    /**
     * Changes of files, which replace {@link Diff} in version 2.
     *
     * @param changes the change of each path
     * @param patch the changes as text, or null if there is none
     * @param rest extension data and unknown members
     */
    @Codable
    @Tag("diff")
    @In(2)
    @Unstable
    record Changes(
            @SkipInvalidItems List<DiffChange> changes,
            @DefaultOnError @Nullable DiffPatch patch,
            Rest rest) implements ToolCallContent, Extensible {
        @Evolving
        public Changes {
            changes = List.copyOf(changes);
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns a builder with the required members. */
        public static ToolCallContentChangesBuilder builder(List<DiffChange> changes) {
            return new ToolCallContentChangesBuilder(changes);
        }

        /** Returns a builder initialized from this record. */
        public ToolCallContentChangesBuilder toBuilder() {
            return new ToolCallContentChangesBuilder(this);
        }
    }

    /**
     * A terminal that the agent created at the client. The client shows its live output, and continues to show it after
     * the terminal was released; the terminal must be shown before its release.
     *
     * @param terminalId the terminal, from the response to {@code terminal/create}
     * @param rest extension data and unknown members
     * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls#terminals">Terminals</a>
     */
    @Codable
    @Tag("terminal")
    record Terminal(TerminalId terminalId, Rest rest) implements ToolCallContent, Extensible {
        @Evolving
        public Terminal {
            Objects.requireNonNull(terminalId, "terminalId is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns content with the output of this terminal. */
        public static Terminal of(TerminalId terminalId) {
            return new Terminal(terminalId, Rest.NONE);
        }

        /** Returns a copy with other extension data. */
        public Terminal withMeta(Meta meta) {
            return new Terminal(terminalId, rest.withMeta(meta));
        }
    }

    /**
     * Content of a type unknown to this version of the library.
     *
     * @param type the unknown type
     * @param raw the original JSON object, which is written unchanged
     */
    record Unknown(String type, RawJson raw) implements ToolCallContent {
        public Unknown {
            Objects.requireNonNull(type, "type is null");
            Objects.requireNonNull(raw, "raw is null");
        }
    }
}
