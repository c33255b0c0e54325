package dev.acp4j.cli;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages of an agent that cannot be read are missing from what is shown, and every command says so. */
@DisabledOnOs(OS.WINDOWS)
class DroppedMessagesTest {
    /** An agent whose turn has two pieces of text, and between them what stands for LOSS. */
    private static final String AGENT = """
            say() {
              printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":'
              printf '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%s}}}}\\n' "$1"
            }
            answer() { echo '{"jsonrpc":"2.0","id":'$id',"result":'"$1"'}'; }
            while read -r line; do
              id=${line#*'"id":'}; id=${id%%,*}
              case "$line" in
                *'"initialize"'*) answer '{"protocolVersion":1,"agentCapabilities":{},"authMethods":[]}';;
                *'"session/new"'*) answer '{"sessionId":"s"}';;
                *'"session/prompt"'*'"sessionId"'*)
                  say '"one "'
                  LOSS
                  say '"two"'
                  answer '{"stopReason":"end_turn"}';;
                *'"session/prompt"'*) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32602,"message":"bad"}}';;
                *'"id"'*) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32601,"message":"unknown"}}';;
              esac
            done
            """;

    private static final String UNREADABLE = AGENT.replace("LOSS", "say 7; say '[]'");

    private static final String HINT = "-v shows each; acp doctor tests the agent.";

    @Test
    void promptSaysHowManyAndItsExitCodeTells() {
        AcpRun run = acp("prompt", "hi").agent("sh", "-c", UNREADABLE).run();

        assertThat(run.exitCode()).as(run.err()).isEqualTo(7);
        assertThat(run.out()).isEqualTo("one two\n");
        assertThat(run.err())
                .containsOnlyOnce("2 messages of the agent could not be read and were dropped")
                .contains(HINT)
                .doesNotContain("protocol:");
    }

    @Test
    void quietIsNotSilent() {
        AcpRun run = acp("prompt", "-q", "hi").agent("sh", "-c", UNREADABLE).run();

        assertThat(run.exitCode()).isEqualTo(7);
        assertThat(run.err()).contains("2 messages of the agent could not be read and were dropped");
    }

    @Test
    void verboseShowsEach() {
        assertThat(acp("prompt", "-v", "hi").agent("sh", "-c", UNREADABLE).run().err())
                .contains(
                        "protocol: notification failed: session/update: params.update.content.text: expected a string")
                .contains("2 messages of the agent could not be read and were dropped");
    }

    @Test
    void jsonHasItInAnEventBeforeTheResult() {
        AcpRun run = acp("prompt", "--json", "hi").agent("sh", "-c", UNREADABLE).run();

        assertThat(run.exitCode()).isEqualTo(7);
        assertThat(run.lines())
                .endsWith(
                        "{\"type\":\"dropped\",\"count\":2}",
                        "{\"type\":\"result\",\"stopReason\":\"end_turn\",\"exitCode\":7}");
        assertThat(run.err()).contains("2 messages of the agent could not be read and were dropped");
    }

    /**
     * What else is lost with a line that is no message: one without its version, half a line, one behind a log text.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "echo '{\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\",\"update\":{}}}'",
                "echo '{\"jsonrpc\":\"2.0\",\"method\":\"session/upd'",
                "printf 'thinking '; say '\"lost\"'"
            })
    void promptSaysThatAMessageIsLost(String loss) {
        AcpRun run = acp("prompt", "hi")
                .agent("sh", "-c", AGENT.replace("LOSS", loss))
                .run();

        assertThat(run.exitCode()).as(run.err()).isEqualTo(7);
        assertThat(run.err()).contains("1 message of the agent could not be read and was dropped");
    }

    /** Log lines, as text or JSON, and notifications of vendors: clients ignore them, and nobody misses them. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "echo '[info] thinking'",
                "echo '{\"level\":30,\"msg\":\"thinking\"}'",
                "echo '{\"jsonrpc\":\"2.0\",\"method\":\"vendor/progress\",\"params\":{}}'"
            })
    void whatNobodyMissesIsNoLoss(String noise) {
        AcpRun run = acp("prompt", "hi")
                .agent("sh", "-c", AGENT.replace("LOSS", noise))
                .run();

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err()).doesNotContain("dropped");
    }

    @Test
    void chatSaysItOnceATurn() {
        AcpRun run = acp("chat")
                .agent("sh", "-c", UNREADABLE)
                .input("first\nsecond\n")
                .run();

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out().split("2 messages of the agent could not be read and were dropped", -1))
                .as(run.out())
                .hasSize(3);
        assertThat(run.out()).contains(HINT);
    }

    @Test
    void doctorCallsItAProblem() {
        AcpRun run = acp("doctor", "--timeout", "5s", "--prompt", "hi")
                .agent("sh", "-c", UNREADABLE)
                .run();

        assertThat(run.exitCode()).as(run.out()).isEqualTo(7);
        assertThat(run.out())
                .containsPattern("✗ prompt      ended with end_turn after \\d+ ms and 4 updates;"
                        + " messages that could not be read: 2")
                .contains("✗ rules       messages that could not be read: ")
                .contains("| an invalid update: params.update.content.text: expected a string");
    }
}
