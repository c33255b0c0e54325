package dev.acp4j.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TerminalImageTest {
    private static final Display WINDOW = new Display(81, 24, true, true, true);

    @ParameterizedTest
    @CsvSource({
        "400, 200, 40, 10", // a cell for 10 times 20 pixels
        "16, 16, 2, 1",
        "1, 1, 1, 1",
        "1600, 400, 80, 10", // as wide as the window
        "1000, 1000, 32, 16", // as high as an image may be
        "10000, 10, 80, 1",
        "10, 10000, 1, 16"
    })
    void anImageKeepsItsShapeAndFitsTheWindow(int width, int height, int columns, int rows) {
        TerminalImage image = Objects.requireNonNull(TerminalImage.of(png(width, height, 0)));

        assertThat(image.cells(WINDOW)).isEqualTo(new TerminalImage.Cells(columns, rows));
    }

    @Test
    void aLowWindowGetsALowImage() {
        TerminalImage image = Objects.requireNonNull(TerminalImage.of(png(400, 400, 0)));

        assertThat(image.cells(new Display(81, 8, true, true, true))).isEqualTo(new TerminalImage.Cells(10, 5));
    }

    @Test
    void aLargeFileIsSentInPieces() {
        String png = png(20, 20, 6000);
        TerminalImage image = Objects.requireNonNull(TerminalImage.of(png));

        String text = TerminalText.image(image, WINDOW).toString();

        assertThat(text)
                .isEqualTo("\n\u001b[1A"
                        + "\u001b_Ga=T,f=100,C=1,q=2,c=2,r=1,m=1;" + png.substring(0, 4096) + "\u001b\\"
                        + "\u001b_Gm=0;" + png.substring(4096) + "\u001b\\"
                        + "\u001b[1B\r");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "AQID", "\u001b]0;title\u0007", "iVBORw0KGgoAAAANSUhEUg==", "/9j/4AAQSkZJRgABAQ=="})
    void otherDataIsNotDrawn(String data) {
        assertThat(TerminalImage.of(data)).isNull();
    }

    @Test
    void whatNoWindowHoldsIsNotDrawn() {
        assertThat(TerminalImage.of(png(0, 5, 0))).isNull();
        assertThat(TerminalImage.of(png(-1, 5, 0))).isNull();
        assertThat(TerminalImage.of(png(5, 2_000_000_000, 0))).isNull();
        assertThat(TerminalImage.of(png(5, 5, 4 << 20))).isNull();
    }

    /** Returns the beginning of a PNG, and so many other bytes. */
    private static String png(int width, int height, int more) {
        byte[] bytes = ByteBuffer.allocate(24 + more)
                .put(new byte[] {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 0, 0, 0, 13, 'I', 'H', 'D', 'R'})
                .putInt(width)
                .putInt(height)
                .array();
        return Base64.getEncoder().encodeToString(bytes);
    }
}
