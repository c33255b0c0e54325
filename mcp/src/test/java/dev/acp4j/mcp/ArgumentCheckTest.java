package dev.acp4j.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Session;
import dev.acp4j.json.RawJson;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ArgumentCheckTest extends McpSession {
    /** It has some 80⁷ ways to fail with a text of 80 characters. */
    private static final String SLOW = "(.*)(.*)(.*)(.*)(.*)(.*)(.*)x$";

    private static ArgumentCheck check(String schema) {
        return ArgumentCheck.of(RawJson.parse(schema));
    }

    @Test
    @Tag("MCX-26")
    void aPatternThatTakesTooLongCostsTheCallAndNotTheTurn() throws Exception {
        ToolServer tools = ToolServer.builder("own", "1")
                .tool(
                        "slow",
                        "Has a pattern",
                        RawJson.parse("{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"pattern\":\""
                                + SLOW + "\"}},\"patternProperties\":{\"" + SLOW + "\":{}}}"),
                        call -> "called")
                .build();
        Session session = connect(
                        McpServers.builder().acp().asks(tool -> false).patience(Duration.ofSeconds(50)),
                        ToolServer.addTo(client.builder(), tools))
                .newSession(with(tools.declaration()));

        assertThat(say(session, "call own.slow {\"a\":\"" + "a".repeat(80) + "\"}"))
                .contains("the pattern takes too long: " + SLOW);
        assertThat(say(session, "call own.slow {\"" + "a".repeat(80) + "\":1}"))
                .contains("the pattern takes too long: " + SLOW);
        assertThat(say(session, "call own.slow {\"a\":\"x\"}")).isEqualTo("called");
    }

    @Test
    @Tag("MCX-26")
    void anInterruptEndsACheck() {
        ArgumentCheck check = check("{\"properties\":{\"a\":{\"pattern\":\"" + SLOW + "\"}}}");

        Thread.currentThread().interrupt();
        String problems = check.problems(RawJson.parse("{\"a\":\"" + "a".repeat(80) + "\"}"));

        assertThat(Thread.interrupted()).isTrue();
        assertThat(problems).contains("interrupted");
    }

    @Test
    @Tag("MCX-26")
    void patternsMeanWhatTheyMean() {
        ArgumentCheck check = check("{\"properties\":{\"a\":{\"pattern\":\"^b+$\"}},"
                + "\"patternProperties\":{\"^n_\":{\"type\":\"integer\"}},\"additionalProperties\":false}");

        assertThat(check.problems(RawJson.parse("{\"a\":\"bb\",\"n_1\":1}"))).isEmpty();
        assertThat(check.problems(RawJson.parse("{\"a\":\"c\"}")))
                .isEqualTo("arguments.a: \"c\" does not match regular expression [^b+$]");
        assertThat(check.problems(RawJson.parse("{\"n_1\":\"x\"}"))).contains("arguments.n_1: ");
        assertThat(check.problems(RawJson.parse("{\"m_1\":1}"))).contains("m_1");
        assertThat(check.problems(RawJson.parse("{\"a\":7}"))).isEmpty();
    }
}
