package dev.acp4j.schema;

import dev.acp4j.schema.codec.Draft;

/**
 * Identifies a provider of models that can be configured, such as {@code main}.
 *
 * @see <a href="https://agentclientprotocol.com/rfds/custom-llm-endpoint">Providers</a>
 */
@Draft
@Unstable
public final class ProviderId extends StringValue {
    private ProviderId(String value) {
        super(value);
    }

    /** Returns the id with this text. */
    public static ProviderId of(String value) {
        return new ProviderId(value);
    }
}
