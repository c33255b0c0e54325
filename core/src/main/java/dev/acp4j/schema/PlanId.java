package dev.acp4j.schema;

import dev.acp4j.schema.codec.Draft;

/** Identifies a plan within a session. */
@Draft(1)
@Unstable
public final class PlanId extends StringValue {
    private PlanId(String value) {
        super(value);
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static PlanId of(String value) {
        return new PlanId(value);
    }
}
