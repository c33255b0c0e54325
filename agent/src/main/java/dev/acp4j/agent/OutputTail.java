package dev.acp4j.agent;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** The end of a command's output as text, decoded incrementally: a character may be split between reads. */
final class OutputTail {
    private static final Pattern TERMINAL_CODE =
            Pattern.compile("\u001b(?:\\[[0-9;?]*+[ -/]*+[@-~]|\\][^\u0007\u001b]*+(?:\u0007|\u001b\\\\))");

    private final int maxLength;
    private final StringBuilder text = new StringBuilder();
    private final CharsetDecoder decoder = StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .onUnmappableCharacter(CodingErrorAction.REPLACE);
    private ByteBuffer left = ByteBuffer.allocate(0);
    private boolean truncated;

    OutputTail(int maxLength) {
        this.maxLength = maxLength;
    }

    void add(byte[] bytes) {
        ByteBuffer in =
                ByteBuffer.allocate(left.remaining() + bytes.length).put(left).put(bytes);
        in.flip();
        CharBuffer out = CharBuffer.allocate(in.remaining() + 1);
        // The result says only whether input is left, which is kept for the next time anyway.
        var unused = decoder.decode(in, out, false);
        left = in.slice();
        text.append(out.flip());
        if (text.length() > 2 * maxLength) {
            cut();
        }
    }

    boolean isTruncated() {
        return truncated || text.length() > maxLength;
    }

    /** Returns the last characters, without colour codes. */
    @Override
    public String toString() {
        cut();
        return TERMINAL_CODE.matcher(text).replaceAll("").replace("\r\n", "\n");
    }

    private void cut() {
        int over = text.length() - maxLength;
        if (over > 0) {
            truncated = true;
            text.delete(0, Character.isLowSurrogate(text.charAt(over)) ? over + 1 : over);
        }
    }
}
