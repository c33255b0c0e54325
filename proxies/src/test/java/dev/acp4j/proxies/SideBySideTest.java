package dev.acp4j.proxies;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Client;
import dev.acp4j.Session;
import dev.acp4j.Turn;
import dev.acp4j.process.Launch;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.Version;
import dev.acp4j.tap.Poll;
import dev.acp4j.testkit.FakeTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(120)
class SideBySideTest {
    @TempDir
    private Path folder;

    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    private Session session(SideBySide.Builder builder, Version version) throws Exception {
        SideBySide both = builder.open();
        open.add(both);
        Client.Builder client = Client.builder("editor", "1").onPermission(question -> {
            throw new AssertionError("the client is asked: " + question.title());
        });
        if (version == Version.V1) {
            client.onReadTextFile((session, request) -> "unsaved");
            client.onWriteTextFile((session, request) -> {
                throw new AssertionError("somebody writes");
            });
        }
        AskingAgent chain = new AskingAgent(both.proxy(), client, version);
        open.add(chain);
        return chain.client().newSession(folder);
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    @Tag("RMP-25")
    void answersStandBelowEachOtherWithTimeAndUse(Version version) throws Exception {
        Session session = session(SideBySide.builder().agent("second", OtherProgram.launch()), version);

        assertThat(session.prompt("hello").text())
                .matches("(?s)first: hello\\s+---\\s+Above: \\*\\*first\\*\\*, [0-9]+ m?s\\s+---\\s+"
                        + "\\*\\*second\\*\\*, [0-9]+ m?s, 1,200 tokens, 0.50 USD\\s+other: hello");
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    @Tag("RMP-25")
    void theUseIsThatOfTheAnswerAlsoWhereAgentsReportThatOfTheSession(Version version) throws Exception {
        Session session = session(SideBySide.builder().agent("second", OtherProgram.launch()), version);

        assertThat(session.prompt("use 300").text()).contains("300 tokens", "1,200 tokens, 0.50 USD");
        // In version 1 the totals of the sessions.
        assertThat(session.prompt(version == Version.V1 ? "use 340" : "use 40").text())
                .contains(" 40 tokens", "1,300 tokens, 0.25 USD");
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    @Tag("RMP-25")
    void theOthersAreOfferedNoWritingAndNoTerminalAndEachQuestionIsRejected(Version version) throws Exception {
        Session session = session(SideBySide.builder().agent("second", OtherProgram.launch()), version);

        assertThat(session.prompt("ask read").text()).endsWith("not allowed");
        assertThat(session.prompt("offered").text()).endsWith((version == Version.V1) + " false false 0 null");
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    @Tag("RMP-25")
    void anAgentThatDoesNotAnswerInTimeIsCancelled(Version version) throws Exception {
        FakeTime time = new FakeTime();
        Session session = session(
                SideBySide.builder()
                        .agent("second", OtherProgram.launch())
                        .limit(Duration.ofMinutes(1))
                        .time(time),
                version);
        Turn turn = session.prompt("wait");
        var events = turn.iterator();
        while (!events.next().toString().contains("Above: ")) {
            // The first has answered, and the second will not.
        }

        time.advance(Duration.ofMinutes(1));

        StringBuilder rest = new StringBuilder();
        events.forEachRemaining(rest::append);
        assertThat(rest).asString().contains("**second** has not answered within 60.0 s, and was cancelled.");
        assertThat(turn.result().stopReason()).isEqualTo(StopReason.END_TURN);
    }

    @Test
    @Tag("RMP-25")
    void nothingIsKeptOfSessionsThatHaveEnded() throws Exception {
        SideBySide both =
                SideBySide.builder().agent("second", OtherProgram.launch()).open();
        open.add(both);
        try (Between between = new Between(both.proxy(), 1, "")) {
            for (int i = 0; i < 100; i++) {
                between.opened(folder.toString());
                between.asked("session/close", "{\"sessionId\":\"s\"}", "{}");
            }
            assertThat(Poll.until(() -> both.ending() == 0)).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    @Tag("RMP-25")
    void anAgentThatCannotAnswerCostsTheFirstNothing(Version version) throws Exception {
        Session session = session(SideBySide.builder().agent("none", Launch.of("no-such-agent-of-acp4j")), version);

        assertThat(session.prompt("hello").text())
                .startsWith("first: hello")
                .contains("**none** could not answer: ")
                .contains("no-such-agent-of-acp4j");
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void cancellingEndsWhatIsStillWaitedFor(Version version) throws Exception {
        Session session = session(SideBySide.builder().agent("second", OtherProgram.launch()), version);
        Turn turn = session.prompt("wait");
        var events = turn.iterator();
        while (!events.next().toString().contains("Above: ")) {
            // The first has answered, and the second will not.
        }

        turn.cancel();

        assertThat(turn.result().stopReason()).isIn(StopReason.CANCELLED, StopReason.END_TURN);
    }
}
