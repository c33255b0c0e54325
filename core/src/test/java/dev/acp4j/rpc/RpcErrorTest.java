package dev.acp4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RpcErrorTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"details":"model not found"}                | session/prompt: Internal error (-32603): model not found
            {"details":{"status":429}}                   | session/prompt: Internal error (-32603): {"status":429}
            "quota\\n\\u001b[31mexceeded"                | session/prompt: Internal error (-32603): quota \ufffd[31mexceeded
            {"reason":"no quota"}                        | session/prompt: Internal error (-32603): no quota
            {"status":400,"accessToken":"hunter2"}       | session/prompt: Internal error (-32603): {"status":400,"accessToken":"***"}
            {"details":"bad key sk-abcdefghijklmnopqrs"} | session/prompt: Internal error (-32603): bad key ***
            {"apiKey":"hunter2"}                         | session/prompt: Internal error (-32603): {"apiKey":"***"}
            {"details":"{\\"token\\":\\"hunter2\\"}"}     | session/prompt: Internal error (-32603): {"token":"***"}
            {"details":"refused: api_key=hunter2"}       | session/prompt: Internal error (-32603): refused: api_key=***
            {"details":"{\\"private_key\\":\\"a,hunter2\\"}"} | session/prompt: Internal error (-32603): {"private_key":"***"}
            {"passphrase":"hunter2"}                     | session/prompt: Internal error (-32603): {"passphrase":"***"}
            "password: hunter2"                          | session/prompt: Internal error (-32603): password: ***
            {"code":1,"body":"{\\"token\\":\\"hunter2\\"}"} | session/prompt: Internal error (-32603): {"code":1,"body":"{\\"token\\":\\"***\\"}"}
            {"headers":{"x-api-key":"hunter2"}}          | session/prompt: Internal error (-32603): {"headers":{"x-api-key":"***"}}
            {"code":1,"private-key":"hunter2"}           | session/prompt: Internal error (-32603): {"code":1,"private-key":"***"}
            {"code":1,"bearer":"hunter2"}                | session/prompt: Internal error (-32603): {"code":1,"bearer":"***"}
            {"kind":"error"}                             | session/prompt: Internal error (-32603)
            null                                         | session/prompt: Internal error (-32603)
            """)
    void theMessageSaysWhatTheDataAdds(String data, String message) {
        var e = RpcError.ofPeer("session/prompt", -32603, "Internal error", RawJson.parse(data));

        assertThat(e).hasMessage(message);
        assertThat(e.message()).isEqualTo("Internal error");
        assertThat(e.data()).hasValue(RawJson.parse(data));
    }

    @ParameterizedTest
    @CsvSource({"-32601, does not support session/load", "-32602, look at what was sent", "-32603, See the peer's log"})
    void theCodeTellsWhatToDo(int code, String step) {
        assertThat(RpcError.ofPeer("session/load", code, "No", null).nextStep())
                .contains(step)
                .endsWith(".");
    }

    @Test
    void theMessageStaysShort() {
        RawJson data = RawJson.string("x".repeat(1_000_000));

        var e = RpcError.ofPeer("session/prompt", -32603, "y".repeat(1_000_000), data);

        assertThat(e.getMessage())
                .hasSizeLessThan(1100)
                .contains("yyy… (-32603): ")
                .endsWith("…");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"password\":\"hunter2hunter2\",\"pad\":\"%s\"}",
                "{\"password\" : \"hunter2hunter2\", \"pad\":\"%s\"}",
                "{\"password\":\"hunter2hunter2%s\"}",
                "{\"details\":\"{\\\"token\\\":\\\"hunter2\\\"} %s\"}"
            })
    void aSecretMemberIsHiddenInLongDataToo(String data) {
        RawJson longData = RawJson.parse(data.formatted("x".repeat(5_000)));

        var e = RpcError.ofPeer("session/prompt", -32603, "Internal error", longData);

        assertThat(e).hasMessageContaining("***").hasMessageNotContaining("hunter2");
    }

    @Test
    void withoutDataThereIsOnlyTheMessage() {
        assertThat(RpcError.ofPeer("initialize", -32603, "not today", null))
                .hasMessage("initialize: not today (-32603)");
    }
}
