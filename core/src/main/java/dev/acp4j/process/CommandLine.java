package dev.acp4j.process;

import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.Names;
import dev.acp4j.json.RawJson;
import java.io.File;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Parses a command as people write it: {@code A=b agent 'an argument'}, or JSON. No shell is involved; shell syntax is
 * rejected instead of being passed to the agent.
 */
final class CommandLine {
    private static final Names MEMBERS = Names.of("command", "args", "env");
    private static final Set<String> SHELL_WORDS = Set.of("|", "||", "&", "&&", ";", "<", ">", ">>", "2>", "2>&1");

    private final String text;
    private final boolean windows;
    private final List<String> words = new ArrayList<>();
    private final Map<String, String> environment = new LinkedHashMap<>();

    private final StringBuilder word = new StringBuilder();
    private int at;
    /** The index of the first quoted or escaped character in the current word. */
    private int firstQuoted;

    private CommandLine(String text, boolean windows) {
        this.text = text;
        this.windows = windows;
    }

    static CommandLine parse(String text) {
        return parse(text, File.separatorChar == '\\');
    }

    static CommandLine parse(String text, boolean windows) {
        CommandLine line = new CommandLine(text, windows);
        if (text.strip().startsWith("{")) {
            line.readJson();
        } else {
            line.readWords();
        }
        if (line.words.isEmpty() || line.words.get(0).isBlank()) {
            throw new IllegalArgumentException("no command in: " + text);
        }
        return line;
    }

    /** Returns a command as one line for people. */
    static String text(String command, List<String> arguments) {
        StringBuilder line = new StringBuilder(quote(command));
        for (String argument : arguments) {
            line.append(' ').append(quote(argument));
        }
        return line.toString();
    }

    private static String quote(String word) {
        boolean isPlain = !word.isEmpty() && word.chars().noneMatch(c -> c <= ' ' || c == '\'' || c == '"');
        return isPlain ? word : "'" + word.replace("'", "'\\''") + "'";
    }

    String command() {
        return words.get(0);
    }

    List<String> arguments() {
        return words.subList(1, words.size());
    }

    Map<String, String> environment() {
        return environment;
    }

    private void readWords() {
        skipSpace();
        while (at < text.length()) {
            readWord();
            finishWord();
            skipSpace();
        }
    }

    private void skipSpace() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
    }

    private void readWord() {
        word.setLength(0);
        firstQuoted = Integer.MAX_VALUE;
        while (at < text.length() && !Character.isWhitespace(text.charAt(at))) {
            char c = text.charAt(at++);
            if (c == '\'' || c == '"') {
                markQuoted();
                readQuoted(c);
            } else if (c == '\\' && !windows) {
                markQuoted();
                appendNext("the command ends with a backslash: ");
            } else {
                word.append(c);
            }
        }
    }

    private void markQuoted() {
        firstQuoted = Math.min(firstQuoted, word.length());
    }

    private void readQuoted(char quote) {
        while (at < text.length() && text.charAt(at) != quote) {
            char c = text.charAt(at++);
            if (c == '\\' && quote == '"' && isEscapable()) {
                appendNext("");
            } else {
                word.append(c);
            }
        }
        if (at == text.length()) {
            throw new IllegalArgumentException("a " + quote + " is not closed in: " + text);
        }
        at++;
    }

    /** On Windows the backslash separates folders in paths, so it escapes only the quotation mark. */
    private boolean isEscapable() {
        if (at == text.length()) {
            return false;
        }
        char next = text.charAt(at);
        return next == '"' || (!windows && (next == '\\' || next == '$' || next == '`'));
    }

    private void appendNext(String complaint) {
        if (at == text.length()) {
            throw new IllegalArgumentException(complaint + text);
        }
        word.append(text.charAt(at++));
    }

    private void finishWord() {
        String plain = word.toString();
        boolean isUnquoted = firstQuoted == Integer.MAX_VALUE;
        if (isUnquoted && SHELL_WORDS.contains(plain)) {
            throw new IllegalArgumentException(
                    "\"" + plain + "\" needs a shell; quote it, or use: sh -c '…'. The command was: " + text);
        }
        int equals = plain.indexOf('=');
        if (words.isEmpty() && equals > 0 && equals < firstQuoted && isName(plain, equals)) {
            environment.put(plain.substring(0, equals), plain.substring(equals + 1));
        } else if (plain.startsWith("~/") && firstQuoted > 1) {
            words.add(System.getProperty("user.home") + plain.substring(1));
        } else {
            words.add(plain);
        }
    }

    private static boolean isName(String text, int end) {
        for (int i = 0; i < end; i++) {
            char c = text.charAt(i);
            boolean isLetter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
            if (!isLetter && (i == 0 || c < '0' || c > '9')) {
                return false;
            }
        }
        return true;
    }

    private void readJson() {
        try {
            readObject(RawJson.parse(text.strip()).reader("agent"));
        } catch (JsonException e) {
            throw new IllegalArgumentException(
                    "not a command: " + e.getMessage()
                            + ". Expected {\"command\": text, \"args\": [text], \"env\": {name: text}}",
                    e);
        }
    }

    private void readObject(JsonReader in) {
        int start = in.offset();
        @Nullable String command = null;
        List<String> arguments = new ArrayList<>();
        in.beginObject();
        int member = in.member(MEMBERS);
        while (member != JsonReader.END) {
            switch (member) {
                case 0 -> command = in.string();
                case 1 -> readArguments(in, arguments);
                case 2 -> readEnvironment(in);
                default -> throw in.invalid("unknown member \"" + in.name() + "\"", in.offset());
            }
            member = in.member(MEMBERS);
        }
        in.end();
        if (command == null) {
            throw in.missing("command", start);
        }
        words.add(command);
        words.addAll(arguments);
    }

    private static void readArguments(JsonReader in, List<String> arguments) {
        in.beginArray();
        while (in.nextElement()) {
            arguments.add(in.string());
        }
    }

    private void readEnvironment(JsonReader in) {
        in.beginObject();
        while (in.nextMember()) {
            String name = in.name();
            environment.put(name, in.string());
        }
    }
}
