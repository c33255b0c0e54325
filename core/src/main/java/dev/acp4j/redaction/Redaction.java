package dev.acp4j.redaction;

import dev.acp4j.json.RawJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Takes secrets out of what leaves a program. The same one serves traces, reports, error messages and the log.
 *
 * <p>{@link #SECRETS} finds them by how they are named: values of JSON members, headers, options, parameters of URLs
 * and variables with a name such as {@code apiKey} or {@code DB_PASS}; by where they stand: values of {@code env} and
 * {@code headers}, passwords in URLs; and by how they look: keys and tokens of well-known services, and private keys.
 * {@link #and} adds values that are known to be secrets. What user and agent say to each other, and the contents of
 * files, are searched for known values and looks only. A secret that is cut in two, encoded, looks like nothing and
 * stands nowhere special is not found.
 */
public final class Redaction {
    /** Takes out what is or looks like a secret. */
    public static final Redaction SECRETS = new Redaction(true, KnownValues.NONE);

    /** Takes out nothing. */
    public static final Redaction NONE = new Redaction(false, KnownValues.NONE);

    private final boolean on;
    private final KnownValues known;

    private Redaction(boolean on, KnownValues known) {
        this.on = on;
        this.known = known;
    }

    /**
     * Returns what takes out the secrets of an environment as well, wherever they stand: values of variables that are
     * named like secrets, each line of those with several, and passwords in URLs. Values of six or seven characters are
     * found as words only, and shorter ones not at all. A value that begins with an existing folder is a path and no
     * secret. This takes out secrets also when it was {@link #NONE}.
     */
    public Redaction and(Map<String, String> environment) {
        return new Redaction(true, known.and(environment));
    }

    /** Returns the params or the result of a message without secrets. Numbers that are secrets become strings. */
    public RawJson redact(RawJson value) {
        return on ? JsonWalk.withoutSecrets(this, value) : value;
    }

    /** Returns an error, or other JSON in which all texts are those of a program, without secrets. */
    public RawJson redactError(RawJson error) {
        return on ? JsonWalk.ofProgram(this, error) : error;
    }

    /** Returns a text of a program, such as a line of a log or a message of an error, without secrets. */
    public String redact(String text) {
        return on ? TextWalk.withoutNamed(known.hide(text)) : text;
    }

    /** Returns a text of people: what they say of passwords stays. */
    String redactTalk(String text) {
        return TextWalk.withoutLooks(known.hide(text));
    }

    boolean isKnown(RawJson number) {
        return !known.isEmpty() && !known.hide(number.toString()).equals(number.toString());
    }

    /** Returns arguments of a command without secrets: also without the argument after {@code --token}. */
    public List<String> redact(List<String> arguments) {
        if (!on) {
            return arguments;
        }
        List<String> redacted = new ArrayList<>();
        boolean isValue = false;
        for (String argument : arguments) {
            redacted.add(isValue ? Hidden.MARK : redact(argument));
            isValue = SecretName.isOption(argument);
        }
        return redacted;
    }

    /**
     * Returns what takes secrets out of the lines of one stream, one after another: it remembers that a private key has
     * begun until a line has its end. For use by one thread at a time.
     */
    public UnaryOperator<String> lines() {
        return on ? new SecretLines(this::redact) : UnaryOperator.identity();
    }

    /** Returns what does so, of lines that something else takes the other secrets out of. */
    public static UnaryOperator<String> lines(UnaryOperator<String> redaction) {
        return new SecretLines(redaction);
    }
}
