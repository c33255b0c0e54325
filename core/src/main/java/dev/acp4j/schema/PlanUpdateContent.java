package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.In;
import dev.acp4j.schema.codec.SkipInvalidItems;
import dev.acp4j.schema.codec.Tag;
import dev.acp4j.schema.codec.Tagged;
import java.util.List;
import java.util.Objects;

/** A plan. */
@Codable
@Tagged("type")
@In(2)
@Unstable
public sealed interface PlanUpdateContent {
    /**
     * A plan as a list of steps.
     *
     * @param planId the plan
     * @param entries all of its steps
     * @param rest extension data, and members that are not known here
     */
    @Codable
    @Tag("items")
    record Items(PlanId planId, @SkipInvalidItems List<PlanEntry> entries, Rest rest)
            implements PlanUpdateContent, Extensible {
        @Evolving
        public Items {
            Objects.requireNonNull(planId, "planId is null");
            entries = List.copyOf(entries);
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns one with these members. */
        public static Items of(PlanId planId, List<PlanEntry> entries) {
            return new Items(planId, entries, Rest.NONE);
        }

        /** Returns the same with other extension data. */
        public Items withMeta(Meta meta) {
            return new Items(planId, entries, rest.withMeta(meta));
        }
    }

    /**
     * A plan of a sort that this version of the library does not know.
     *
     * @param type what it calls itself
     * @param raw the JSON object as it came, which is what is written again
     */
    record Unknown(String type, RawJson raw) implements PlanUpdateContent {
        public Unknown {
            Objects.requireNonNull(type, "type is null");
            Objects.requireNonNull(raw, "raw is null");
        }
    }
}
