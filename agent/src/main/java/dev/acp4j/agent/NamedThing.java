package dev.acp4j.agent;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a question asks to explain, such as {@code Session} in "what does class Session do?".
 *
 * @param name of a type, a function or a member, the last with its type and a dot before it
 * @param kind the word for it in the question, such as "class"; empty when there is none
 */
record NamedThing(String name, String kind) {
    private static final int LONGEST = 200;
    private static final String KIND =
            "(?:(?<kind>class|interface|record|enum|annotation|type|struct|trait|object|function|method)\\s+)?";
    private static final String NAME = "`?(?<name>[\\p{L}_$][\\w$]*+(?:[.#][\\p{L}_$][\\w$]*+)?)(?:\\(\\))?`?";
    private static final Pattern ASKED = Pattern.compile(
            "(?:(?:what\\s+(?:do(?:es)?|is|are)|what's|whats|explain|describe|tell\\s+me\\s+about|how\\s+does"
                    + "|where\\s+is|who\\s+is)\\s+)(?:the\\s+|an?\\s+)?" + KIND + NAME
                    + "(?:\\s+(?:class|interface|record|enum|annotation|type|method|function))?"
                    + "(?:\\s+(?:do|does|mean|work|for|about|good\\s+for|used\\s+for|defined|declared|implemented))*\\s*[?.!]*",
            Pattern.CASE_INSENSITIVE);

    /** Returns what is asked about; null for any other question. */
    static @Nullable NamedThing in(String sentence) {
        Matcher asked = ASKED.matcher(sentence.strip());
        if (sentence.length() > LONGEST || !asked.matches()) {
            return null;
        }
        String kind = asked.group("kind");
        boolean plainWord = asked.group("name").equals(asked.group("name").toLowerCase(Locale.ROOT));
        String start = sentence.strip().toLowerCase(Locale.ROOT);
        if (kind == null && plainWord && (start.startsWith("wh") || start.startsWith("how"))) {
            return null; // "what is caching" and "how does caching work" are about a word, not about a name
        }
        return new NamedThing(asked.group("name").replace('#', '.'), kind == null ? "" : kind.toLowerCase(Locale.ROOT));
    }

    /** The part before the dot: the name of a type, if this is a type or a member of one. */
    String type() {
        int dot = name.indexOf('.');
        return dot < 0 ? name : name.substring(0, dot);
    }

    /** The name of the member; null for a type. */
    @Nullable
    String member() {
        int dot = name.indexOf('.');
        return dot < 0 ? null : name.substring(dot + 1);
    }

    /** Whether the question is surely about a name of the program: it says so, or no word is written like this. */
    boolean isSurelyAName() {
        return !kind.isEmpty() || IdentifierParts.of(type()).size() > 1;
    }

    /** Whether it may be a type: the question does not call it a function. */
    boolean mayBeType() {
        return !kind.equals("function") && !kind.equals("method");
    }
}
