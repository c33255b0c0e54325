package dev.acp4j.cli.terminal;

import java.nio.ByteBuffer;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * An image for terminals that draw PNG by <a href="https://sw.kovidgoyal.net/kitty/graphics-protocol/">Kitty's
 * protocol</a>. Its size is read, which decides how many cells it takes; nothing is decoded in this process.
 *
 * @param png the file
 * @param width in pixels
 * @param height in pixels
 */
record TerminalImage(ByteBuffer png, int width, int height) {
    /** Larger ones are not drawn, in characters of Base64. */
    private static final int MOST_DATA = 4 << 20;

    private static final int MOST_PIXELS = 10_000;
    private static final int MOST_ROWS = 16;

    /** The usual size of a cell: no terminal has to be asked, and a wrong guess makes an image a bit larger. */
    private static final double CELL_WIDTH = 10;

    private static final double CELL_HEIGHT = 20;

    /** The bytes up to the size: the signature, and the beginning of the first chunk. */
    private static final byte[] BEGINNING = {
        (byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 0, 0, 0, 13, 'I', 'H', 'D', 'R'
    };

    /** Returns the image; null if the data is no PNG, or too large. */
    static @Nullable TerminalImage of(String base64) {
        if (base64.length() > MOST_DATA) {
            return null;
        }
        ByteBuffer png;
        try {
            png = ByteBuffer.wrap(Base64.getDecoder().decode(base64)).asReadOnlyBuffer();
        } catch (IllegalArgumentException e) {
            return null;
        }
        int size = BEGINNING.length;
        if (png.remaining() < size + 8 || !png.slice(0, size).equals(ByteBuffer.wrap(BEGINNING))) {
            return null;
        }
        int width = png.getInt(size);
        int height = png.getInt(size + 4);
        boolean isSane = width > 0 && height > 0 && width <= MOST_PIXELS && height <= MOST_PIXELS;
        return isSane ? new TerminalImage(png, width, height) : null;
    }

    /** The cells that an image takes. */
    record Cells(int columns, int rows) {}

    /** Returns the cells, as many as the image has pixels for, if the window has so many. */
    Cells cells(Display display) {
        double columns = width / CELL_WIDTH;
        double rows = height / CELL_HEIGHT;
        double mostRows = Math.max(1, Math.min(MOST_ROWS, display.height() - 3));
        double scale = Math.min(1, Math.min(display.widthAfter(0) / columns, mostRows / rows));
        return new Cells((int) Math.max(1, Math.round(columns * scale)), (int) Math.max(1, Math.round(rows * scale)));
    }

    /** Returns the file in Base64, as this class writes it: nothing of what was received reaches the terminal. */
    String base64() {
        byte[] bytes = new byte[png.remaining()];
        png.get(png.position(), bytes);
        return Base64.getEncoder().encodeToString(bytes);
    }
}
