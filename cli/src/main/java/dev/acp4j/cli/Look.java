package dev.acp4j.cli;

/**
 * What the place where text is shown can do.
 *
 * @param width columns; 0 when lines are not to be wrapped, as in a file or a pipe
 * @param height rows; 0 when unknown
 * @param colour whether colours and bold letters may be written
 * @param rewrites whether lines may be changed after they have been written
 * @param unicode whether signs beyond ASCII arrive
 */
record Look(int width, int height, boolean colour, boolean rewrites, boolean unicode) {
    /** A file or a pipe. */
    static final Look PIPE = new Look(0, 0, false, false, true);

    Look withSize(int columns, int rows) {
        return new Look(columns, rows, colour, rewrites, unicode);
    }

    /** Returns the columns left after an indent, which never are too few to read. */
    int widthAfter(int indent) {
        return width == 0 ? 0 : Math.max(20, width - 1 - indent);
    }

    Signs signs() {
        return unicode ? Signs.UNICODE : Signs.ASCII;
    }
}
