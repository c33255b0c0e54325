package dev.acp4j.cli.editors;

import dev.acp4j.cli.editors.JsonNode.Item;
import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Changes a text of JSON at one place, in its own style, and leaves every other character as it is. Each change gives a
 * new text; the places of the old one are of no use in it.
 */
final class JsonSplice {
    private static final String STANDARD_INDENT = "  ";

    private final String text;
    private final JsonNode root;
    private final String lineEnd;
    private final String unit;

    /** @param root the value that the text consists of */
    JsonSplice(String text, JsonNode root) {
        this.text = text;
        this.root = root;
        this.lineEnd = lineEnd(text);
        this.unit = unit();
    }

    /** Returns the text of a new file with one value; a text of space and comments stays before it. */
    static String create(String before, JsonValue value) {
        String lineEnd = lineEnd(before);
        boolean isOnNewLine = before.isEmpty() || before.equals("\ufeff") || before.endsWith("\n");
        return before + (isOnNewLine ? "" : lineEnd) + pretty(value, "", STANDARD_INDENT, lineEnd) + lineEnd;
    }

    /** Returns a value as a text of several lines. */
    static String pretty(JsonValue value) {
        return pretty(value, "", STANDARD_INDENT, "\n");
    }

    /**
     * Adds an item at the end of a container.
     *
     * @param name the name of a member; unused in an array
     */
    String add(JsonNode container, String name, JsonValue value) {
        String label = container.isObject() ? JsonString.of(name) + ": " : "";
        if (container.items().isEmpty()) {
            return addFirst(container, label, value);
        }
        Item last = container.items().getLast();
        boolean isComma = last.comma() >= 0;
        StringBuilder changed = new StringBuilder(text);
        if (isOneLine(container)) {
            String added = " " + label + compact(value);
            return changed.insert(last.end(), isComma ? added + "," : "," + added)
                    .toString();
        }
        String indent = indentIn(container);
        String added = lineEnd + indent + label + pretty(value, indent, unit, lineEnd);
        changed.insert(afterComments(last.end()), isComma ? added + "," : added);
        return (isComma ? changed : changed.insert(last.end(), ",")).toString();
    }

    private String addFirst(JsonNode container, String label, JsonValue value) {
        int open = container.start() + 1;
        int close = container.end() - 1;
        StringBuilder changed = new StringBuilder(text);
        boolean isBlank = JsonScanner.space(text, open) == close;
        if (isBlank && isOneLine(root) && !root.items().isEmpty()) {
            return changed.replace(open, close, label + compact(value)).toString();
        }
        String indent = indentIn(container);
        String added = lineEnd + indent + label + pretty(value, indent, unit, lineEnd);
        int at = isBlank ? open : afterAllComments(open);
        boolean isClosedOnOwnLine = hasLineEnd(at, close);
        if (isClosedOnOwnLine) {
            return changed.insert(at, added).toString();
        }
        return changed.replace(at, close, added + lineEnd + indentOfLine(container.start()))
                .toString();
    }

    /** Puts another value in the place of one. */
    String replace(JsonNode value, JsonValue other) {
        boolean staysOnLine = !value.items().isEmpty() && isOneLine(value);
        String written = staysOnLine ? compact(other) : pretty(other, indentOfLine(value.start()), unit, lineEnd);
        return text.substring(0, value.start()) + written + text.substring(value.end());
    }

    /** Takes an item out, with its line and what separates it from the others. */
    String remove(JsonNode container, Item item) {
        StringBuilder changed = new StringBuilder(text);
        List<Item> items = container.items();
        int index = items.indexOf(item);
        boolean isLast = index == items.size() - 1;
        boolean hasOwnLines = startsLine(item.start()) && endsLine(item.end());
        int from = hasOwnLines ? lineEndBefore(item.start()) : item.start();
        int to = item.end();
        if (!hasOwnLines && isLast) {
            boolean joinsLines = startsLine(item.start()) && !followsLineComment(container, index);
            from = joinsLines ? lineEndBefore(item.start()) : beforeBlanks(item.start());
        } else if (!hasOwnLines) {
            to = afterBlanks(item.end());
        }
        changed.delete(from, to);
        if (isLast && item.comma() < 0 && index > 0) {
            changed.deleteCharAt(items.get(index - 1).comma());
        }
        if (items.size() == 1) {
            int open = container.start() + 1;
            int close = container.end() - 1 - (to - from);
            if (JsonScanner.space(changed.toString(), open) == close) {
                changed.delete(open, close);
            }
        }
        return changed.toString();
    }

    /** Returns whether the line before an item may end with a comment, which would swallow what joins that line. */
    private boolean followsLineComment(JsonNode container, int index) {
        int at = index == 0
                ? container.start() + 1
                : container.items().get(index - 1).end();
        boolean isLineComment = false;
        int start = JsonScanner.space(text, at);
        for (int end; (end = JsonScanner.comment(text, start)) >= 0; start = JsonScanner.space(text, end)) {
            isLineComment = text.startsWith("//", start);
        }
        return isLineComment;
    }

    // The style of the text.

    private static String lineEnd(String text) {
        int end = text.indexOf('\n');
        return end > 0 && text.charAt(end - 1) == '\r' ? "\r\n" : "\n";
    }

    /** Returns by how much the items of the root, or else of the first container that has lines, are indented. */
    private String unit() {
        List<JsonNode> containers = new ArrayList<>(List.of(root));
        for (int i = 0; i < containers.size(); i++) {
            JsonNode container = containers.get(i);
            String outer = indentOfLine(container.start());
            for (Item item : container.items()) {
                String inner = indentOfLine(item.start());
                if (startsLine(item.start()) && inner.length() > outer.length() && inner.startsWith(outer)) {
                    return inner.substring(outer.length());
                }
                containers.add(item.value());
            }
        }
        return STANDARD_INDENT;
    }

    private String indentIn(JsonNode container) {
        for (Item item : container.items().reversed()) {
            if (startsLine(item.start())) {
                return indentOfLine(item.start());
            }
        }
        return indentOfLine(container.start()) + unit;
    }

    private String indentOfLine(int index) {
        int begin = beginOfLine(index);
        return text.substring(begin, afterBlanks(begin));
    }

    private boolean isOneLine(JsonNode value) {
        return !hasLineEnd(value.start(), value.end());
    }

    // Places in the text.

    private boolean hasLineEnd(int from, int to) {
        return text.substring(from, to).chars().anyMatch(c -> c == '\n' || c == '\r');
    }

    private int beginOfLine(int index) {
        int begin = index;
        while (begin > 0 && text.charAt(begin - 1) != '\n' && text.charAt(begin - 1) != '\r') {
            begin--;
        }
        return begin == 0 && text.startsWith("\ufeff") ? 1 : begin;
    }

    private boolean startsLine(int index) {
        int begin = beginOfLine(index);
        return begin > 0 && afterBlanks(begin) >= index;
    }

    /** Returns whether nothing but space, and a comment up to the end of the line, stands behind this place. */
    private boolean endsLine(int index) {
        int next = afterBlanks(index);
        return next == text.length()
                || text.charAt(next) == '\n'
                || text.charAt(next) == '\r'
                || text.startsWith("//", next);
    }

    /** Returns the index of the line end that precedes the line of this place. */
    private int lineEndBefore(int index) {
        int begin = beginOfLine(index);
        return text.startsWith("\r\n", begin - 2) ? begin - 2 : begin - 1;
    }

    private int afterBlanks(int from) {
        int at = from;
        while (at < text.length() && (text.charAt(at) == ' ' || text.charAt(at) == '\t')) {
            at++;
        }
        return at;
    }

    private int beforeBlanks(int to) {
        int at = to;
        while (at > 0 && (text.charAt(at - 1) == ' ' || text.charAt(at - 1) == '\t')) {
            at--;
        }
        return at;
    }

    /** Returns the index after the comments that begin on the line of this place: they are about what is before it. */
    private int afterComments(int from) {
        int at = from;
        for (int end; (end = JsonScanner.comment(text, afterBlanks(at))) >= 0; ) {
            at = end;
        }
        return at;
    }

    private int afterAllComments(int from) {
        int at = from;
        for (int end; (end = JsonScanner.comment(text, JsonScanner.space(text, at))) >= 0; ) {
            at = end;
        }
        return at;
    }

    // Values.

    private static String pretty(JsonValue value, String indent, String unit, String lineEnd) {
        List<String> parts = new ArrayList<>();
        String inner = indent + unit;
        return switch (value) {
            case JsonObject object -> {
                for (Map.Entry<String, JsonValue> member : object.members().entrySet()) {
                    parts.add(JsonString.of(member.getKey()) + ": " + pretty(member.getValue(), inner, unit, lineEnd));
                }
                yield lines("{", parts, "}", indent, inner, lineEnd);
            }
            case JsonArray array -> {
                if (array.elements().stream().noneMatch(JsonObject.class::isInstance)) {
                    yield compact(array);
                }
                for (JsonValue element : array.elements()) {
                    parts.add(pretty(element, inner, unit, lineEnd));
                }
                yield lines("[", parts, "]", indent, inner, lineEnd);
            }
            default -> compact(value);
        };
    }

    private static String lines(
            String open, List<String> parts, String close, String indent, String inner, String lineEnd) {
        return parts.isEmpty()
                ? open + close
                : open + lineEnd + inner + String.join("," + lineEnd + inner, parts) + lineEnd + indent + close;
    }

    private static String compact(JsonValue value) {
        List<String> parts = new ArrayList<>();
        return switch (value) {
            case JsonObject object -> {
                object.members().forEach((name, member) -> parts.add(JsonString.of(name) + ": " + compact(member)));
                yield "{" + String.join(", ", parts) + "}";
            }
            case JsonArray array -> {
                array.elements().forEach(element -> parts.add(compact(element)));
                yield "[" + String.join(", ", parts) + "]";
            }
            default -> value.toString();
        };
    }
}
