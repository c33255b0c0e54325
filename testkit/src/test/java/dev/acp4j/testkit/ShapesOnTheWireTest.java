package dev.acp4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.AgentTurn;
import dev.acp4j.ConnectedClient;
import dev.acp4j.ToolCallHandle;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.SessionConfigId;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigSelectOption;
import dev.acp4j.schema.SessionConfigSelectOptions;
import dev.acp4j.schema.SessionConfigValueId;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallLocation;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.ToolKind;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How an agent's settings, paths and changes stand on the wire. */
@Timeout(60)
class ShapesOnTheWireTest {
    private static final Path HERE = Path.of("").toAbsolutePath();

    private final Transports ends = Transports.joined();
    private @Nullable ConnectedClient served;

    @AfterEach
    void close() {
        if (served != null) {
            served.close();
        }
        ends.close();
    }

    private ScriptedPeer clientOf(Agent.Builder agent, String capabilities) throws Exception {
        served = agent.build().connect(ends.agent());
        ScriptedPeer client = new ScriptedPeer(ends.client());
        client.request(1, "initialize", "{\"protocolVersion\":1,\"clientCapabilities\":" + capabilities + "}");
        JsonValue unused = client.expectResult(1);
        return client;
    }

    private static String newSession(String cwd) {
        return "{\"cwd\":" + RawJson.string(cwd) + ",\"mcpServers\":[]}";
    }

    private static String text(JsonValue value) {
        return RawJson.of(value).toString();
    }

    private static Agent.Builder withSettings() {
        SessionConfigOption model = SessionConfigOption.Select.builder(
                        SessionConfigId.of("model"),
                        "Model",
                        SessionConfigValueId.of("big"),
                        SessionConfigSelectOptions.of(
                                List.of(SessionConfigSelectOption.of(SessionConfigValueId.of("big"), "Big"))))
                .build();
        SessionConfigOption fast = SessionConfigOption.Toggle.builder(SessionConfigId.of("fast"), "Fast", true)
                .build();
        return Agent.builder("agent", "1")
                .sessionIds(() -> SessionId.of("s"))
                .onNewSession(session -> session.configOptions(List.of(model, fast)))
                .onSetConfigOption((session, option, value) -> List.of(fast, model))
                .onPrompt(turn -> turn.configOptions(List.of(fast, model)));
    }

    @Test
    @Tag("SCH-18")
    void settingsThatAreOnOrOffGoOnlyToClientsThatCanShowThem() throws Exception {
        ScriptedPeer client = clientOf(withSettings(), "{}");

        client.request(2, "session/new", newSession(HERE.toString()));
        String opened = text(client.expectResult(2));
        client.request(
                3, "session/set_config_option", "{\"sessionId\":\"s\",\"configId\":\"model\",\"value\":\"big\"}");
        String set = text(client.expectResult(3));
        client.request(4, "session/prompt", "{\"sessionId\":\"s\",\"prompt\":[]}");
        String update = text(client.expect("session/update"));

        assertThat(List.of(opened, set, update))
                .allSatisfy(message -> assertThat(message).contains("model").doesNotContain("fast"));
    }

    @Test
    @Tag("SCH-18")
    void aClientThatCanShowThemGetsThemAll() throws Exception {
        ScriptedPeer client = clientOf(withSettings(), "{\"session\":{\"configOptions\":{\"boolean\":{}}}}");

        client.request(2, "session/new", newSession(HERE.toString()));

        assertThat(text(client.expectResult(2)))
                .contains("{\"type\":\"boolean\",\"id\":\"fast\",\"name\":\"Fast\",\"currentValue\":true}");
    }

    @Test
    @Tag("SCH-20")
    void aChangeHasItsPathAndBothTexts() throws Exception {
        JsonObject changed =
                updateOf(turn -> turn.toolCall("Write", ToolKind.EDIT).diff(HERE.resolve("a"), "old", "new"));
        assertThat(text(changed))
                .contains("{\"type\":\"diff\",\"path\":"
                        + RawJson.string(HERE.resolve("a").toString()) + ",\"oldText\":\"old\",\"newText\":\"new\"}");
    }

    @Test
    @Tag("SCH-20")
    void aNewFileHasNoOldText() throws Exception {
        JsonObject created =
                updateOf(turn -> turn.toolCall("Write", ToolKind.EDIT).diff(HERE.resolve("a"), null, "new"));
        assertThat(text(created)).contains(",\"newText\":\"new\"}").doesNotContain("oldText");
    }

    @Test
    @Tag("SCH-12")
    void pathsOfAnotherSystemPassAsTheyAre() throws Exception {
        JsonObject update = updateOf(turn -> {
            ToolCallHandle call = turn.toolCall("Read", ToolKind.READ);
            turn.update(ToolCallUpdate.builder(call.id())
                    .addContent(ToolCallContent.diff("C:\\w\\a", null, "x"))
                    .addLocation(ToolCallLocation.of("\\\\host\\share\\b"))
                    .build());
        });

        assertThat(text(update)).contains("\"C:\\\\w\\\\a\"", "\"\\\\\\\\host\\\\share\\\\b\"");
    }

    @Test
    @Tag("SCH-12")
    void aFolderThatIsNotAbsoluteHereIsRefused() throws Exception {
        ScriptedPeer client = clientOf(Agent.builder("agent", "1").onPrompt(turn -> {}), "{}");

        for (String folder : List.of("", ".", "src/main", "..\\w", "w:x")) {
            client.request(2, "session/new", newSession(folder));
            assertThat(text(client.expectError(2))).contains("-32602", "params.cwd: expected an absolute path");
        }
    }

    private interface Step {
        void in(AgentTurn turn) throws InterruptedException;
    }

    /** Returns the second update of a turn; the first announces the tool call. */
    private JsonObject updateOf(Step step) throws Exception {
        ScriptedPeer client = clientOf(
                Agent.builder("agent", "1").sessionIds(() -> SessionId.of("s")).onPrompt(step::in), "{}");
        client.request(2, "session/new", newSession(HERE.toString()));
        JsonValue unused = client.expectResult(2);
        client.request(3, "session/prompt", "{\"sessionId\":\"s\",\"prompt\":[]}");
        JsonObject announced = client.expect("session/update");
        assertThat(text(announced)).contains("tool_call");
        return client.expect("session/update");
    }
}
