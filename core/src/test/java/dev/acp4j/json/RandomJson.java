package dev.acp4j.json;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;

/** Makes random documents, and breaks them. */
final class RandomJson {
    private static final String[] NUMBERS = {
        "0",
        "-0",
        "7",
        "-1",
        "10",
        "0.0",
        "-0.5",
        "1.50",
        "1e3",
        "1E+3",
        "1e-3",
        "0e0",
        "123456789",
        "2147483648",
        "9007199254740993",
        "9223372036854775807",
        "-9223372036854775808",
        "9223372036854775808",
        "1e400",
        "-1.7976931348623157e308",
        "4.9e-324",
        "12345678901234567890123.456"
    };
    private static final String[] PIECES = {
        "a",
        "text",
        " ",
        "",
        "é",
        "ß",
        "€",
        "日本",
        "😀",
        "\u007f",
        "\u0080",
        "\u2028",
        "\ufeff",
        "\\n",
        "\\\"",
        "\\\\",
        "\\/",
        "\\b\\f\\r\\t",
        "\\u0000",
        "\\u00e9",
        "\\u20AC",
        "\\ud83d\\ude00",
        "\\ud800",
        "\\udc00x",
        "0123456789abcdef0123456789",
        "{",
        "]",
        ",",
        ":"
    };
    private static final String[] NAMES = {
        "a", "b", "type", "_meta", "\\u0061", "", "é", "sessionUpdate", "😀", "\\ud83d\\ude00", "\\n\\\\", "n n", "{"
    };
    private static final String[] SPACES = {"", "", "", "", " ", "\n", "\r\n", "\t", "  "};
    private static final String[] TOKENS = {
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\",
        "null",
        "true",
        "false",
        "0",
        "-",
        "1",
        ".",
        "e",
        "E",
        "+",
        "00",
        "\\u",
        "\\ud800",
        "\\x",
        "\n",
        "\r",
        "\t",
        " ",
        "\u0000",
        "\u001f",
        "NaN",
        "'",
        "/",
        "//",
        "/**/",
        "#",
        "{}",
        "[]",
        "\"\"",
        "é",
        "\f",
        "\u00a0",
        "[[[[[[[[[[[["
    };

    private final Random random;

    RandomJson(Random random) {
        this.random = random;
    }

    Random random() {
        return random;
    }

    byte[] document() {
        StringBuilder out = new StringBuilder();
        value(out, random.nextInt(8) == 0 ? 20 : random.nextInt(5));
        return out.toString().getBytes(StandardCharsets.UTF_8);
    }

    private void value(StringBuilder out, int depth) {
        out.append(one(SPACES));
        int kind = random.nextInt(depth > 0 ? 10 : 5);
        switch (kind) {
            case 0 -> out.append("null");
            case 1 -> out.append(random.nextBoolean());
            case 2 -> out.append(number());
            case 3, 4 -> string(out);
            case 5, 6, 7 -> object(out, depth);
            default -> array(out, depth);
        }
        out.append(one(SPACES));
    }

    private void object(StringBuilder out, int depth) {
        out.append('{').append(one(SPACES));
        for (int i = random.nextInt(depth > 5 ? 2 : 5); i > 0; i--) {
            out.append('"').append(one(NAMES)).append('"').append(one(SPACES)).append(':');
            value(out, depth - 1);
            out.append(i > 1 ? "," + one(SPACES) : "");
        }
        out.append('}');
    }

    private void array(StringBuilder out, int depth) {
        out.append('[').append(one(SPACES));
        for (int i = random.nextInt(depth > 5 ? 2 : 5); i > 0; i--) {
            value(out, depth - 1);
            out.append(i > 1 ? "," : "");
        }
        out.append(']');
    }

    private void string(StringBuilder out) {
        out.append('"');
        if (random.nextInt(6) == 0) {
            out.append("x".repeat(random.nextInt(300)));
        }
        for (int i = random.nextInt(6); i > 0; i--) {
            out.append(one(PIECES));
        }
        out.append('"');
    }

    private String number() {
        return switch (random.nextInt(4)) {
            case 0 -> Long.toString(random.nextLong() >> random.nextInt(64));
            case 1 -> Double.toString(random.nextInt() / 1000.0);
            default -> one(NUMBERS);
        };
    }

    private String one(String[] of) {
        return of[random.nextInt(of.length)];
    }

    /** Changes a document in a few places; it may still be one. */
    byte[] broken(byte[] document) {
        byte[] bytes = document;
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            bytes = mutate(bytes);
        }
        return bytes;
    }

    private byte[] mutate(byte[] bytes) {
        int at = random.nextInt(bytes.length + 1);
        int end = Math.min(bytes.length, at + random.nextInt(4));
        return switch (random.nextInt(6)) {
            case 0 -> Arrays.copyOf(bytes, at);
            case 1 -> splice(bytes, at, end, new byte[0]);
            case 2 -> splice(bytes, at, at, new byte[] {(byte) random.nextInt(256)});
            case 3 -> splice(bytes, at, Math.min(bytes.length, at + 1), new byte[] {(byte) random.nextInt(256)});
            case 4 ->
                splice(bytes, at, random.nextBoolean() ? at : end, one(TOKENS).getBytes(StandardCharsets.UTF_8));
            default -> splice(bytes, at, at, Arrays.copyOfRange(bytes, at, end));
        };
    }

    private static byte[] splice(byte[] bytes, int from, int to, byte[] with) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(bytes, 0, from);
        out.writeBytes(with);
        out.write(bytes, to, bytes.length - to);
        return out.toByteArray();
    }

    /** Puts as many bytes before as behind, which change what it means if they are looked at. */
    byte[] surrounded(byte[] document) {
        byte[] all = new byte[document.length + 2 * random.nextInt(10)];
        Arrays.fill(all, (byte) "0\"]}, e.l\\".charAt(random.nextInt(10)));
        System.arraycopy(document, 0, all, (all.length - document.length) / 2, document.length);
        return all;
    }
}
