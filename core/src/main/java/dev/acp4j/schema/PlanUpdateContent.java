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
     * @param rest extension data and unknown members
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
    }
}
