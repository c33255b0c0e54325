package dev.acp4j;

import static dev.acp4j.Joined.client;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.rpc.Message;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionCategory;
import dev.acp4j.schema.SessionConfigValueId;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What agents speak beside the schema, with the messages as Gemini, Codex and Claude send them. */
@Timeout(60)
class VendorDialectTest {
    private static final String MODELS = """
            "models":{"currentModelId":"large","availableModels":[\
            {"modelId":"large","name":"Large","description":"Thinks longer"},{"modelId":"small","name":"Small"}]}\
            """;
    private static final String STEERED = "{\"protocolVersion\":1,\"_meta\":{\"steering\":{\"supported\":true}}}";

    private static String model(Session session) {
        return session.view()
                .configOption(SessionConfigOptionCategory.MODEL)
                .map(option ->
                        ((SessionConfigOption.Select) option).currentValue().value())
                .orElse("");
    }

    @Test
    void modelsOfAnAgentWithoutThatOptionAreOneAndAreSetInTheirOwnWay() throws Exception {
        try (RawAgent agent = new RawAgent(client())) {
            Session session = agent.open("{\"sessionId\":\"s\"," + MODELS + "}");
            assertThat(model(session)).isEqualTo("large");

            FutureTask<List<SessionConfigOption>> setting =
                    RawAgent.started(() -> session.setConfigOption("model", "small"));
            Message asked = agent.answering("session/set_model", "{}");

            assertThat(asked.params()).hasToString("{\"sessionId\":\"s\",\"modelId\":\"small\"}");
            assertThat(setting.get())
                    .singleElement()
                    .satisfies(option -> assertThat(((SessionConfigOption.Select) option).currentValue())
                            .isEqualTo(SessionConfigValueId.of("small")));
            assertThat(model(session)).isEqualTo("small");
        }
    }

    @Test
    void anOptionOfTheAgentComesBeforeItsModels() throws Exception {
        String option =
                "\"configOptions\":[{\"id\":\"llm\",\"name\":\"Model\",\"category\":\"model\",\"type\":\"select\","
                        + "\"currentValue\":\"x\",\"options\":[{\"value\":\"x\",\"name\":\"X\"}]}]";
        try (RawAgent agent = new RawAgent(client())) {
            Session session = agent.open("{\"sessionId\":\"s\"," + MODELS + "," + option + "}");

            assertThat(session.view().configOptions()).hasSize(1);
            assertThat(model(session)).isEqualTo("x");
        }
    }

    @ParameterizedTest
    @CsvSource({"injected, INJECTED", "startedNewTurn, NEW_TURN", "promptRequired, NOT_TAKEN", "_odd, NOT_TAKEN"})
    void aTurnIsSteeredWithoutBeingCancelled(String outcome, Session.Steered steered) throws Exception {
        try (RawAgent agent = new RawAgent(client(), STEERED)) {
            Session session = agent.open();
            Turn turn = session.prompt("go");
            Message prompt = agent.expect("session/prompt");

            FutureTask<Session.Steered> steering = RawAgent.started(() -> session.steer("Leave the tests alone"));
            Message asked = agent.answering("_session/steering", "{\"outcome\":\"" + outcome + "\"}");

            assertThat(asked.params())
                    .hasToString(
                            "{\"sessionId\":\"s\",\"prompt\":[{\"type\":\"text\",\"text\":\"Leave the tests alone\"}]}");
            assertThat(steering.get()).isEqualTo(steered);
            agent.answer(prompt, "{\"stopReason\":\"end_turn\"}");
            assertThat(turn.result().stopReason().value()).isEqualTo("end_turn");
        }
    }

    @Test
    void anAgentThatDoesNotOfferSteeringIsNotAsked() throws Exception {
        try (RawAgent agent = new RawAgent(client())) {
            Session session = agent.open();

            assertThatThrownBy(() -> session.steer("Stop that"))
                    .isInstanceOf(UnsupportedException.class)
                    .hasMessage("the agent does not offer steering a running turn");
        }
    }
}
