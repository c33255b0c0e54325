package dev.acp4j;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Text in UTF-8 that comes in pieces, between which a character may be split. What is no UTF-8 is replaced. */
final class Utf8Pieces {
    private final CharsetDecoder decoder = StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .onUnmappableCharacter(CodingErrorAction.REPLACE);
    private ByteBuffer left = ByteBuffer.allocate(0);

    /** Returns all characters that are complete now. */
    String add(byte[] bytes) {
        ByteBuffer in =
                ByteBuffer.allocate(left.remaining() + bytes.length).put(left).put(bytes);
        in.flip();
        CharBuffer out = CharBuffer.allocate(in.remaining() + 1);
        // The result says only whether input is left, which is kept for the next time anyway.
        var unused = decoder.decode(in, out, false);
        left = in.slice();
        return out.flip().toString();
    }
}
