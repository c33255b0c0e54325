package dev.acp4j.schema;

import java.util.Objects;

/**
 * What a session has cost so far.
 *
 * @param amount how much, in units of {@code currency}
 * @param currency the unit: a code of ISO 4217 such as {@code USD}, or another such as {@code credits}
 * @param meta extension data of the implementations, empty when there is none
 * @see <a href="https://agentclientprotocol.com/protocol/v1/prompt-turn#session-usage-updates">Usage updates</a>
 */
@Codable
public record Cost(double amount, String currency, Meta meta) {
    @Evolving
    public Cost {
        Objects.requireNonNull(currency, "currency is null");
        Objects.requireNonNull(meta, "meta is null");
        Bounds.finite("amount", amount);
    }

    /** Returns the cost with these members. */
    public static Cost of(double amount, String currency) {
        return new Cost(amount, currency, Meta.EMPTY);
    }

    /** Returns the same with other extension data. */
    public Cost withMeta(Meta meta) {
        return new Cost(amount, currency, meta);
    }
}
