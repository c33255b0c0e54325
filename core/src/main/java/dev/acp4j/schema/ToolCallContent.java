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
 * Something a tool call has to show: content, a change of a file, a terminal.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls#content">Content</a>
 */
@Codable
@Tagged("type")
public sealed interface ToolCallContent {
    /** Returns content that is one block of text. */
    static Content text(String text) {
        return new Content(ContentBlock.text(text), Rest.NONE);
    }

    /** Returns content that is one block. */
    static Content of(ContentBlock content) {
        return new Content(content, Rest.NONE);
    }

    /**
     * Returns a change of a file.
     *
     * @param path the file, an absolute path
     * @param oldText the whole text before, null for a file that is new
     * @param newText the whole text after
     */
    static Diff diff(String path, @Nullable String oldText, String newText) {
        return new Diff(path, oldText, newText, Rest.NONE);
    }

    /** Returns the output of a terminal, live. */
    static Terminal terminal(TerminalId terminalId) {
        return new Terminal(terminalId, Rest.NONE);
    }

    /**
     * A content block, as in a message.
     *
     * @param content the block
     * @param rest extension data, and members that are not known here
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

        /** Returns content that is this block. */
        public static Content of(ContentBlock content) {
            return new Content(content, Rest.NONE);
        }

        /** Returns the same with other extension data. */
        public Content withMeta(Meta meta) {
            return new Content(content, rest.withMeta(meta));
        }
    }

    /**
     * A change of one file, as its text before and after; the client works out the lines that differ.
     *
     * @param path the file, an absolute path
     * @param oldText the whole text before, or null for a file that is new
     * @param newText the whole text after
     * @param rest extension data, and members that are not known here
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

        /** Starts a change that makes a new file, unless the old text is set. */
        public static ToolCallContentDiffBuilder builder(String path, String newText) {
            return new ToolCallContentDiffBuilder(path, newText);
        }

        /** Returns a builder that starts from this. */
        public ToolCallContentDiffBuilder toBuilder() {
            return new ToolCallContentDiffBuilder(this);
        }
    }

    /**
     * Changes of files, which version 2 has in the place of {@link Diff}.
     *
     * @param changes what happened to which path
     * @param patch the changes as text, or null when there is none
     * @param rest extension data, and members that are not known here
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

        /** Starts one with the members it must have. */
        public static ToolCallContentChangesBuilder builder(List<DiffChange> changes) {
            return new ToolCallContentChangesBuilder(changes);
        }

        /** Returns a builder that starts from this. */
        public ToolCallContentChangesBuilder toBuilder() {
            return new ToolCallContentChangesBuilder(this);
        }
    }

    /**
     * A terminal that the agent started at the client. The client shows its output as it comes, and goes on showing it
     * when the terminal has been released; it has to be shown before that.
     *
     * @param terminalId the terminal, from the answer to {@code terminal/create}
     * @param rest extension data, and members that are not known here
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

        /** Returns content that is the output of this terminal. */
        public static Terminal of(TerminalId terminalId) {
            return new Terminal(terminalId, Rest.NONE);
        }

        /** Returns the same with other extension data. */
        public Terminal withMeta(Meta meta) {
            return new Terminal(terminalId, rest.withMeta(meta));
        }
    }

    /**
     * Something of a type that this version of the library does not know.
     *
     * @param type the type it says it is of
     * @param raw the JSON object as it came, which is what is written again
     */
    record Unknown(String type, RawJson raw) implements ToolCallContent {
        public Unknown {
            Objects.requireNonNull(type, "type is null");
            Objects.requireNonNull(raw, "raw is null");
        }
    }
}
