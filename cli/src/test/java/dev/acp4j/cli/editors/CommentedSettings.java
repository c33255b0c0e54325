package dev.acp4j.cli.editors;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Makes settings as people write them: with comments, trailing commas, odd indentation and line ends. */
final class CommentedSettings {
    private final Random random;
    private final String lineEnd;
    private final String unit;
    private final boolean isPlain;
    private final boolean isOneLine;
    private int comments;

    /** @param isPlain whether there are no comments and no trailing commas */
    CommentedSettings(long seed, boolean isPlain) {
        this.random = new Random(seed);
        this.isPlain = isPlain;
        this.lineEnd = random.nextInt(4) == 0 ? "\r\n" : "\n";
        this.unit = List.of("  ", "    ", "\t", " ", "").get(random.nextInt(5));
        this.isOneLine = random.nextInt(8) == 0;
    }

    /** Returns a file with an object under this name, or without one. */
    String file(String name) {
        String mark = !isPlain && random.nextInt(10) == 0 ? "\ufeff" : "";
        String head = comment(true);
        String tail = comment(true) + (random.nextInt(4) == 0 ? "" : lineEnd);
        return mark + head + object("", 3, random.nextInt(3) == 0 ? "" : name) + tail;
    }

    private String object(String indent, int depth, String wanted) {
        int count = random.nextInt(5);
        int place = wanted.isEmpty() ? -1 : random.nextInt(count + 1);
        List<String> members = new ArrayList<>();
        for (int i = 0; i <= count; i++) {
            if (i == place) {
                members.add(string(wanted) + ":" + blank() + object(indent + unit, 1, ""));
            } else if (i < count || place < 0) {
                members.add(string("m" + depth + i + word()) + blank() + ":" + blank() + value(indent + unit, depth));
            }
        }
        if (random.nextInt(6) == 0 && wanted.isEmpty()) {
            members.clear();
        }
        return container('{', members, '}', indent);
    }

    private String value(String indent, int depth) {
        return switch (random.nextInt(depth > 0 ? 7 : 5)) {
            case 0 -> "null";
            case 1 -> Integer.toString(random.nextInt());
            case 2 -> random.nextBoolean() ? "true" : "-1.5e-3";
            case 3, 4 -> string(word() + " // no /* comment */ , } ]" + word());
            case 5 -> {
                List<String> elements = new ArrayList<>();
                for (int i = random.nextInt(3); i > 0; i--) {
                    elements.add(value(indent + unit, depth - 1));
                }
                yield container('[', elements, ']', indent);
            }
            default -> object(indent, depth - 1, "");
        };
    }

    private String container(char open, List<String> items, char close, String indent) {
        StringBuilder out = new StringBuilder().append(open);
        boolean isLine = isOneLine || random.nextInt(6) == 0;
        for (int i = 0; i < items.size(); i++) {
            boolean isComma = i < items.size() - 1 || (!isPlain && random.nextInt(4) == 0);
            if (isLine) {
                out.append(blank()).append(items.get(i)).append(blank()).append(isComma ? "," : "");
                continue;
            }
            out.append(lineEnd);
            if (random.nextInt(5) == 0) {
                out.append(indent).append(unit).append(comment(true)).append(lineEnd);
            }
            out.append(indent)
                    .append(unit)
                    .append(items.get(i))
                    .append(comment(false))
                    .append(isComma ? "," : "");
            out.append(comment(random.nextBoolean()));
        }
        if (items.isEmpty() || isLine) {
            out.append(random.nextBoolean() ? "" : blank()).append(items.isEmpty() ? comment(false) : "");
        } else {
            out.append(random.nextInt(5) == 0 ? lineEnd : "").append(lineEnd).append(indent);
        }
        return out.append(close).toString();
    }

    /** Returns a comment, or nothing; a comment of a line ends the line. */
    private String comment(boolean mayEndLine) {
        if (isPlain || random.nextInt(3) > 0) {
            return "";
        }
        comments++;
        if (mayEndLine && !isOneLine) {
            return " // " + comments + " { \"agent_servers\": /* " + word() + lineEnd;
        }
        return " /* " + comments + " } \"agent_servers\" // " + (isOneLine ? "" : lineEnd) + " */ ";
    }

    private String blank() {
        return random.nextInt(3) == 0 ? " " : "";
    }

    private String word() {
        return List.of("a", "Ünï", "日本", "\\\"q\\\"", "\\\\", "\\u00e9", "x y", "😀")
                .get(random.nextInt(8));
    }

    private static String string(String text) {
        return "\"" + text + "\"";
    }
}
