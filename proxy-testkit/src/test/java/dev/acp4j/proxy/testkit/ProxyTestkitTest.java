package dev.acp4j.proxy.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.Method;
import dev.acp4j.trace.TraceEvent;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class ProxyTestkitTest {
    private static final Proxy BRIEF = Proxy.builder("brief", "1")
            .onPrompt((prompt, hop) -> hop.forward(prompt.append(ContentBlock.text("Be brief."))))
            .build();

    private static TraceEvent event(TraceEvent.Type type, String from, String id, String method, String body) {
        return new TraceEvent(
                0,
                type,
                from,
                from.equals("editor") ? "model" : "editor",
                id.isEmpty() ? null : RawJson.parse(id),
                method.isEmpty() ? null : method,
                null,
                RawJson.parse(body));
    }

    private static List<TraceEvent> recording() {
        return List.of(
                event(TraceEvent.Type.REQUEST, "editor", "0", "initialize", "{\"protocolVersion\":1}"),
                event(TraceEvent.Type.RESULT, "model", "0", "", "{\"protocolVersion\":1}"),
                event(TraceEvent.Type.REQUEST, "editor", "1", "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}"),
                event(TraceEvent.Type.RESULT, "model", "1", "", "{\"sessionId\":\"s\"}"),
                event(
                        TraceEvent.Type.REQUEST,
                        "editor",
                        "2",
                        "session/prompt",
                        "{\"sessionId\":\"s\",\"prompt\":[{\"type\":\"text\",\"text\":\"Hello\",\"own\":1.50}]}"),
                event(
                        TraceEvent.Type.REQUEST,
                        "model",
                        "\"q\"",
                        "session/request_permission",
                        "{\"sessionId\":\"s\",\"toolCall\":{\"toolCallId\":\"t\"},\"options\":[]}"),
                event(TraceEvent.Type.RESULT, "editor", "\"q\"", "", "{\"outcome\":{\"outcome\":\"cancelled\"}}"),
                event(
                        TraceEvent.Type.NOTIFICATION,
                        "model",
                        "",
                        "session/update",
                        "{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"own\",\"x\":1.50}}"),
                event(TraceEvent.Type.RESULT, "model", "2", "", "{\"stopReason\":\"end_turn\"}"));
    }

    @Test
    @Tag("PXL-28")
    void eachSideOfAProxyIsScriptedAndChecked() throws Exception {
        try (TestedProxy tested = TestedProxy.of(BRIEF)) {
            tested.initialize(1);
            TestedProxy.Passed passed = tested.exchange(
                    "session/prompt", "{\"sessionId\":\"s\",\"prompt\":[]}", "{\"stopReason\":\"end_turn\"}");
            assertThat(passed.params())
                    .isEqualTo("{\"sessionId\":\"s\",\"prompt\":[{\"type\":\"text\",\"text\":\"Be brief.\"}]}");
            assertThat(passed.result()).isEqualTo("{\"stopReason\":\"end_turn\"}");
            tested.agent().notification("session/update", "{\"sessionId\":\"s\"}");
            assertThatThrownBy(() -> tested.client().expect("_other"))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("expected the method _other")
                    .hasMessageContaining("session/update");
            assertThat(tested.toString()).contains("client:\n--> ", "agent:\n<-- ", "Be brief.");
        }
    }

    @Test
    @Tag("PXL-28")
    void aProxyThatInterceptsNothingMakesNoDifference() throws Exception {
        ProxyDifference difference =
                ProxyDifference.of(Proxy.builder("nothing", "1").build(), recording());
        assertThat(difference.toString()).isEqualTo("0 of 9 messages differ");
        assertThat(difference.isEmpty()).isTrue();
    }

    @Test
    @Tag("PXL-28")
    void theDifferenceThatAProxyMakesToARecordingIsPrinted() throws Exception {
        Proxy all = BRIEF.then(Proxy.builder("policy", "1")
                .onRequest(AgentMethods.NEW_SESSION, (params, hop) -> {
                    var answer = hop.forward();
                    hop.client().send(Method.rawNotification("_hello", Method.Side.CLIENT), RawJson.EMPTY_OBJECT);
                    return answer;
                })
                .onRequest(ClientMethods.REQUEST_PERMISSION, (question, hop) -> {
                    throw RpcError.invalidRequest("never");
                })
                .onNotification(ClientMethods.UPDATE, (update, hop) -> {})
                .build());

        assertThat(ProxyDifference.of(all, recording()).toString()).isEqualTo("""
                _hello, to the client
                + {}
                session/prompt, to the agent
                - {"sessionId":"s","prompt":[{"type":"text","text":"Hello","own":1.50}]}
                + {"sessionId":"s","prompt":[{"type":"text","text":"Hello","own":1.50},{"type":"text","text":"Be brief."}]}
                session/request_permission, to the client
                - {"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[]}
                session/request_permission, to the agent
                - {"outcome":{"outcome":"cancelled"}}
                + {"code":-32600,"message":"never"}
                session/update, to the client
                - {"sessionId":"s","update":{"sessionUpdate":"own","x":1.50}}
                5 of 9 messages differ""");
    }

    @Test
    @Tag("PXL-28")
    void aRequestOfTheProxysOwnIsShownAndRefused() throws Exception {
        Proxy asking = Proxy.builder("asking", "1")
                .onPrompt((prompt, hop) -> {
                    try {
                        RawJson unused = hop.agent().call("_own", RawJson.EMPTY_OBJECT);
                    } catch (RpcError e) {
                        return hop.forward(prompt.append(ContentBlock.text(e.message())));
                    }
                    return hop.forward();
                })
                .build();

        ProxyDifference difference = ProxyDifference.of(asking, recording());

        assertThat(difference.toString())
                .contains("_own, to the agent\n+ {}\n")
                .contains("the recording has no answer to this");
        assertThat(difference.changes()).hasSize(2);
    }

    /** A proxy that is none: it writes numbers anew. */
    static final class Decoding extends TransparentProxyContract {
        @Override
        protected AutoCloseable place(Transport client, Transport agent) {
            return Proxy.builder("decoding", "1")
                    .onRequests(
                            Method.Side.AGENT,
                            method -> method.equals("_own"),
                            (params, hop) ->
                                    hop.forward(RawJson.parse(params.toString().replace("1.50", "1.5"))))
                    .build()
                    .join(client, agent);
        }
    }

    @Test
    @Tag("PXL-28")
    void theContractFindsAProxyThatIsNotTransparent() throws Exception {
        Decoding decoding = new Decoding();
        decoding.start();
        try {
            assertThatThrownBy(decoding::requestsAndAnswersPassByteForByteInBothDirections)
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("1.50");
        } finally {
            decoding.close();
        }
    }
}
