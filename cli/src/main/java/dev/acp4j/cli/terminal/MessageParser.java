package dev.acp4j.cli.terminal;

import org.jline.reader.impl.DefaultParser;

/**
 * Splits a message into words for completion. A message is not a command line: quotes and backslashes are ordinary
 * characters, except that {@code @"a path"} is one word.
 */
final class MessageParser extends DefaultParser {
    MessageParser() {
        setQuoteChars(new char[0]);
        setEscapeChars(new char[0]);
    }

    @Override
    public boolean isDelimiterChar(CharSequence buffer, int pos) {
        return super.isDelimiterChar(buffer, pos)
                && !isInMention(buffer.subSequence(0, pos).toString());
    }

    private static boolean isInMention(String before) {
        int begin = before.lastIndexOf("@\"");
        return begin >= 0
                && (begin == 0 || Character.isWhitespace(before.charAt(begin - 1)))
                && before.indexOf('"', begin + 2) < 0
                && before.indexOf('\n', begin) < 0;
    }
}
