package dev.acp4j.schema;

import dev.acp4j.json.JsonReader;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Draft;
import dev.acp4j.schema.codec.SkipInvalidItems;
import dev.acp4j.schema.codec.Tag;
import dev.acp4j.schema.codec.Tagged;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A plan. */
@Codable
@Tagged("type")
@Draft(1)
@Unstable
public sealed interface PlanUpdateContent {
    /**
     * A plan as a list of steps.
     *
     * @param planId the plan
     * @param entries all of its steps
     * @param rest extension data and unknown members
     */
    @Codable
    @Tag("items")
    record Items(
            PlanId planId,
            @DefaultOnError(1) @SkipInvalidItems List<PlanEntry> entries,
            Rest rest) implements PlanUpdateContent, Extensible {
        @Evolving
        public Items {
            Objects.requireNonNull(planId, "planId is null");
            entries = List.copyOf(entries);
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns an instance with these members. */
        public static Items of(PlanId planId, List<PlanEntry> entries) {
            return new Items(planId, entries, Rest.NONE);
        }

        /** Returns a copy with other extension data. */
        public Items withMeta(Meta meta) {
            return new Items(planId, entries, rest.withMeta(meta));
        }
    }

    /**
     * A plan in a file.
     *
     * @param planId the plan
     * @param uri the address of the file
     * @param rest extension data and unknown members
     * @see <a href="https://agentclientprotocol.com/rfds/plan-operations">Plan operations</a>
     */
    @Codable
    @Tag("file")
    @Draft
    @Unstable
    record File(PlanId planId, String uri, Rest rest) implements PlanUpdateContent, Extensible {
        @Evolving
        public File {
            Objects.requireNonNull(planId, "planId is null");
            Objects.requireNonNull(uri, "uri is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns the plan with these members. */
        public static File of(PlanId planId, String uri) {
            return new File(planId, uri, Rest.NONE);
        }

        /** Returns a copy with other extension data. */
        public File withMeta(Meta meta) {
            return new File(planId, uri, rest.withMeta(meta));
        }
    }

    /**
     * A plan as Markdown text.
     *
     * @param planId the plan
     * @param content the text
     * @param rest extension data and unknown members
     * @see <a href="https://agentclientprotocol.com/rfds/plan-operations">Plan operations</a>
     */
    @Codable
    @Tag("markdown")
    @Draft
    @Unstable
    record Markdown(PlanId planId, String content, Rest rest) implements PlanUpdateContent, Extensible {
        @Evolving
        public Markdown {
            Objects.requireNonNull(planId, "planId is null");
            Objects.requireNonNull(content, "content is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns the plan with these members. */
        public static Markdown of(PlanId planId, String content) {
            return new Markdown(planId, content, Rest.NONE);
        }

        /** Returns a copy with other extension data. */
        public Markdown withMeta(Meta meta) {
            return new Markdown(planId, content, rest.withMeta(meta));
        }
    }

    /**
     * A plan of a type unknown to this version of the library.
     *
     * @param type the unknown value of this member
     * @param raw the original JSON object, which is written unchanged
     */
    record Unknown(String type, RawJson raw) implements PlanUpdateContent {
        public Unknown {
            Objects.requireNonNull(type, "type is null");
            Objects.requireNonNull(raw, "raw is null");
        }

        /** Returns the plan, which plans of every type name; null if it is absent or no string. */
        public @Nullable PlanId planId() {
            JsonReader in = raw.reader();
            in.beginObject();
            while (in.nextMember()) {
                if (in.name().equals("planId") && in.kind() == JsonReader.Kind.STRING) {
                    return PlanId.of(in.string());
                }
                in.skip();
            }
            return null;
        }
    }
}
