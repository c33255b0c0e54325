package dev.acp4j.proxies;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.JsonObject;
import dev.acp4j.proxy.RunningProxy;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.testkit.ScriptedPeer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class VendorDialectsTest {
    private static final String MODELS = "{\"sessionId\":\"s\",\"models\":{\"availableModels\":[{\"modelId\":\"a\","
            + "\"name\":\"A\",\"x\":1},{\"modelId\":\"b\"}],\"currentModelId\":\"a\"}}";

    private static String call(String rest) {
        return "{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"c\"," + rest + "}";
    }

    private static String output(String data) {
        return "\"_meta\":{\"terminal_output_delta\":{\"terminal_id\":\"c\",\"data\":\"" + data + "\"}}";
    }

    @Test
    @Tag("RMP-22")
    void outputOfATerminalOfTheAgentIsContentForAPlainClient() throws Exception {
        try (Between between = new Between(VendorDialects.builder().terminals().build(), 1, "")) {
            between.opened("/a");
            between.update("{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"c\",\"title\":\"Run\",\"content\":"
                    + "[{\"type\":\"terminal\",\"terminalId\":\"c\"},{\"type\":\"terminal\",\"terminalId\":\"own\"}],"
                    + "\"_meta\":{\"terminal_info\":{\"terminal_id\":\"c\"}}}");
            assertThat(between.clientGets("session/update")).contains("\"own\"").doesNotContain("\"terminalId\":\"c\"");
            between.update(call(output("\\u001b[31mred\\u001b[0m\\n")));
            assertThat(between.clientGets("session/update"))
                    .contains("```\\nred\\n```")
                    .contains("\"own\"")
                    .contains("terminal_output_delta");
            between.update(call("\"status\":\"completed\",\"_meta\":{\"terminal_exit\":{\"terminal_id\":\"c\","
                    + "\"exit_code\":2,\"signal\":null}}"));
            assertThat(between.clientGets("session/update")).contains("red\\n\\n[Exit code 2]\\n```");
            String other = "{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"d\",\"content\":[],\"x\":1.50}";
            between.update(other);
            assertThat(between.clientGets("session/update")).contains(other);
        }
    }

    @Test
    @Tag("RMP-22")
    void ofALongOutputTheEndIsShownAndNotWithEachPiece() throws Exception {
        try (Between between = new Between(VendorDialects.all(), 1, "")) {
            between.opened("/a");
            String piece = "x".repeat(100);
            long chars = 0;
            int shown = 0;
            for (int i = 0; i < 2_000; i++) {
                between.update(call(output(piece)));
                String got = between.clientGets("session/update");
                chars += got.length();
                shown += got.contains("\"content\"") ? 1 : 0;
            }
            between.update(call("\"status\":\"completed\""));
            assertThat(between.clientGets("session/update")).contains("[The beginning is left out.]");
            assertThat(shown).isBetween(50, 200);
            assertThat(chars).isLessThan(10_000_000);
        }
    }

    @Test
    @Tag("RMP-22")
    void modelsAreAConfigOptionAndTheReverse() throws Exception {
        try (Between between = new Between(VendorDialects.builder().models().build(), 1, "")) {
            between.client.request(50, "session/new", "{\"cwd\":\"/a\",\"mcpServers\":[]}");
            between.agent.answer(between.agent.expect("session/new"), MODELS);
            String option = "{\"id\":\"model\",\"name\":\"Model\",\"category\":\"model\",\"type\":\"select\","
                    + "\"currentValue\":\"a\",\"options\":[{\"value\":\"a\",\"name\":\"A\"},"
                    + "{\"value\":\"b\",\"name\":\"b\"}]}";
            assertThat(Between.text(between.client.expectResult(50)))
                    .contains("\"models\":{", "\"configOptions\":[" + option + "]");

            between.client.request(
                    51, "session/set_config_option", "{\"sessionId\":\"s\",\"configId\":\"model\",\"value\":\"b\"}");
            JsonObject set = between.agent.expect("session/set_model");
            assertThat(Between.params(set)).isEqualTo("{\"sessionId\":\"s\",\"modelId\":\"b\"}");
            between.agent.answer(set, "{}");
            assertThat(Between.text(between.client.expectResult(51))).contains("\"currentValue\":\"b\"");

            between.update("{\"sessionUpdate\":\"config_option_update\",\"configOptions\":[{\"id\":\"own\"}]}");
            assertThat(between.clientGets("session/update"))
                    .contains("[{\"id\":\"own\"},{\"id\":\"model\"", "\"currentValue\":\"b\"");
        }
        try (Between between = new Between(VendorDialects.all(), 1, "")) {
            between.client.request(50, "session/new", "{\"cwd\":\"/a\",\"mcpServers\":[]}");
            between.agent.answer(
                    between.agent.expect("session/new"),
                    "{\"sessionId\":\"s\",\"configOptions\":[{\"id\":\"m\",\"name\":\"M\",\"category\":\"model\","
                            + "\"type\":\"select\",\"currentValue\":\"a\",\"options\":[{\"value\":\"a\",\"name\":\"A\"}]}]}");
            assertThat(Between.text(between.client.expectResult(50)))
                    .contains("\"models\":{\"availableModels\":[{\"modelId\":\"a\",\"name\":\"A\"}],"
                            + "\"currentModelId\":\"a\"}");
            between.client.request(51, "session/set_model", "{\"sessionId\":\"s\",\"modelId\":\"a\"}");
            JsonObject set = between.agent.expect("session/set_config_option");
            assertThat(Between.params(set)).isEqualTo("{\"sessionId\":\"s\",\"configId\":\"m\",\"value\":\"a\"}");
            between.agent.answer(set, "{\"configOptions\":[]}");
            assertThat(Between.text(between.client.expectResult(51))).isEqualTo("{}");
        }
    }

    @Test
    @Tag("RMP-22")
    void whatIsSwitchedOffOrStandardAlreadyPassesAsItCame() throws Exception {
        try (Between between = new Between(VendorDialects.builder().steering().build(), 1, "")) {
            between.asked("session/new", "{\"cwd\":\"/a\",\"mcpServers\":[]}", MODELS);
            String update = call(output("text"));
            between.update(update);
            assertThat(between.clientGets("session/update")).contains(update);
            between.asked("_session/steering", Between.prompt("left"), "{\"outcome\":\"injected\"}");
        }
        try (Between between = new Between(VendorDialects.builder().models().build(), 1, "")) {
            between.opened("/a");
            between.asked("session/set_model", "{\"sessionId\":\"s\",\"modelId\":\"b\"}", "{}");
        }
    }

    @Test
    @Tag("RMP-22")
    void inVersion2APromptToARunningSessionIsSteeringAndTheReverse() throws Exception {
        String meta = "\"_meta\":{\"steering\":{\"supported\":true}}";
        String capability = "\"capabilities\":{\"session\":{\"steering\":{}}}";
        try (Steered steered = new Steered(meta)) {
            assertThat(steered.offered).contains(meta, capability);
            steered.opens();
            steered.state("running");
            steered.client.request(3, "session/prompt", Between.prompt("left"));
            JsonObject asked = steered.agent.expect("_session/steering");
            assertThat(Between.params(asked)).contains("\"left\"", "\"promptRequired\"");
            steered.agent.answer(asked, "{\"outcome\":\"injected\"}");
            assertThat(Between.text(steered.client.expectResult(3))).contains("\"messageId\"");
            steered.state("idle");
            steered.client.request(4, "session/prompt", Between.prompt("left"));
            steered.agent.answer(steered.agent.expect("session/prompt"), "{\"messageId\":\"m\"}");
            assertThat(Between.text(steered.client.expectResult(4))).isEqualTo("{\"messageId\":\"m\"}");
        }
        try (Steered steered = new Steered(capability)) {
            assertThat(steered.offered).contains(meta, capability);
            steered.opens();
            steered.client.request(
                    3,
                    "_session/steering",
                    "{\"sessionId\":\"s\",\"prompt\":[],\"_meta\":{\"steering\":{\"idleBehavior\":\"promptRequired\"}}}");
            assertThat(Between.text(steered.client.expectResult(3))).isEqualTo("{\"outcome\":\"promptRequired\"}");
            steered.state("running");
            steered.client.request(4, "_session/steering", Between.prompt("left"));
            JsonObject asked = steered.agent.expect("session/prompt");
            assertThat(Between.params(asked)).contains("\"left\"");
            steered.agent.answer(asked, "{\"messageId\":\"m\"}");
            assertThat(Between.text(steered.client.expectResult(4))).isEqualTo("{\"outcome\":\"injected\"}");
        }
    }

    /** A client and an agent of version 2, which offers steering in some way. */
    private static final class Steered implements AutoCloseable {
        final ScriptedPeer client;
        final ScriptedPeer agent;
        final String offered;
        private final RunningProxy proxy;

        Steered(String offer) throws Exception {
            MemoryTransport.Pair clientSide = MemoryTransport.pair();
            MemoryTransport.Pair agentSide = MemoryTransport.pair();
            client = new ScriptedPeer(clientSide.right());
            agent = new ScriptedPeer(agentSide.right());
            proxy = VendorDialects.builder().steering().build().join(clientSide.left(), agentSide.left());
            client.request(1, "initialize", "{\"protocolVersion\":2}");
            agent.answer(agent.expect("initialize"), "{\"protocolVersion\":2," + offer + "}");
            offered = Between.text(client.expectResult(1));
        }

        void opens() throws Exception {
            client.request(2, "session/new", "{\"cwd\":\"/a\",\"mcpServers\":[]}");
            agent.answer(agent.expect("session/new"), "{\"sessionId\":\"s\"}");
            assertThat(client.expectResult(2)).isNotNull();
        }

        void state(String state) throws Exception {
            agent.notification(
                    "session/update",
                    "{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"state_update\",\"state\":\"" + state
                            + "\"}}");
            assertThat(client.expect("session/update")).isNotNull();
        }

        @Override
        public void close() {
            client.close();
            agent.close();
            proxy.close();
        }
    }
}
