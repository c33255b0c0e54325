package dev.acp4j.nes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What positions mean, and what changes make of a text. */
class TextDocumentTest {
    private static final List<String> PIECES =
            List.of("a", "b", " ", "é", "ß", "中", "😀", "𝕏", "\n", "\r\n", "\r", "fn main() {");

    static Stream<PositionEncoding> encodings() {
        return PositionEncoding.known().stream();
    }

    private static TextDocument document(String text, PositionEncoding encoding) {
        return TextDocument.of("file:///a.txt", "plaintext", 1, text, encoding);
    }

    private static TextDocument document(String text) {
        return document(text, PositionEncoding.UTF_16);
    }

    // ---- a model that is slow and plain: characters in lines

    /** The code points of a text, in lines, each with its line break at the end. */
    private static List<List<String>> model(String text) {
        List<List<String>> lines = new ArrayList<>();
        lines.add(new ArrayList<>());
        int[] characters = text.codePoints().toArray();
        for (int i = 0; i < characters.length; i++) {
            String character = Character.toString(characters[i]);
            if (character.equals("\r") && i + 1 < characters.length && characters[i + 1] == '\n') {
                character = "\r\n";
                i++;
            }
            lines.getLast().add(character);
            if (isBreak(character)) {
                lines.add(new ArrayList<>());
            }
        }
        return lines;
    }

    private static boolean isBreak(String character) {
        return character.equals("\n") || character.equals("\r") || character.equals("\r\n");
    }

    private static int units(String character, PositionEncoding encoding) {
        return switch (encoding.value()) {
            case "utf-8" -> character.getBytes(StandardCharsets.UTF_8).length;
            case "utf-16" -> character.getBytes(StandardCharsets.UTF_16BE).length / 2;
            case "utf-32" -> 1;
            default -> throw new AssertionError(encoding);
        };
    }

    /** Where a position is, counted by hand. */
    private static int modelIndex(String text, Position position, PositionEncoding encoding) {
        List<List<String>> lines = model(text);
        if (position.line() >= lines.size()) {
            return text.length();
        }
        int index = 0;
        for (List<String> line : lines.subList(0, position.line())) {
            index += String.join("", line).length();
        }
        int left = position.character();
        for (String character : lines.get(position.line())) {
            left -= units(character, encoding);
            if (isBreak(character) || left < 0) {
                break;
            }
            index += character.length();
        }
        return index;
    }

    private static String text(Random random, int most) {
        StringBuilder text = new StringBuilder();
        for (int pieces = random.nextInt(most); pieces > 0; pieces--) {
            text.append(PIECES.get(random.nextInt(PIECES.size())));
        }
        return text.toString();
    }

    /** A position anywhere, also beyond the end of its line and of the text. */
    private static Position position(Random random) {
        return Position.of(random.nextInt(8), random.nextInt(24));
    }

    @ParameterizedTest
    @MethodSource("encodings")
    void changesMakeWhatThePlainModelMakes(PositionEncoding encoding) {
        for (int seed = 0; seed < 3_000; seed++) {
            Random random = new Random(seed);
            TextDocument document = document(text(random, 30), encoding);
            String expected = document.text();

            List<ContentChange> changes = new ArrayList<>();
            for (int i = random.nextInt(4); i >= 0; i--) {
                Position first = position(random);
                Position second = position(random);
                boolean inOrder = modelIndex(expected, first, encoding) <= modelIndex(expected, second, encoding);
                Position start = inOrder ? first : second;
                Position end = inOrder ? second : first;
                String text = text(random, 6);
                boolean isWhole = random.nextInt(20) == 0;
                changes.add(isWhole ? ContentChange.whole(text) : ContentChange.of(Range.of(start, end), text));
                expected = isWhole
                        ? text
                        : expected.substring(0, modelIndex(expected, start, encoding))
                                + text
                                + expected.substring(modelIndex(expected, end, encoding));
            }

            TextDocument changed = document.changed(2, changes);
            assertThat(changed.text()).as("seed %d", seed).isEqualTo(expected);
            assertThat(changed.version()).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @MethodSource("encodings")
    void thePositionOfAnIndexLeadsBackToIt(PositionEncoding encoding) {
        for (int seed = 0; seed < 1_000; seed++) {
            String text = text(new Random(seed), 30);
            TextDocument document = document(text, encoding);

            for (int index = 0; index <= text.length(); index++) {
                boolean isWithin = index > 0
                        && index < text.length()
                        && (Character.isLowSurrogate(text.charAt(index)) || text.startsWith("\r\n", index - 1));
                int found = document.index(document.position(index));
                assertThat(found).as("seed %d, index %d", seed, index).isEqualTo(isWithin ? index - 1 : index);
            }
            assertThat(document.lineCount()).isEqualTo(model(text).size());
        }
    }

    @ParameterizedTest
    @CsvSource({"utf-8, 5", "utf-16, 3", "utf-32, 2"})
    void theSamePlaceIsCountedDifferently(String encoding, int character) {
        TextDocument document = document("a😀b", PositionEncoding.of(encoding));

        assertThat(document.position(3)).isEqualTo(Position.of(0, character));
        assertThat(document.index(Position.of(0, character))).isEqualTo(3);
        assertThat(document.changed(2, List.of(ContentChange.of(Range.at(Position.of(0, character)), "!")))
                        .text())
                .isEqualTo("a😀!b");
    }

    @Test
    void aPositionWithinACharacterIsItsBeginning() {
        assertThat(document("😀", PositionEncoding.UTF_8).index(Position.of(0, 3)))
                .isZero();
        assertThat(document("😀").index(Position.of(0, 1))).isZero();
    }

    @Test
    void aPositionBeyondALineIsItsEndBeforeTheLineBreak() {
        TextDocument document = document("ab\r\ncd\n");

        assertThat(document.index(Position.of(0, 99))).isEqualTo(2);
        assertThat(document.index(Position.of(1, 99))).isEqualTo(6);
        assertThat(document.index(Position.of(2, 99))).isEqualTo(7);
        assertThat(document.index(Position.of(99, 0))).isEqualTo(7);
        assertThat(document.index(Position.of(0, Integer.MAX_VALUE))).isEqualTo(2);
    }

    @Test
    void changesApplyOneAfterAnotherAndEditsAllToTheSameText() {
        TextDocument document = document("one two three");
        Range one = document.range(0, 3);
        Range two = document.range(4, 7);

        assertThat(document.changed(2, List.of(ContentChange.of(one, "1"), ContentChange.of(two, "2")))
                        .text())
                .isEqualTo("1 tw2hree");
        assertThat(document.edited(List.of(TextEdit.of(two, "2"), TextEdit.of(one, "1"))))
                .isEqualTo("1 2 three");
    }

    @Test
    void insertionsAtOnePlaceKeepTheirOrder() {
        TextDocument document = document("xy");
        Range middle = document.range(1, 1);

        assertThat(document.edited(List.of(
                        TextEdit.of(middle, "1"), TextEdit.of(middle, "2"), TextEdit.of(document.range(1, 2), "Y"))))
                .isEqualTo("x12Y");
    }

    @Test
    void editsThatOverlapAndRangesThatEndBeforeTheyBeginAreRefused() {
        TextDocument document = document("abcdef");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> document.edited(
                        List.of(TextEdit.of(document.range(0, 3), ""), TextEdit.of(document.range(2, 4), ""))))
                .withMessageStartingWith("two edits change the same text");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> document.changed(2, List.of(ContentChange.of(document.range(3, 1), ""))))
                .withMessageStartingWith("a range ends before it begins");
    }

    @Test
    void anUnknownEncodingAndPlacesOutsideOfEveryTextAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> document("", PositionEncoding.of("utf-7")));
        assertThatIllegalArgumentException().isThrownBy(() -> Position.of(-1, 0));
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> document("ab").position(3));
    }
}
