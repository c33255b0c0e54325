package dev.acp4j.redaction;

import dev.acp4j.json.RawJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Hides secrets in the output of a program. Traces, reports, error messages and the log use the same one.
 *
 * <p>{@link #SECRETS} finds them by name: values of JSON members, headers, options, parameters of URLs and variables
 * with a name such as {@code apiKey} or {@code DB_PASS}; by context: values of {@code env} and {@code headers},
 * passwords in URLs; and by form: keys and tokens of well-known services, and private keys. {@link #and} adds values
 * that are known to be secrets. The conversation of user and agent, and the contents of files, are searched for known
 * values and forms only. A secret that is split or encoded, or has neither a known form nor a known context, is not
 * found.
 */
public final class Redaction {
    /** Hides everything that is or looks like a secret. */
    public static final Redaction SECRETS = new Redaction(true, KnownValues.NONE);

    /** Hides nothing. */
    public static final Redaction NONE = new Redaction(false, KnownValues.NONE);

    private final boolean on;
    private final KnownValues known;

    private Redaction(boolean on, KnownValues known) {
        this.on = on;
        this.known = known;
    }

    /**
     * Returns a redaction that also hides the secrets of an environment, in any context: values of variables named like
     * secrets, each line of multi-line ones, and passwords in URLs. Values of six or seven characters are matched as
     * whole words only, and shorter ones never. A value that begins with an existing folder is treated as a path, not
     * as a secret. The result hides secrets even if this is {@link #NONE}.
     */
    public Redaction and(Map<String, String> environment) {
        return new Redaction(true, known.and(environment));
    }

    /** Returns the params or the result of a message without secrets. Numbers that are secrets become strings. */
    public RawJson redact(RawJson value) {
        return on ? JsonWalk.withoutSecrets(this, value) : value;
    }

    /** Returns an error, or other JSON whose texts are all texts of a program, without secrets. */
    public RawJson redactError(RawJson error) {
        return on ? JsonWalk.ofProgram(this, error) : error;
    }

    /** Returns a text of a program, such as a line of a log or a message of an error, without secrets. */
    public String redact(String text) {
        return on ? TextWalk.withoutNamed(known.hide(text)) : text;
    }

    /** Returns a text of people without secrets; words about passwords are kept. */
    String redactTalk(String text) {
        return TextWalk.withoutLooks(known.hide(text));
    }

    /**
     * Returns a text of people, or of a file, with something else in the place of each secret: words about passwords
     * are kept.
     *
     * @param other takes a secret as it stands in the text, and returns what to write instead
     */
    public String replace(String text, UnaryOperator<String> other) {
        return on ? TextWalk.withoutLooks(known.hide(text, other), other) : text;
    }

    boolean isKnown(RawJson number) {
        return !known.isEmpty() && !known.hide(number.toString()).equals(number.toString());
    }

    /** Returns the arguments of a command without secrets, such as the argument after {@code --token}. */
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
     * Returns a redaction for the successive lines of one stream: it remembers that a private key has begun until a
     * line contains its end. For use by one thread at a time.
     */
    public UnaryOperator<String> lines() {
        return on ? new SecretLines(this::redact) : UnaryOperator.identity();
    }

    /** Returns such a redaction for lines whose other secrets are hidden elsewhere. */
    public static UnaryOperator<String> lines(UnaryOperator<String> redaction) {
        return new SecretLines(redaction);
    }
}
