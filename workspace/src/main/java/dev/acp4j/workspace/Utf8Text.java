package dev.acp4j.workspace;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Decodes and encodes the text of a file without replacement characters: a character replaced on reading would be lost
 * on writing.
 */
final class Utf8Text {
    private Utf8Text() {}

    static String decode(Path path, byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CharBuffer out = CharBuffer.allocate(bytes.length);
        CoderResult result = StandardCharsets.UTF_8.newDecoder().decode(in, out, true);
        if (result.isError()) {
            throw new WorkspaceException.NotText(path, "is not UTF-8 text" + offender(bytes, in.position()));
        }
        return out.flip().toString();
    }

    private static String offender(byte[] bytes, int at) {
        int line = 1;
        for (int i = 0; i < at; i++) {
            if (bytes[i] == '\n') {
                line++;
            }
        }
        return ": byte 0x" + Integer.toHexString(bytes[at] & 0xff) + " at offset " + at + ", line " + line
                + " of the bytes read";
    }

    /** @param failed what is said of a path whose text cannot be encoded */
    static ByteBuffer encode(Path path, String failed, String text) {
        try {
            return StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
        } catch (CharacterCodingException e) {
            throw new WorkspaceException.NotText(path, failed + ": the text contains an unpaired surrogate");
        }
    }
}
