package dev.acp4j;

import static dev.acp4j.Joined.client;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.schema.SessionConfigId;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionCategory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Modes and config options are one thing to a client. */
@Timeout(60)
class ConfigOptionTest {
    private static final String MODES = """
            "modes":{"currentModeId":"ask","availableModes":[
            {"id":"ask","name":"Ask","description":"Asks first"},{"id":"code","name":"Code"}]}""";

    private static String option(String id, String category, String value) {
        return """
                {"type":"select","id":"%s","name":"%s","category":"%s","currentValue":"%s",
                 "options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]}""".formatted(id, id, category, value);
    }

    private static String opened(String... members) {
        return "{\"sessionId\":\"s\"," + String.join(",", members) + "}";
    }

    private static String options(String... options) {
        return "\"configOptions\":[" + String.join(",", options) + "]";
    }

    private static List<String> values(List<SessionConfigOption> options) {
        return options.stream()
                .map(option -> option.id() + "=" + ((SessionConfigOption.Select) option).currentValue())
                .toList();
    }

    private static FutureTask<List<SessionConfigOption>> set(Session session, String option, String value) {
        return RawAgent.started(() -> session.setConfigOption(option, value));
    }

    @Test
    void modesAreAnOptionThatIsSetInTheirOwnWay() throws Exception {
        try (RawAgent agent = new RawAgent(client())) {
            Session session = agent.open(opened(MODES));
            SessionConfigOption.Select mode = (SessionConfigOption.Select) session.view()
                    .configOption(SessionConfigOptionCategory.MODE)
                    .orElseThrow();
            FutureTask<List<SessionConfigOption>> setting = set(session, "mode", "code");
            String asked = agent.answering("session/set_mode", "{}").toString();

            assertThat(asked).contains("\"modeId\":\"code\"");
            assertThat(values(setting.get())).containsExactly("mode=code");
            assertThat(values(session.view().configOptions())).containsExactly("mode=code");
            assertThat(values(List.of(mode))).containsExactly("mode=ask");
            assertThat(mode.options().options())
                    .extracting(value -> value.value() + ", " + value.name() + ", " + value.description())
                    .containsExactly("ask, Ask, Asks first", "code, Code, null");
        }
    }

    @Test
    void anAgentsOwnOptionForTheModeTakesThePlaceOfItsModes() throws Exception {
        try (RawAgent agent = new RawAgent(client())) {
            Session session = agent.open(opened(MODES, options(option("way", "mode", "ask"))));
            FutureTask<List<SessionConfigOption>> setting = set(session, "way", "code");
            agent.answer("session/set_config_option", "{" + options(option("way", "mode", "code")) + "}");

            assertThat(values(setting.get())).containsExactly("way=code");

            agent.update("current_mode_update", "\"currentModeId\":\"ask\"");
            agent.update("current_mode_update", "\"currentModeId\":\"unheard-of\"");
            agent.settle();
            assertThat(values(session.view().configOptions())).containsExactly("way=ask");
        }
    }

    @Test
    void modesStandBesideOptionsForOtherThings() throws Exception {
        try (RawAgent agent = new RawAgent(client())) {
            Session session = agent.open(opened(MODES, options(option("model", "model", "ask"))));

            assertThat(values(session.view().configOptions())).containsExactly("mode=ask", "model=ask");

            agent.update("config_option_update", options(option("model", "model", "code")));
            agent.settle();
            assertThat(values(session.view().configOptions())).containsExactly("mode=ask", "model=code");
        }
    }

    @Test
    void aChangeOfModeIsAChangeOfOptions() throws Exception {
        List<SessionEvent> events = Collections.synchronizedList(new ArrayList<>());
        try (RawAgent agent = new RawAgent(client().onEvent((session, event) -> events.add(event)))) {
            Session session = agent.open(opened(MODES));
            Turn turn = session.prompt("go");
            agent.update("current_mode_update", "\"currentModeId\":\"code\"");
            agent.answer("session/prompt", "{\"stopReason\":\"end_turn\"}");
            turn.result();

            assertThat(events).singleElement().isInstanceOfSatisfying(SessionEvent.ConfigChanged.class, changed -> {
                assertThat(values(changed.options())).containsExactly("mode=code");
                assertThat(values(changed.before())).containsExactly("mode=ask");
            });
        }
    }

    @Test
    void anOptionCalledModeWithoutModesIsAnOption() throws Exception {
        try (RawAgent agent = new RawAgent(client())) {
            Session session = agent.open(opened(options(option("mode", "other", "ask"))));
            FutureTask<List<SessionConfigOption>> setting = set(session, "mode", "code");
            agent.answer("session/set_config_option", "{" + options(option("mode", "other", "code")) + "}");

            assertThat(values(setting.get())).containsExactly("mode=code");
            assertThat(session.view().configOptions().getFirst().id()).isEqualTo(SessionConfigId.of("mode"));
        }
    }
}
