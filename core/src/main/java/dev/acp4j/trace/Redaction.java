package dev.acp4j.trace;

import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.json.Tokens;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;

/**
 * Takes secrets out of what is recorded.
 *
 * <p>{@link #SECRETS} finds them by where they stand: strings in members that are named like secrets, values of
 * environment variables and of HTTP headers; and by how they look: keys and tokens of well-known services, wherever
 * they stand. What the user and the agent say to each other stays. A secret that looks like nothing and stands nowhere
 * special is not found: look before you publish a trace.
 */
public final class Redaction {
    /** Takes out what is or looks like a secret. */
    public static final Redaction SECRETS = new Redaction(true, UnaryOperator.identity());

    /** Takes out nothing. */
    public static final Redaction NONE = new Redaction(false, UnaryOperator.identity());

    private static final String HIDDEN = "***";
    private static final List<String> SECRET_WORDS = List.of(
            "apikey", "token", "secret", "passw", "credential", "bearer", "authorization", "cookie", "privatekey");
    private static final List<String> LISTS_OF_VALUES = List.of("env", "headers");

    private final boolean on;
    private final UnaryOperator<String> known;

    private Redaction(boolean on, UnaryOperator<String> known) {
        this.on = on;
        this.known = known;
    }

    /**
     * Returns what takes out known secrets as well, such as {@code process::withoutSecrets} those of an agent. What is
     * or looks like a secret is then taken out too, also when this was {@link #NONE}: who knows of secrets wants none.
     */
    public Redaction and(UnaryOperator<String> secrets) {
        return new Redaction(true, text -> secrets.apply(known.apply(text)));
    }

    /** Returns the value without secrets. Its shape stays. */
    public RawJson redact(RawJson value) {
        if (!on) {
            return value;
        }
        JsonWriter out = new JsonWriter(value.length() + 16);
        copy(value.reader(), out, Place.ORDINARY);
        return out.toRawJson();
    }

    /** Returns the text without what looks like a secret. */
    public String redact(String text) {
        return on ? known.apply(Tokens.hide(text)) : text;
    }

    /** Returns a line that is no message without what is named like a secret or looks like one. */
    String redactLine(String line) {
        return on ? Tokens.hideNamed(redact(line)) : line;
    }

    /** Where a value stands. */
    private enum Place {
        ORDINARY,
        /** In a list of name and value, or a map from name to value. */
        LIST_OF_VALUES,
        SECRET
    }

    private void copy(JsonReader in, JsonWriter out, Place place) {
        switch (in.kind()) {
            case OBJECT -> object(in, out, place);
            case ARRAY -> {
                in.beginArray();
                out.beginArray();
                while (in.nextElement()) {
                    copy(in, out, place);
                }
                out.endArray();
            }
            case STRING -> string(in, out, place);
            default -> out.raw(in.raw());
        }
    }

    private void object(JsonReader in, JsonWriter out, Place place) {
        in.beginObject();
        out.beginObject();
        while (in.nextMember()) {
            String name = in.name();
            out.name(name);
            copy(in, out, place(name, place));
        }
        out.endObject();
    }

    private static Place place(String member, Place outer) {
        if (outer == Place.LIST_OF_VALUES) {
            return member.equals("name") ? Place.ORDINARY : Place.SECRET;
        }
        if (LISTS_OF_VALUES.contains(member)) {
            return Place.LIST_OF_VALUES;
        }
        String plain = member.replace("_", "").replace("-", "").toLowerCase(Locale.ROOT);
        for (String word : SECRET_WORDS) {
            if (plain.contains(word)) {
                return Place.SECRET;
            }
        }
        return outer;
    }

    private void string(JsonReader in, JsonWriter out, Place place) {
        if (place == Place.SECRET) {
            in.skip();
            out.string(HIDDEN);
            return;
        }
        RawJson raw = in.raw();
        String text = raw.reader().string();
        String redacted = redact(text);
        if (redacted.equals(text)) {
            out.raw(raw);
        } else {
            out.string(redacted);
        }
    }
}
