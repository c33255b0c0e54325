package dev.acp4j.nes;

import dev.acp4j.schema.Unstable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * A version of a document, and what positions in it mean. Both sides of a session keep their documents as such; it
 * converts between {@link Position}, in the encoding of the connection, and indexes into {@link #text()}. Immutable.
 *
 * <pre>{@code
 * var typed = ContentChange.of(document.range(name, name + 3), "total");
 * document = session.didChange(URI, 2, List.of(typed));
 * }</pre>
 *
 * <p>Lines end with LF, CRLF or CR. A position beyond the end of its line means that end, before the line break; a line
 * beyond the last means the end of the document; a position within a character means its beginning. So every position
 * has a place in every text.
 *
 * @see <a href="https://agentclientprotocol.com/rfds/next-edit-suggestions">Next edit suggestions</a>
 */
@Unstable
public final class TextDocument {
    private final String uri;
    private final String languageId;
    private final long version;
    private final String text;
    private final PositionEncoding encoding;

    /** Where each line begins. */
    private final int[] lines;

    private TextDocument(String uri, String languageId, long version, String text, PositionEncoding encoding) {
        this.uri = Objects.requireNonNull(uri, "uri is null");
        this.languageId = Objects.requireNonNull(languageId, "languageId is null");
        this.version = version;
        this.text = Objects.requireNonNull(text, "text is null");
        this.encoding = Objects.requireNonNull(encoding, "encoding is null");
        this.lines = lines(text);
    }

    /**
     * Returns a document.
     *
     * @param uri its URI
     * @param languageId its language, such as {@code java}
     * @param version its version
     * @param text its text
     * @param encoding what the characters of positions in it are counted in
     * @throws IllegalArgumentException when the encoding is none of the constants
     */
    public static TextDocument of(String uri, String languageId, long version, String text, PositionEncoding encoding) {
        if (!PositionEncoding.known().contains(encoding)) {
            throw new IllegalArgumentException("expected one of " + PositionEncoding.known() + ", got " + encoding);
        }
        return new TextDocument(uri, languageId, version, text, encoding);
    }

    private static int[] lines(String text) {
        int[] starts = new int[16];
        int count = 1;
        for (int i = 0; i < text.length(); i++) {
            char at = text.charAt(i);
            if (at == '\n' || (at == '\r' && !text.startsWith("\n", i + 1))) {
                if (count == starts.length) {
                    starts = Arrays.copyOf(starts, 2 * count);
                }
                starts[count++] = i + 1;
            }
        }
        return Arrays.copyOf(starts, count);
    }

    /** Returns its URI. */
    public String uri() {
        return uri;
    }

    /** Returns its language, such as {@code java}. */
    public String languageId() {
        return languageId;
    }

    /** Returns its version. */
    public long version() {
        return version;
    }

    /** Returns its text. */
    public String text() {
        return text;
    }

    /** Returns what the characters of positions are counted in. */
    public PositionEncoding encoding() {
        return encoding;
    }

    /** Returns the number of lines; the last one may be empty. */
    public int lineCount() {
        return lines.length;
    }

    // ---- positions

    /** Returns the index into {@link #text()} of a position. */
    public int index(Position position) {
        if (position.line() >= lines.length) {
            return text.length();
        }
        int at = lines[position.line()];
        int end = endOfLine(position.line());
        long left = position.character();
        while (at < end) {
            int character = text.codePointAt(at);
            left -= units(character);
            if (left < 0) {
                return at;
            }
            at += Character.charCount(character);
        }
        return end;
    }

    /**
     * Returns the position of an index into {@link #text()}. An index within a character or a line break has the
     * position of its beginning.
     *
     * @throws IndexOutOfBoundsException when the index is negative or beyond the end of the text
     */
    public Position position(int index) {
        Objects.checkIndex(index, text.length() + 1);
        int found = Arrays.binarySearch(lines, index);
        int line = found >= 0 ? found : -found - 2;
        int end = Math.min(index, endOfLine(line));
        int units = 0;
        int at = lines[line];
        while (at < end) {
            int character = text.codePointAt(at);
            at += Character.charCount(character);
            if (at <= end) {
                units += units(character);
            }
        }
        return Position.of(line, units);
    }

    /**
     * Returns the range between two indexes into {@link #text()}.
     *
     * @throws IndexOutOfBoundsException when an index is negative or beyond the end of the text
     */
    public Range range(int from, int to) {
        return Range.of(position(from), position(to));
    }

    /** Returns the index of the line break of a line, or of the end of the text. */
    private int endOfLine(int line) {
        if (line == lines.length - 1) {
            return text.length();
        }
        int end = lines[line + 1] - 1;
        return end > lines[line] && text.charAt(end) == '\n' && text.charAt(end - 1) == '\r' ? end - 1 : end;
    }

    private int units(int character) {
        if (encoding.equals(PositionEncoding.UTF_32)) {
            return 1;
        }
        if (encoding.equals(PositionEncoding.UTF_16)) {
            return Character.charCount(character);
        }
        return character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x1_0000 ? 3 : 4;
    }

    // ---- changes

    /**
     * Returns the document after changes, which apply one after another.
     *
     * @param newVersion the version after the changes
     * @throws IllegalArgumentException when a range ends before it begins
     */
    public TextDocument changed(long newVersion, List<ContentChange> changes) {
        TextDocument changed = this;
        for (ContentChange change : changes) {
            Range range = change.range();
            String next = range == null ? change.text() : changed.edited(List.of(TextEdit.of(range, change.text())));
            changed = new TextDocument(uri, languageId, newVersion, next, encoding);
        }
        return changes.isEmpty() ? new TextDocument(uri, languageId, newVersion, text, encoding) : changed;
    }

    private record Replacement(int from, int to, String text) {}

    /**
     * Returns the text after edits, whose ranges all refer to this version. Insertions at one position keep their
     * order.
     *
     * @throws IllegalArgumentException when a range ends before it begins, or two overlap
     */
    public String edited(List<TextEdit> edits) {
        List<Replacement> ordered = new ArrayList<>();
        for (TextEdit edit : edits) {
            int from = index(edit.range().start());
            int to = index(edit.range().end());
            if (to < from) {
                throw new IllegalArgumentException("a range ends before it begins: " + edit.range());
            }
            ordered.add(new Replacement(from, to, edit.newText()));
        }
        ordered.sort(Comparator.comparingInt(Replacement::from).thenComparingInt(Replacement::to));
        StringBuilder edited = new StringBuilder();
        int at = 0;
        for (Replacement next : ordered) {
            if (next.from() < at) {
                throw new IllegalArgumentException("two edits change the same text, before " + position(at));
            }
            edited.append(text, at, next.from()).append(next.text());
            at = next.to();
        }
        return edited.append(text, at, text.length()).toString();
    }

    /** Returns the URI and the version, without the text. */
    @Override
    public String toString() {
        return uri + " (version " + version + ")";
    }
}
