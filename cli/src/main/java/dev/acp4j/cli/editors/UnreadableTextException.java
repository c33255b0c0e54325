package dev.acp4j.cli.editors;

/** A file is not what its editor reads: nothing may be written to it. The message names the line and the column. */
final class UnreadableTextException extends Exception {
    private static final long serialVersionUID = 1L;

    UnreadableTextException(String message) {
        super(message);
    }

    /** Returns the problem at a place of a text. */
    static UnreadableTextException at(String text, int index, String problem) {
        int line = 1;
        int begin = 0;
        for (int i = 0; i < index; i++) {
            if (text.charAt(i) == '\n'
                    || (text.charAt(i) == '\r' && (i + 1 == text.length() || text.charAt(i + 1) != '\n'))) {
                line++;
                begin = i + 1;
            }
        }
        int column = text.codePointCount(begin, index) + 1;
        return new UnreadableTextException("line " + line + ", column " + column + ": " + problem);
    }
}
