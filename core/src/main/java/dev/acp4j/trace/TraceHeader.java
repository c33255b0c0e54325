package dev.acp4j.trace;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.Names;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The first line of a {@link TraceFile}.
 *
 * @param began the time when the trace began, by the system clock; the seconds of its events count from here
 * @param subject a description of the traced program for people, for example a command
 */
public record TraceHeader(Instant began, String subject) {
    /** Encodes the header for a file, with the version of the format. */
    public static final Codec<TraceHeader> CODEC = new HeaderCodec();

    private static final int VERSION = 1;

    /** Checks for null. */
    public TraceHeader {
        Objects.requireNonNull(began, "began is null");
        Objects.requireNonNull(subject, "subject is null");
    }

    private static final class HeaderCodec implements Codec<TraceHeader> {
        private static final Names MEMBERS = Names.of("trace", "began", "subject");

        @Override
        public TraceHeader decode(JsonReader in) {
            boolean hasVersion = false;
            @Nullable Instant began = null;
            String subject = "";
            int start = in.offset();
            in.beginObject();
            int member;
            while ((member = in.member(MEMBERS)) != JsonReader.END) {
                switch (member) {
                    case 0 -> hasVersion = isVersion(in);
                    case 1 -> began = instant(in);
                    case 2 -> subject = in.string();
                    default -> in.skip();
                }
            }
            if (!hasVersion) {
                throw in.missing("trace", start);
            }
            if (began == null) {
                throw in.missing("began", start);
            }
            return new TraceHeader(began, subject);
        }

        private static boolean isVersion(JsonReader in) {
            int at = in.offset();
            int version = in.int32();
            if (version != VERSION) {
                throw in.invalid("expected version " + VERSION + " of the format, got " + version, at);
            }
            return true;
        }

        private static Instant instant(JsonReader in) {
            int at = in.offset();
            String text = in.string();
            try {
                return Instant.parse(text);
            } catch (DateTimeException e) {
                throw in.invalid("expected a time such as 2026-01-01T00:00:00Z, got " + text, at);
            }
        }

        @Override
        public void encode(TraceHeader header, JsonWriter out) {
            out.beginObject();
            out.name("trace");
            out.int64(VERSION);
            out.name("began");
            out.string(header.began().toString());
            out.name("subject");
            out.string(header.subject());
            out.endObject();
        }
    }
}
