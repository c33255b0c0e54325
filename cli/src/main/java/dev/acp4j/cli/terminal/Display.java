package dev.acp4j.cli.terminal;

/**
 * The capabilities of a display.
 *
 * @param width columns; 0 if lines must not be wrapped, as in a file or a pipe
 * @param height rows; 0 when unknown
 * @param colour whether colours and bold letters may be written
 * @param rewrites whether lines can be changed after they have been written
 * @param unicode whether characters beyond ASCII are supported
 */
public record Display(int width, int height, boolean colour, boolean rewrites, boolean unicode) {
    /** A file or a pipe. */
    public static final Display PIPE = new Display(0, 0, false, false, true);

    Display withSize(int columns, int rows) {
        return new Display(columns, rows, colour, rewrites, unicode);
    }

    /**
     * Returns whether the terminal breaks the rows of a window that becomes narrower, as most do, instead of cutting
     * them.
     */
    boolean reflows() {
        return width > 0 && TerminalStreams.reflows(System.getenv());
    }

    /** Returns whether the terminal draws images; without colours, none are wanted. */
    boolean showsImages() {
        return width > 0 && colour && rewrites && TerminalStreams.showsImages(System.getenv());
    }

    /** Returns the columns left after an indent, with a readable minimum. */
    public int widthAfter(int indent) {
        return width == 0 ? 0 : Math.max(20, width - 1 - indent);
    }

    public Symbols symbols() {
        return unicode ? Symbols.UNICODE : Symbols.ASCII;
    }
}
