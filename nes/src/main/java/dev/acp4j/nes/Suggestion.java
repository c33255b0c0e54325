package dev.acp4j.nes;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.Extensible;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultTo;
import dev.acp4j.schema.codec.Tag;
import dev.acp4j.schema.codec.Tagged;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A change, or a place, that an agent suggests to the user. An agent may only suggest the kinds that the client takes:
 * {@link Edit}, and those in its {@link SuggestionKinds}.
 *
 * @see <a href="https://agentclientprotocol.com/rfds/next-edit-suggestions">Next edit suggestions</a>
 */
@Codable
@Tagged("kind")
@Unstable
public sealed interface Suggestion {
    /**
     * Changes of the text of a document.
     *
     * @param id identifies the suggestion
     * @param uri the document
     * @param edits the changes, all of the document as it is now
     * @param cursorPosition where the cursor goes afterwards, or null to leave it
     * @param rest extension data and unknown members
     */
    @Codable
    @Tag("edit")
    @Unstable
    record Edit(
            SuggestionId id,
            String uri,
            List<TextEdit> edits,
            @Nullable Position cursorPosition,
            Rest rest) implements Suggestion, Extensible {
        public Edit {
            Objects.requireNonNull(id, "id is null");
            Objects.requireNonNull(uri, "uri is null");
            edits = List.copyOf(edits);
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns the suggestion of these changes, which leaves the cursor. */
        public static Edit of(SuggestionId id, String uri, List<TextEdit> edits) {
            return new Edit(id, uri, edits, null, Rest.NONE);
        }

        /** Returns a copy that moves the cursor. */
        public Edit withCursorPosition(@Nullable Position position) {
            return new Edit(id, uri, edits, position, rest);
        }
    }

    /**
     * A place to go to.
     *
     * @param id identifies the suggestion
     * @param uri the document
     * @param position the place
     * @param rest extension data and unknown members
     */
    @Codable
    @Tag("jump")
    @Unstable
    record Jump(SuggestionId id, String uri, Position position, Rest rest) implements Suggestion, Extensible {
        public Jump {
            Objects.requireNonNull(id, "id is null");
            Objects.requireNonNull(uri, "uri is null");
            Objects.requireNonNull(position, "position is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns the suggestion with these members. */
        public static Jump of(SuggestionId id, String uri, Position position) {
            return new Jump(id, uri, position, Rest.NONE);
        }
    }

    /**
     * A new name for a symbol, everywhere in the workspace.
     *
     * @param id identifies the suggestion
     * @param uri a document with the symbol
     * @param position where the symbol is
     * @param newName its new name
     * @param rest extension data and unknown members
     */
    @Codable
    @Tag("rename")
    @Unstable
    record Rename(SuggestionId id, String uri, Position position, String newName, Rest rest)
            implements Suggestion, Extensible {
        public Rename {
            Objects.requireNonNull(id, "id is null");
            Objects.requireNonNull(uri, "uri is null");
            Objects.requireNonNull(position, "position is null");
            Objects.requireNonNull(newName, "newName is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns the suggestion with these members. */
        public static Rename of(SuggestionId id, String uri, Position position, String newName) {
            return new Rename(id, uri, position, newName, Rest.NONE);
        }
    }

    /**
     * A text to replace wherever it is found.
     *
     * @param id identifies the suggestion
     * @param uri the file to search, or the folder with the files
     * @param search what to find
     * @param replace what to put in its place
     * @param isRegex whether {@code search} is a regular expression
     * @param rest extension data and unknown members
     */
    @Codable
    @Tag("searchAndReplace")
    @Unstable
    record SearchAndReplace(
            SuggestionId id,
            String uri,
            String search,
            String replace,
            @DefaultTo("false") boolean isRegex,
            Rest rest) implements Suggestion, Extensible {
        public SearchAndReplace {
            Objects.requireNonNull(id, "id is null");
            Objects.requireNonNull(uri, "uri is null");
            Objects.requireNonNull(search, "search is null");
            Objects.requireNonNull(replace, "replace is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns the replacement of a text. */
        public static SearchAndReplace of(SuggestionId id, String uri, String search, String replace) {
            return new SearchAndReplace(id, uri, search, replace, false, Rest.NONE);
        }

        /** Returns the replacement of what a regular expression matches. */
        public static SearchAndReplace regex(SuggestionId id, String uri, String search, String replace) {
            return new SearchAndReplace(id, uri, search, replace, true, Rest.NONE);
        }
    }

    /**
     * A suggestion of a kind unknown to this version of the library.
     *
     * @param kind the unknown value of this member
     * @param raw the original JSON object, which is written unchanged
     */
    @Unstable
    record Unknown(String kind, RawJson raw) implements Suggestion {
        public Unknown {
            Objects.requireNonNull(kind, "kind is null");
            Objects.requireNonNull(raw, "raw is null");
        }
    }
}
