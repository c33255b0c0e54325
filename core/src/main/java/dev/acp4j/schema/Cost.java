package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Rejecting;
import java.util.Objects;

/**
 * The cost of a session so far.
 *
 * @param amount how much, in units of {@code currency}
 * @param currency the unit: a code of ISO 4217 such as {@code USD}, or another such as {@code credits}
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/prompt-turn#session-usage-updates">Usage updates</a>
 */
@Codable
@Rejecting
public record Cost(double amount, String currency, Rest rest) implements Extensible {
    @Evolving
    public Cost {
        Objects.requireNonNull(currency, "currency is null");
        Objects.requireNonNull(rest, "rest is null");
        Bounds.finite("amount", amount);
    }

    /** Returns the cost with these members. */
    public static Cost of(double amount, String currency) {
        return new Cost(amount, currency, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public Cost withMeta(Meta meta) {
        return new Cost(amount, currency, rest.withMeta(meta));
    }
}
