package dev.acp4j.schema;

import dev.acp4j.schema.codec.Draft;
import java.util.List;

/**
 * The protocol that a provider of models speaks.
 *
 * @see <a href="https://agentclientprotocol.com/rfds/custom-llm-endpoint">Providers</a>
 */
@Draft
@Unstable
public final class LlmProtocol extends StringValue {
    /** The API of Anthropic. */
    public static final LlmProtocol ANTHROPIC = new LlmProtocol("anthropic");

    /** The API of OpenAI. */
    public static final LlmProtocol OPENAI = new LlmProtocol("openai");

    /** The API of OpenAI on Azure. */
    public static final LlmProtocol AZURE = new LlmProtocol("azure");

    /** The API of Vertex AI on Google Cloud. */
    public static final LlmProtocol VERTEX = new LlmProtocol("vertex");

    /** The API of Bedrock on AWS. */
    public static final LlmProtocol BEDROCK = new LlmProtocol("bedrock");

    private LlmProtocol(String value) {
        super(value);
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static LlmProtocol of(String value) {
        return new LlmProtocol(value);
    }

    /** Returns the constants. */
    public static List<LlmProtocol> known() {
        return StringValueCodec.LLM_PROTOCOL.known();
    }
}
