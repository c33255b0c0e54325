package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.rpc.Message;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HopTest {
    @ParameterizedTest
    @Tag("DUR-42")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"_meta":{"acp/cursor":"a-1"},"n":1.50}              | {"n":1.50}
            {"a":"x","_meta":{"acp/cursor":"a-1","own":{"b":1}}} | {"_meta":{"own":{"b":1}},"a":"x"}
            {"_meta":{"acp/turnState":{"state":"idle"}}}         | {}
            {"text":"say \\"acp/cursor\\" twice"}                | {"text":"say \\"acp/cursor\\" twice"}
            {"_meta":null,"text":"acp"}                          | {"_meta":null,"text":"acp"}
            """)
    void membersOfTheHopAreTakenOutAndOthersKeepTheirBytes(String params, String expected) {
        Message message = Message.parse("{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":" + params + "}");

        assertThat(String.valueOf(Hop.withoutOurs(message).params())).isEqualTo(expected);
    }

    @Test
    @Tag("DUR-42")
    void theOfferToResumeIsNotPassedOn() {
        Message message = Message.parse("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"agentCapabilities\":"
                + "{\"transport\":{\"resumable\":{\"retentionSeconds\":300}},\"loadSession\":true}}}");

        assertThat(String.valueOf(Hop.withoutOurs(message).result()))
                .isEqualTo("{\"agentCapabilities\":{\"loadSession\":true}}");
    }
}
