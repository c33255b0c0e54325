package dev.acp4j.nes;

import dev.acp4j.schema.Extensible;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.OptionalMember;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What an agent learns beside the cursor when it is asked for suggestions: those lists that it asked for with
 * {@link ContextKinds}, each possibly empty.
 *
 * @param recentFiles files that the user had open, the most recent first
 * @param relatedSnippets pieces of files that matter here
 * @param editHistory what the user changed, oldest first
 * @param userActions what the user did, oldest first
 * @param openFiles the files that are open
 * @param diagnostics errors and warnings
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/next-edit-suggestions">Next edit suggestions</a>
 */
@Codable
@Unstable
public record SuggestContext(
        @OptionalMember List<RecentFile> recentFiles,
        @OptionalMember List<RelatedSnippet> relatedSnippets,
        @OptionalMember List<Edit> editHistory,
        @OptionalMember List<UserAction> userActions,
        @OptionalMember List<OpenFile> openFiles,
        @OptionalMember List<Diagnostic> diagnostics,
        Rest rest)
        implements Extensible {
    /** Nothing. */
    public static final SuggestContext NONE = builder().build();

    public SuggestContext {
        recentFiles = List.copyOf(recentFiles);
        relatedSnippets = List.copyOf(relatedSnippets);
        editHistory = List.copyOf(editHistory);
        userActions = List.copyOf(userActions);
        openFiles = List.copyOf(openFiles);
        diagnostics = List.copyOf(diagnostics);
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder without anything. */
    public static SuggestContextBuilder builder() {
        return new SuggestContextBuilder();
    }

    /** Returns what of it an agent asked for. */
    SuggestContext only(ContextKinds wanted) {
        SuggestContext left = new SuggestContext(
                first(recentFiles, wanted.recentFiles()),
                wanted.relatedSnippets() == null ? List.of() : relatedSnippets,
                last(editHistory, wanted.editHistory()),
                last(userActions, wanted.userActions()),
                wanted.openFiles() == null ? List.of() : openFiles,
                wanted.diagnostics() == null ? List.of() : diagnostics,
                rest);
        return left.equals(NONE) ? NONE : left; // which is not written
    }

    private static <T> List<T> first(List<T> items, ContextKinds.@Nullable AtMost wanted) {
        return items.subList(0, count(items, wanted));
    }

    private static <T> List<T> last(List<T> items, ContextKinds.@Nullable AtMost wanted) {
        return items.subList(items.size() - count(items, wanted), items.size());
    }

    private static int count(List<?> items, ContextKinds.@Nullable AtMost wanted) {
        if (wanted == null) {
            return 0;
        }
        return wanted.maxCount() == null ? items.size() : Math.min(items.size(), wanted.maxCount());
    }

    /** Returns a builder initialized from this record. */
    public SuggestContextBuilder toBuilder() {
        return new SuggestContextBuilder(this);
    }

    /**
     * A file that the user had open.
     *
     * @param uri the file
     * @param languageId its language, such as {@code java}
     * @param text its text
     * @param rest extension data and unknown members
     */
    @Codable
    @Unstable
    public record RecentFile(String uri, String languageId, String text, Rest rest) implements Extensible {
        public RecentFile {
            Objects.requireNonNull(uri, "uri is null");
            Objects.requireNonNull(languageId, "languageId is null");
            Objects.requireNonNull(text, "text is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns the file with these members. */
        public static RecentFile of(String uri, String languageId, String text) {
            return new RecentFile(uri, languageId, text, Rest.NONE);
        }
    }

    /**
     * Pieces of a file that matter here, such as definitions.
     *
     * @param uri the file
     * @param excerpts the pieces
     * @param rest extension data and unknown members
     */
    @Codable
    @Unstable
    public record RelatedSnippet(String uri, List<Excerpt> excerpts, Rest rest) implements Extensible {
        public RelatedSnippet {
            Objects.requireNonNull(uri, "uri is null");
            excerpts = List.copyOf(excerpts);
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns the pieces of a file. */
        public static RelatedSnippet of(String uri, List<Excerpt> excerpts) {
            return new RelatedSnippet(uri, excerpts, Rest.NONE);
        }
    }

    /**
     * A piece of a file.
     *
     * @param startLine its first line, counted from 0
     * @param endLine its last line
     * @param text its text
     * @param rest extension data and unknown members
     */
    @Codable
    @Unstable
    public record Excerpt(
            @dev.acp4j.schema.codec.Range(max = Integer.MAX_VALUE)
            int startLine,

            @dev.acp4j.schema.codec.Range(max = Integer.MAX_VALUE)
            int endLine,

            String text,
            Rest rest)
            implements Extensible {
        public Excerpt {
            Objects.requireNonNull(text, "text is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns the piece with these members. */
        public static Excerpt of(int startLine, int endLine, String text) {
            return new Excerpt(startLine, endLine, text, Rest.NONE);
        }
    }

    /**
     * A change that the user made.
     *
     * @param uri the file
     * @param diff a unified diff
     * @param rest extension data and unknown members
     */
    @Codable
    @Unstable
    public record Edit(String uri, String diff, Rest rest) implements Extensible {
        public Edit {
            Objects.requireNonNull(uri, "uri is null");
            Objects.requireNonNull(diff, "diff is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns the change with these members. */
        public static Edit of(String uri, String diff) {
            return new Edit(uri, diff, Rest.NONE);
        }
    }

    /**
     * Something that the user did.
     *
     * @param action what, such as {@code insertChar} or {@code cursorMovement}
     * @param uri the file
     * @param position the cursor
     * @param timestampMs when, in milliseconds since 1970-01-01T00:00Z
     * @param rest extension data and unknown members
     */
    @Codable
    @Unstable
    public record UserAction(String action, String uri, Position position, long timestampMs, Rest rest)
            implements Extensible {
        public UserAction {
            Objects.requireNonNull(action, "action is null");
            Objects.requireNonNull(uri, "uri is null");
            Objects.requireNonNull(position, "position is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns the action with these members. */
        public static UserAction of(String action, String uri, Position position, long timestampMs) {
            return new UserAction(action, uri, position, timestampMs, Rest.NONE);
        }
    }

    /**
     * A file that is open.
     *
     * @param uri the file
     * @param languageId its language
     * @param visibleRange what of it can be seen, or null if nothing
     * @param lastFocusedMs when the user looked at it last, in milliseconds since 1970-01-01T00:00Z, or null if unknown
     * @param rest extension data and unknown members
     */
    @Codable
    @Unstable
    public record OpenFile(
            String uri,
            String languageId,
            @DefaultOnError @Nullable Range visibleRange,
            @DefaultOnError @Nullable Long lastFocusedMs,
            Rest rest)
            implements Extensible {
        public OpenFile {
            Objects.requireNonNull(uri, "uri is null");
            Objects.requireNonNull(languageId, "languageId is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns a builder with the required members. */
        public static SuggestContextOpenFileBuilder builder(String uri, String languageId) {
            return new SuggestContextOpenFileBuilder(uri, languageId);
        }

        /** Returns a builder initialized from this record. */
        public SuggestContextOpenFileBuilder toBuilder() {
            return new SuggestContextOpenFileBuilder(this);
        }
    }

    /**
     * An error or a warning.
     *
     * @param uri the file
     * @param range the place
     * @param severity how serious it is
     * @param message what it says
     * @param rest extension data and unknown members
     */
    @Codable
    @Unstable
    public record Diagnostic(String uri, Range range, DiagnosticSeverity severity, String message, Rest rest)
            implements Extensible {
        public Diagnostic {
            Objects.requireNonNull(uri, "uri is null");
            Objects.requireNonNull(range, "range is null");
            Objects.requireNonNull(severity, "severity is null");
            Objects.requireNonNull(message, "message is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns the diagnostic with these members. */
        public static Diagnostic of(String uri, Range range, DiagnosticSeverity severity, String message) {
            return new Diagnostic(uri, range, severity, message, Rest.NONE);
        }
    }
}
