package dev.acp4j.mcp;

import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AvailableCommand;
import dev.acp4j.schema.AvailableCommandInput;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A prompt of a server as a slash command: {@code /server:prompt words "a text" name=value}. */
record PromptCommand(Prompt prompt) {
    /** A word, with texts in quotes inside of it. What repeats keeps what it has: else each character takes stack. */
    private static final Pattern WORD = Pattern.compile("(?:[^\\s\"']++|\"(?:[^\"\\\\]++|\\\\.)*+\"|'[^']*+'|[\"'])++");

    private static final Pattern QUOTED = Pattern.compile("\"((?:[^\"\\\\]++|\\\\.)*+)\"|'([^']*+)'");
    private static final Pattern SPACE = Pattern.compile("\\s+");

    private record Word(String text, int start) {}

    /** Returns the name without the slash, in which there is no space. */
    String name() {
        return start(prompt.server()) + SPACE.matcher(prompt.name()).replaceAll("-");
    }

    /** Returns how the names of the commands of a server begin. */
    static String start(String server) {
        return SPACE.matcher(server).replaceAll("-") + ":";
    }

    AvailableCommand available() {
        String title = prompt.title() == null ? prompt.name() : prompt.title();
        var command = AvailableCommand.builder(name(), prompt.description().isEmpty() ? title : prompt.description());
        if (!prompt.arguments().isEmpty()) {
            command.input(AvailableCommandInput.Unstructured.of(hint()));
        }
        return command.build();
    }

    private String hint() {
        List<String> names = new ArrayList<>();
        for (Prompt.Argument argument : prompt.arguments()) {
            names.add(argument.isRequired() ? argument.name() : "[" + argument.name() + "]");
        }
        return String.join(" ", names);
    }

    /**
     * Reads the arguments: words in order, or with their names; the last one takes all that is left.
     *
     * @throws RpcError when one is missing, or there are too many
     */
    Map<String, String> arguments(String text) {
        List<String> open = new ArrayList<>();
        prompt.arguments().forEach(argument -> open.add(argument.name()));
        Map<String, String> values = new LinkedHashMap<>();
        List<Word> words = new ArrayList<>();
        for (Word word : words(text)) {
            int equals = word.text().indexOf('=');
            String name = equals < 0 ? "" : word.text().substring(0, equals);
            if (open.remove(name)) {
                values.put(name, unquoted(word.text().substring(equals + 1)));
            } else {
                words.add(word);
            }
        }
        boolean isOnlyWords = values.isEmpty();
        for (int i = 0; i < words.size(); i++) {
            if (open.isEmpty()) {
                throw wrong("it takes no more than that: " + words.get(i).text());
            }
            boolean takesAll = open.size() == 1 && i < words.size() - 1 && isOnlyWords;
            values.put(
                    open.removeFirst(),
                    takesAll
                            ? text.substring(words.get(i).start()).strip()
                            : unquoted(words.get(i).text()));
            if (takesAll) {
                break;
            }
        }
        for (Prompt.Argument argument : prompt.arguments()) {
            if (argument.isRequired() && !values.containsKey(argument.name())) {
                throw wrong("it needs " + argument.name());
            }
        }
        return values;
    }

    private RpcError wrong(String why) {
        return RpcError.invalidParams("/" + name() + " " + hint() + ": " + why);
    }

    private static List<Word> words(String text) {
        List<Word> words = new ArrayList<>();
        Matcher word = WORD.matcher(text);
        while (word.find()) {
            words.add(new Word(word.group(), word.start()));
        }
        return words;
    }

    private static String unquoted(String word) {
        return QUOTED.matcher(word)
                .replaceAll(quoted -> Matcher.quoteReplacement(
                        quoted.group(1) == null
                                ? quoted.group(2)
                                : quoted.group(1).replaceAll("\\\\(.)", "$1")));
    }
}
