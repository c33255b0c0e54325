package dev.acp4j.redaction;

import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import java.util.Set;

/** Walks over a JSON value once and writes it without secrets. For use by one thread, once. */
final class JsonWalk {
    /** Lists of names and values, or maps from one to the other, of which any value may be a secret. */
    private static final Set<String> VALUES = Set.of("env", "environment", "headers", "httpHeaders");

    private static final Set<String> ARGUMENTS =
            Set.of("args", "argv", "arguments", "command", "cmd", "commandLine", "stderr", "error", "errors", "dsn");

    private final Redaction redaction;
    private final JsonReader in;
    private final JsonWriter out;

    /** The context of a value. */
    private enum Place {
        /** Messages of people, and contents of files. */
        TALK,
        /** Texts of programs, where "token" is never part of a conversation. */
        PROGRAM,
        /** Input or output of programs: a text or a list of texts. */
        ARGUMENTS,
        /** A list of names and values, or a map. */
        VALUES,
        /** One name with its value. */
        PAIR
    }

    private JsonWalk(Redaction redaction, RawJson value) {
        this.redaction = redaction;
        this.in = value.reader();
        this.out = new JsonWriter(value.length() + 16);
    }

    /** Returns a message without secrets; messages of people in it are kept. */
    static RawJson withoutSecrets(Redaction redaction, RawJson value) {
        return walk(redaction, value, Place.TALK);
    }

    /** Returns an error without secrets; all texts in it are texts of a program. */
    static RawJson ofProgram(Redaction redaction, RawJson value) {
        return walk(redaction, value, Place.PROGRAM);
    }

    private static RawJson walk(Redaction redaction, RawJson value, Place place) {
        JsonWalk walk = new JsonWalk(redaction, value);
        walk.copy(place, SecretName.ORDINARY);
        return walk.out.toRawJson();
    }

    /** @param name the classification of the name of the value or of an enclosing value */
    private void copy(Place place, SecretName name) {
        JsonReader.Kind kind = in.kind();
        if (kind == JsonReader.Kind.OBJECT) {
            object(place, name.holdsSecrets() ? name : SecretName.ORDINARY);
        } else if (kind == JsonReader.Kind.ARRAY) {
            array(place == Place.VALUES ? Place.PAIR : place, name);
        } else if (kind == JsonReader.Kind.STRING) {
            string(place, name);
        } else if (kind == JsonReader.Kind.NUMBER) {
            number(name);
        } else {
            out.raw(in.raw());
        }
    }

    private void object(Place place, SecretName name) {
        // {"name": "apiKey", "value": "x"} means the same as {"apiKey": "x"}, in either order.
        SecretName ofValue = SecretName.ORDINARY;
        boolean looked = false;
        in.beginObject();
        out.beginObject();
        while (in.nextMember()) {
            String member = in.name();
            out.name(member);
            if (isName(member)) {
                long mark = in.mark();
                ofValue = SecretName.of(in.string());
                in.rewind(mark);
            } else if (member.equals("value") && !looked && !ofValue.isSecret()) {
                ofValue = nameAhead();
                looked = true;
            }
            if (name.isSecret()) {
                copy(place, name);
            } else if (member.equals("value") && ofValue.isSecret()) {
                copy(place, ofValue);
            } else {
                member(member, place);
            }
        }
        out.endObject();
    }

    private boolean isName(String member) {
        return (member.equals("name") || member.equals("key")) && in.kind() == JsonReader.Kind.STRING;
    }

    /**
     * Returns the classification of a name that follows a value. It skips simple members only: nested objects would be
     * scanned repeatedly.
     */
    private SecretName nameAhead() {
        long mark = in.mark();
        SecretName ahead = SecretName.ORDINARY;
        boolean more = isSimple();
        while (more) {
            in.raw();
            more = in.nextMember() && isSimple();
            if (more && isName(in.name())) {
                long before = in.mark();
                SecretName name = SecretName.of(in.string());
                in.rewind(before);
                ahead = name.isSecret() ? name : ahead;
            }
        }
        in.rewind(mark);
        return ahead;
    }

    private boolean isSimple() {
        return in.kind() != JsonReader.Kind.OBJECT && in.kind() != JsonReader.Kind.ARRAY;
    }

    private void member(String member, Place outer) {
        if (outer == Place.VALUES || (outer == Place.PAIR && !member.equals("name"))) {
            copy(Place.PROGRAM, SecretName.SECRET);
        } else if (VALUES.contains(member)) {
            copy(Place.VALUES, SecretName.ORDINARY);
        } else {
            Place inherited = outer == Place.PROGRAM ? Place.PROGRAM : Place.TALK;
            boolean isArgument = inherited == Place.TALK && ARGUMENTS.contains(member);
            copy(isArgument ? Place.ARGUMENTS : inherited, SecretName.of(member));
        }
    }

    private void array(Place place, SecretName name) {
        boolean isValueOfOption = false;
        in.beginArray();
        out.beginArray();
        while (in.nextElement()) {
            boolean isOption = false;
            if (place != Place.TALK && in.kind() == JsonReader.Kind.STRING) {
                long mark = in.mark();
                isOption = SecretName.isOption(in.string());
                in.rewind(mark);
            }
            copy(place, isValueOfOption ? SecretName.SECRET : name);
            isValueOfOption = isOption;
        }
        out.endArray();
    }

    private void string(Place place, SecretName name) {
        RawJson raw = in.raw();
        String text = raw.reader().string();
        if (name.hides(text)) {
            out.string(Hidden.MARK);
            return;
        }
        String redacted = switch (place) {
            case TALK -> redaction.redactTalk(text);
            case PAIR -> redaction.redact(assignment(text));
            case PROGRAM, ARGUMENTS, VALUES -> redaction.redact(text);
        };
        if (redacted.equals(text)) {
            out.raw(raw);
        } else {
            out.string(redacted);
        }
    }

    /** Hides the value in a list of values such as {@code NAME=value}, regardless of its name. */
    private static String assignment(String text) {
        int equals = text.indexOf('=');
        return equals < 0 ? text : text.substring(0, equals + 1) + Hidden.MARK;
    }

    private void number(SecretName name) {
        RawJson number = in.raw();
        if (name.hidesNumbers() || redaction.isKnown(number)) {
            out.string(Hidden.MARK);
        } else {
            out.raw(number);
        }
    }
}
