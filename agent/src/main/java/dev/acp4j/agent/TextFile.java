package dev.acp4j.agent;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The text of a file with its encoding, so that it can be written back without unintended changes of bytes.
 *
 * @param text with the line ends, and the byte order mark if any, as they are in the file
 * @param charset UTF-8 or UTF-16 if detected, else ISO-8859-1, which can represent any bytes
 */
record TextFile(String text, Charset charset) {
    private static final int SNIFFED = 8 << 10;
    private static final int LONGEST_LINE = 4 << 10;

    /** Reads a file; null if it is not text. */
    static @Nullable TextFile read(Path path) throws IOException {
        return of(Files.readAllBytes(path));
    }

    /** Returns the text of a file on the disk, or null if it is not text or cannot be read. */
    static @Nullable String textOf(WorkspaceFile file) {
        try {
            TextFile text = read(file.path());
            return text == null ? null : text.text();
        } catch (IOException e) {
            return null;
        }
    }

    /**
     * Returns lines {@code from} to {@code to}, from 1, of a file of any size; none if it is not text or has fewer
     * lines. Only UTF-8 is read, and the end of an overlong line is left out.
     */
    static List<String> someLines(Path path, int from, int to) throws InterruptedException, IOException {
        List<String> lines = new ArrayList<>();
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int number = 1;
        try (InputStream in = new BufferedInputStream(Files.newInputStream(path), SNIFFED)) {
            for (int b = in.read(); b >= 0 && number <= to; b = in.read()) {
                if (b == 0) {
                    return List.of();
                }
                if (b == '\n') {
                    if (number >= from) {
                        lines.add(line.toString(StandardCharsets.UTF_8).stripTrailing());
                    }
                    line.reset();
                    number++;
                    checkInterrupted();
                } else if (number >= from && line.size() < LONGEST_LINE) {
                    line.write(b);
                }
            }
        }
        if (line.size() > 0 && number >= from && number <= to) {
            lines.add(line.toString(StandardCharsets.UTF_8));
        }
        return lines;
    }

    private static void checkInterrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    static @Nullable TextFile of(byte[] bytes) {
        Charset utf16 = utf16(bytes);
        if (utf16 != null) {
            return new TextFile(new String(bytes, utf16), utf16);
        }
        for (int i = 0; i < Math.min(bytes.length, SNIFFED); i++) {
            if (bytes[i] == 0) {
                return null;
            }
        }
        try {
            var text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            return new TextFile(text.toString(), StandardCharsets.UTF_8);
        } catch (CharacterCodingException e) {
            return new TextFile(new String(bytes, StandardCharsets.ISO_8859_1), StandardCharsets.ISO_8859_1);
        }
    }

    /**
     * Returns the bytes of {@code changed} in this file's encoding.
     *
     * @throws CharacterCodingException when the encoding lacks one of the characters
     */
    byte[] encode(String changed) throws CharacterCodingException {
        ByteBuffer buffer = charset.newEncoder().encode(CharBuffer.wrap(changed));
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    /** The byte order mark is part of the text, hence the encodings that neither remove nor add one. */
    private static @Nullable Charset utf16(byte[] bytes) {
        if (bytes.length < 2) {
            return null;
        }
        int mark = (bytes[0] & 0xff) << 8 | (bytes[1] & 0xff);
        return switch (mark) {
            case 0xfeff -> StandardCharsets.UTF_16BE;
            case 0xfffe -> StandardCharsets.UTF_16LE;
            default -> null;
        };
    }
}
