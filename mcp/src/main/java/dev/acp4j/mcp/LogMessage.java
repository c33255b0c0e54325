package dev.acp4j.mcp;

import dev.acp4j.json.JsonReader;
import dev.acp4j.json.RawJson;
import dev.acp4j.redaction.Redaction;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A log message of a server.
 *
 * @param level how serious it is
 * @param logger what of the server has written it, or null; at most 200 characters, without such values, too
 * @param text what it says: a text as it is, anything else as JSON; at most 4,000 characters, without values that the
 *     client has declared for the server
 * @see McpServers.Builder#onLog
 */
public record LogMessage(Level level, @Nullable String logger, String text) {
    private static final int MOST = 4_000;
    private static final int MOST_LOGGER = 200;

    public LogMessage {
        Objects.requireNonNull(level, "level is null");
        Objects.requireNonNull(text, "text is null");
    }

    /** How serious a message is, the least first. */
    public enum Level {
        /** For those who develop the server. */
        DEBUG,
        /** What happens in its course. */
        INFO,
        /** What is unusual and no problem. */
        NOTICE,
        /** What may become one. */
        WARNING,
        /** A failure. */
        ERROR,
        /** A part of the server has failed. */
        CRITICAL,
        /** Somebody must do something at once. */
        ALERT,
        /** The server cannot be used. */
        EMERGENCY;

        /** Returns the word of the protocol. */
        String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Returns the level of a word; an unknown one counts as information. */
        static Level of(@Nullable String word) {
            for (Level level : values()) {
                if (level.word().equals(word)) {
                    return level;
                }
            }
            return INFO;
        }
    }

    static LogMessage of(Members params, Redaction redaction) {
        RawJson data = params.raw("data");
        String text = data == null
                ? ""
                : data.reader().kind() == JsonReader.Kind.STRING ? data.reader().string() : data.toString();
        String logger = params.text("logger");
        // Before they are cut: of a secret nothing must be left.
        return new LogMessage(
                Level.of(params.text("level")),
                logger == null ? null : cut(redaction.redact(logger), MOST_LOGGER),
                cut(redaction.redact(text), MOST));
    }

    private static String cut(String text, int most) {
        int end = Math.min(most, text.length());
        boolean isSplit = end < text.length() && Character.isHighSurrogate(text.charAt(end - 1));
        return text.substring(0, isSplit ? end - 1 : end);
    }
}
