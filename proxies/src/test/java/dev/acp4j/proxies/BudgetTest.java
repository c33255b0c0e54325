package dev.acp4j.proxies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.proxy.Proxy;
import dev.acp4j.testkit.FakeTime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class BudgetTest {
    private final List<String> notices = Collections.synchronizedList(new ArrayList<>());

    private static String call(int id) {
        return "{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"" + id + "\",\"title\":\"t\"}";
    }

    @Test
    @Tag("RMP-11")
    void whenTheTurnsAreUsedPromptsAreRefusedWithTheLimit() throws Exception {
        try (Between between =
                new Between(Budget.builder().turns(2).onNotice(notices::add).build(), 1, "")) {
            between.opened("/");
            between.prompted("One.");
            between.prompted("Two.");
            between.client.request(70, "session/prompt", Between.prompt("Three."));
            assertThat(Between.text(between.client.expectError(70)))
                    .contains("the budget of this session is spent: 2 of 2 turns");
            assertThat(between.asked("session/set_mode", "{\"sessionId\":\"s\",\"modeId\":\"m\"}", "{}"))
                    .contains("\"m\"");

            between.asked("session/close", "{\"sessionId\":\"s\"}", "{}");
            between.opened("/");
            between.prompted("One.");
        }
        assertThat(notices).containsExactly("A session has nearly used what it may: 2 of 2 turns.");
        assertThatThrownBy(() -> Budget.builder().cost(0)).hasMessageContaining("more than 0 cost");
    }

    @Test
    @Tag("RMP-11")
    void aTurnThatGoesBeyondALimitIsCancelledOnceAndEndsAsTheAgentEndsIt() throws Exception {
        try (Between between = new Between(
                Budget.builder().toolCalls(2).cost(1.5).onNotice(notices::add).build(), 1, "")) {
            between.opened("/");
            // A replay uses nothing.
            between.update(call(90));
            between.clientGets("session/update");
            between.client.request(70, "session/prompt", Between.prompt("Work."));
            var prompt = between.agent.expect("session/prompt");
            for (int id : new int[] {1, 1, 2, 3, 4}) {
                between.update(call(id));
            }
            assertThat(Between.params(between.agent.expect("session/cancel"))).isEqualTo("{\"sessionId\":\"s\"}");
            between.update(
                    "{\"sessionUpdate\":\"usage_update\",\"used\":1,\"size\":2,\"cost\":{\"amount\":1.25,\"currency\":\"USD\"}}");
            between.agent.answer(prompt, "{\"stopReason\":\"cancelled\"}");
            for (int i = 0; i < 6; i++) {
                between.clientGets("session/update");
            }
            assertThat(Between.text(between.client.expectResult(70))).isEqualTo("{\"stopReason\":\"cancelled\"}");

            between.client.request(71, "session/prompt", Between.prompt("More."));
            assertThat(Between.text(between.client.expectError(71))).contains("4 of 2 calls of tools");
            assertThat(between.asked("_next", "{}", "{}")).isEqualTo("{}");
        }
        assertThat(notices)
                .containsExactly(
                        "A session has nearly used what it may: 2 of 2 calls of tools.",
                        "A turn is cancelled, because the session has used more than it may: 3 of 2 calls of tools.",
                        "A session has nearly used what it may: 1.25 of 1.5 cost.");
    }

    @Test
    @Tag("RMP-11")
    void whatTheAgentDoesNotReportIsSaidAndNotCountedAsNothing() throws Exception {
        try (Between between = new Between(
                Budget.builder().tokens(10).cost(1).onNotice(notices::add).build(), 2, VERSION_2)) {
            between.opened("/");
            between.asked("session/prompt", Between.prompt("Hello."), "{}");
            passes(between, RUNNING);
            passes(between, idle(10));
            between.client.request(70, "session/prompt", Between.prompt("More."));
            assertThat(Between.text(between.client.expectError(70))).contains("10 of 10 tokens");
        }
        assertThat(notices)
                .containsExactly(
                        "A session has nearly used what it may: 10 of 10 tokens.",
                        "This agent does not report its cost: the limit does not hold.");
    }

    @Test
    @Tag("RMP-11")
    void inVersion2TheTokensOfTheTurnsAreAddedUpAndARepeatedStateCountsOnce() throws Exception {
        Proxy budget = day(Clock.systemUTC())
                .tokens(25)
                .dayTokens(1000)
                .onNotice(notices::add)
                .build();
        try (Between between = new Between(budget, 2, VERSION_2)) {
            between.opened("/");
            between.asked("session/prompt", Between.prompt("One."), "{}");
            passes(between, RUNNING);
            passes(between, idle(10));
            passes(between, idle(10));
            between.asked("session/prompt", Between.prompt("Two."), "{}");
            // Before the work begins, the state is that of the work before.
            passes(between, idle(10));
            passes(between, RUNNING);
            passes(between, idle(16));

            between.client.request(70, "session/prompt", Between.prompt("Three."));
            assertThat(Between.text(between.client.expectError(70))).contains("26 of 25 tokens");
        }
        try (Between between = new Between(day(Clock.systemUTC()).dayTokens(26).build(), 2, VERSION_2)) {
            between.opened("/");
            between.client.request(70, "session/prompt", Between.prompt("Four."));
            assertThat(Between.text(between.client.expectError(70))).contains("26 of 26 tokens");
        }
    }

    @Test
    @Tag("RMP-11")
    void inVersion2WhatIsReplayedBeforeTheFirstTurnUsesNoTokens() throws Exception {
        Proxy budget = day(Clock.systemUTC()).tokens(25).dayTokens(25).build();
        try (Between between = new Between(budget, 2, VERSION_2)) {
            between.asked(
                    "session/resume", "{\"sessionId\":\"s\",\"cwd\":\"/\",\"replayFrom\":{\"type\":\"start\"}}", "{}");
            passes(between, RUNNING);
            passes(between, idle(1000));
            between.asked("session/prompt", Between.prompt("One."), "{}");
            passes(between, RUNNING);
            passes(between, idle(26));
            between.client.request(70, "session/prompt", Between.prompt("Two."));
            assertThat(Between.text(between.client.expectError(70))).contains("26 of 25 tokens");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @Tag("RMP-11")
    void whatIsReplayedWhenAnOpenSessionIsOpenedAgainUsesNothing(int version) throws Exception {
        String initialized = version == 1 ? ",\"agentCapabilities\":{\"loadSession\":true}" : VERSION_2;
        Proxy budget = day(Clock.systemUTC())
                .tokens(25)
                .dayTokens(25)
                .toolCalls(2)
                .cost(4)
                .dayCost(4)
                .onNotice(notices::add)
                .build();
        try (Between between = new Between(budget, version, initialized)) {
            between.opened("/");
            turn(between, version, 1, 10);

            between.client.request(70, version == 1 ? "session/load" : "session/resume", REOPENED);
            var again = between.agent.expect(version == 1 ? "session/load" : "session/resume");
            for (String update : List.of(RUNNING, used(11), used(12), used(13), cost(0.5), cost(1), idle(10))) {
                if (version == 2 || !update.contains("state_update")) {
                    passes(between, update);
                }
            }
            between.agent.answer(again, "{}");
            assertThat(Between.text(between.client.expectResult(70))).isEqualTo("{}");

            turn(between, version, 2, version == 1 ? 20 : 10);
            between.client.request(71, "session/prompt", Between.prompt("Third."));
            assertThat(Between.text(between.client.expectError(71))).contains("2 of 2 calls of tools");
        }
        assertThat(notices).noneMatch(notice -> notice.contains("cancelled"));
        for (Budget.Builder limited : List.of(
                day(Clock.systemUTC()).dayCost(2), day(Clock.systemUTC()).dayTokens(20))) {
            try (Between between = new Between(limited.build(), version, initialized)) {
                between.opened("/");
                between.client.request(72, "session/prompt", Between.prompt("Fourth."));
                assertThat(Between.text(between.client.expectError(72)))
                        .containsAnyOf("2 of 2 cost", "20 of 20 tokens");
            }
        }
    }

    private static final String REOPENED =
            "{\"sessionId\":\"s\",\"cwd\":\"/\",\"mcpServers\":[],\"replayFrom\":{\"type\":\"start\"}}";

    private static String used(int tool) {
        return "{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"" + tool + "\"}";
    }

    private static String cost(double amount) {
        return "{\"sessionUpdate\":\"usage_update\",\"used\":1,\"size\":2,\"cost\":{\"amount\":" + amount
                + ",\"currency\":\"USD\"}}";
    }

    /** A turn with a call of a tool, that costs 1. */
    private static void turn(Between between, int version, int number, int tokens) throws Exception {
        if (version == 2) {
            between.asked("session/prompt", Between.prompt("Work."), "{}");
            for (String update : List.of(RUNNING, used(number), cost(number), idle(tokens))) {
                passes(between, update);
            }
            return;
        }
        between.client.request(80 + number, "session/prompt", Between.prompt("Work."));
        var prompt = between.agent.expect("session/prompt");
        passes(between, used(number));
        passes(between, cost(number));
        between.agent.answer(
                prompt,
                "{\"stopReason\":\"end_turn\",\"usage\":{\"totalTokens\":" + tokens
                        + ",\"inputTokens\":6,\"outputTokens\":4}}");
        assertThat(Between.text(between.client.expectResult(80 + number))).contains("end_turn");
    }

    @Test
    @Tag("RMP-11")
    void inVersion2ATurnThatIsIdleHasNoTimeAnyMoreUnlessItsWorkIsStillToCome() throws Exception {
        FakeTime time = new FakeTime();
        try (Between between = new Between(
                Budget.builder()
                        .turnTime(Duration.ofSeconds(10))
                        .time(time)
                        .onNotice(notices::add)
                        .build(),
                2,
                VERSION_2)) {
            between.opened("/");
            between.asked("session/prompt", Between.prompt("One."), "{}");
            passes(between, idle(1));
            time.advance(Duration.ofSeconds(20));
            between.asked("session/prompt", Between.prompt("Two."), "{}");
            between.asked("session/prompt", Between.prompt("And this."), "{}");
            passes(between, idle(1));
            passes(between, RUNNING);
            passes(between, idle(1));
            time.advance(Duration.ofSeconds(20));
            assertThat(between.asked("_next", "{}", "{}")).isEqualTo("{}");
            assertThat(notices).isEmpty();

            between.asked("session/prompt", Between.prompt("Three."), "{}");
            passes(between, idle(1));
            passes(between, RUNNING);
            time.awaitWaiters(1);
            time.advance(Duration.ofSeconds(10));
            between.agent.expect("session/cancel");
        }
    }

    private static final String VERSION_2 =
            ",\"info\":{\"name\":\"a\",\"version\":\"1\"},\"capabilities\":{\"session\":{}}";
    private static final String RUNNING = "{\"sessionUpdate\":\"state_update\",\"state\":\"running\"}";

    private static String idle(int tokens) {
        return "{\"sessionUpdate\":\"state_update\",\"state\":\"idle\",\"stopReason\":\"end_turn\","
                + "\"usage\":{\"totalTokens\":" + tokens + ",\"inputTokens\":6,\"outputTokens\":4}}";
    }

    private static void passes(Between between, String update) throws Exception {
        between.update(update);
        assertThat(between.clientGets("session/update")).contains(update);
    }

    @Test
    @Tag("RMP-11")
    void aTurnThatTakesTooLongIsCancelledAndTheNextOneHasItsOwnTime() throws Exception {
        FakeTime time = new FakeTime();
        try (Between between = new Between(
                Budget.builder()
                        .turnTime(Duration.ofSeconds(10))
                        .time(time)
                        .onNotice(notices::add)
                        .build(),
                1,
                "")) {
            between.opened("/");
            between.client.request(70, "session/prompt", Between.prompt("Work."));
            var prompt = between.agent.expect("session/prompt");
            time.awaitWaiters(1);
            time.advance(Duration.ofSeconds(8));
            time.awaitWaiters(1);
            time.advance(Duration.ofSeconds(2));
            between.agent.expect("session/cancel");
            between.agent.answer(prompt, "{\"stopReason\":\"cancelled\"}");
            assertThat(Between.text(between.client.expectResult(70))).isEqualTo("{\"stopReason\":\"cancelled\"}");

            between.prompted("More.");
        }
        assertThat(notices)
                .containsExactlyInAnyOrder(
                        "A turn has nearly taken the time that it may: 10.0 s.",
                        "A turn is cancelled, because it has taken longer than it may: 10.0 s.");
    }

    @TempDir
    private Path folder;

    @Test
    @Tag("RMP-11")
    void theDayIsSharedByWhoeverHasItsFolderAndEndsAtMidnight() throws Exception {
        Clock today = Clock.fixed(Instant.parse("2026-01-31T12:00:00Z"), ZoneOffset.UTC);
        Proxy one = day(today).dayTurns(2).dayCost(10).build();
        Proxy other = day(today).dayTurns(2).dayCost(10).build();
        try (Between first = new Between(one, 1, "");
                Between second = new Between(other, 1, "")) {
            first.opened("/");
            second.opened("/");
            first.prompted("One.");
            Files.writeString(folder.resolve("2026-01-31.jsonl"), "{\"cost\":", StandardOpenOption.APPEND);
            second.prompted("Two.");
            for (Between each : new Between[] {first, second}) {
                each.client.request(70, "session/prompt", Between.prompt("Three."));
                assertThat(Between.text(each.client.expectError(70)))
                        .contains("the budget of this day is spent, until midnight: 2 of 2 turns");
            }
        }
        Proxy tomorrow =
                day(Clock.offset(today, Duration.ofDays(1))).dayTurns(2).build();
        try (Between between = new Between(tomorrow, 1, "")) {
            between.opened("/");
            between.prompted("One.");
        }
        assertThat(notices).contains("This day has nearly used what it may: 2 of 2 turns.");
        assertThatThrownBy(() -> Budget.builder().dayTurns(1).build()).hasMessageContaining("needs a folder");
    }

    @Test
    @Tag("RMP-11")
    void aPromptAndACallThatAreMalformedCountToo() throws Exception {
        String malformed = "{\"sessionId\":\"s\",\"prompt\":[{\"type\":\"text\"}]}";
        try (Between between = new Between(
                Budget.builder().turns(1).toolCalls(1).onNotice(notices::add).build(), 1, "")) {
            between.opened("/");
            between.client.request(70, "session/prompt", malformed);
            var prompt = between.agent.expect("session/prompt");
            for (int id = 1; id <= 2; id++) {
                between.update("{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"" + id + "\"}");
                between.clientGets("session/update");
            }
            between.agent.expect("session/cancel");
            between.agent.answer(prompt, "{\"stopReason\":\"cancelled\"}");
            between.client.expectResult(70);

            between.client.request(71, "session/prompt", malformed);
            assertThat(Between.text(between.client.expectError(71))).contains("-32600", "1 of 1 turns");
        }
    }

    @Test
    @Tag("RMP-11")
    void aTotalThatFallsBeginsAnew() throws Exception {
        String cost =
                "{\"sessionUpdate\":\"usage_update\",\"used\":1,\"size\":2,\"cost\":{\"amount\":%s,\"currency\":\"USD\"}}";
        try (Between between =
                new Between(day(Clock.systemUTC()).cost(4.5).dayCost(5).build(), 1, "")) {
            between.opened("/");
            between.client.request(70, "session/prompt", Between.prompt("Work."));
            var prompt = between.agent.expect("session/prompt");
            passes(between, cost.formatted(4));
            passes(between, cost.formatted(1));
            between.agent.expect("session/cancel");
            between.agent.answer(prompt, "{\"stopReason\":\"cancelled\"}");
            between.client.expectResult(70);
            between.client.request(71, "session/prompt", Between.prompt("More."));
            assertThat(Between.text(between.client.expectError(71))).contains("5 of 4.5 cost");
        }
        try (Between between = new Between(day(Clock.systemUTC()).dayCost(5).build(), 1, "")) {
            between.opened("/");
            between.client.request(70, "session/prompt", Between.prompt("Work."));
            assertThat(Between.text(between.client.expectError(70))).contains("5 of 5 cost");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1e999", "1e300", "-5"})
    @Tag("RMP-11")
    void anAmountThatNothingCanCostIsAsIfItWereNotReported(String amount) throws Exception {
        String cost =
                "{\"sessionUpdate\":\"usage_update\",\"used\":1,\"size\":2,\"cost\":{\"amount\":%s,\"currency\":\"USD\"}}";
        try (Between between =
                new Between(day(Clock.systemUTC()).cost(10).dayCost(5).build(), 1, "")) {
            between.opened("/");
            between.client.request(70, "session/prompt", Between.prompt("Work."));
            var prompt = between.agent.expect("session/prompt");
            passes(between, cost.formatted(4));
            passes(between, cost.formatted(amount));
            between.agent.answer(prompt, "{\"stopReason\":\"end_turn\"}");
            between.client.expectResult(70);
            between.prompted("More.");
            between.client.request(71, "session/prompt", Between.prompt("Work."));
            prompt = between.agent.expect("session/prompt");
            passes(between, cost.formatted(5));
            between.agent.answer(prompt, "{\"stopReason\":\"end_turn\"}");
            between.client.expectResult(71);
            between.client.request(72, "session/prompt", Between.prompt("More."));
            assertThat(Between.text(between.client.expectError(72))).contains("5 of 5 cost");
        }
        assertThat(notices).containsExactly("This day has nearly used what it may: 4 of 5 cost.");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @Tag("RMP-11")
    void callsOfADayThatUpdatesAnnounceCancelTheTurn(int version) throws Exception {
        String call = "{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"%d\"}";
        try (Between between =
                new Between(day(Clock.systemUTC()).dayToolCalls(1).build(), version, version == 1 ? "" : VERSION_2)) {
            between.opened("/");
            between.client.request(70, "session/prompt", Between.prompt("Work."));
            between.agent.expect("session/prompt");
            passes(between, call.formatted(1));
            passes(between, call.formatted(1));
            passes(between, call.formatted(2));
            between.agent.expect("session/cancel");
            assertThat(notices)
                    .contains("A turn is cancelled, because more was used today than may be: 2 of 1 calls of tools.");
        }
    }

    @Test
    @Tag("RMP-11")
    void aPromptThatTheDayRefusesUsesNoTurnOfTheSession() throws Exception {
        Instant[] now = {Instant.parse("2026-01-31T12:00:00Z")};
        Clock clock = new Clock() {
            @Override
            public ZoneId getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(ZoneId zone) {
                throw new UnsupportedOperationException();
            }

            @Override
            public Instant instant() {
                return now[0];
            }
        };
        Files.writeString(folder.resolve("2026-01-31.jsonl"), "{\"turns\":5}\n");
        try (Between between = new Between(day(clock).turns(1).dayTurns(5).build(), 1, "")) {
            between.opened("/");
            for (int id = 70; id < 73; id++) {
                between.client.request(id, "session/prompt", Between.prompt("Now?"));
                assertThat(Between.text(between.client.expectError(id))).contains("5 of 5 turns");
            }
            now[0] = now[0].plus(Duration.ofDays(1));
            between.prompted("Now.");
        }
    }

    @Test
    @Tag("RMP-11")
    void aDayThatCannotBeKeptEndsNoTurnButTheNextOneDoesNotBegin() throws Exception {
        Clock today = Clock.fixed(Instant.parse("2026-01-31T12:00:00Z"), ZoneOffset.UTC);
        Path file = folder.resolve("2026-01-31.jsonl");
        String end =
                "{\"stopReason\":\"end_turn\",\"usage\":{\"totalTokens\":10,\"inputTokens\":5,\"outputTokens\":5}}";
        try (Between between = new Between(day(today).dayTokens(100).build(), 1, "")) {
            between.opened("/");
            between.client.request(70, "session/prompt", Between.prompt("One."));
            var prompt = between.agent.expect("session/prompt");
            Files.createDirectory(file);
            between.agent.answer(prompt, end);
            assertThat(Between.text(between.client.expectResult(70))).isEqualTo(end);
            assertThat(notices).singleElement().asString().startsWith("The budget of this day cannot be kept");
            between.client.request(71, "session/prompt", Between.prompt("Two."));
            assertThat(Between.text(between.client.expectError(71))).contains("so nothing is begun");

            Files.delete(file);
            between.asked("session/prompt", Between.prompt("Three."), end);
        }
        assertThat(Files.readString(file).strip()).isEqualTo("{\"tokens\":10}");
    }

    @Test
    @Tag("RMP-11")
    void whatWasReadOfTheDayIsNotReadAgain() throws Exception {
        DayLedger ledger = new DayLedger(folder, Clock.fixed(Instant.parse("2026-01-31T12:00:00Z"), ZoneOffset.UTC));
        Path file = folder.resolve("2026-01-31.jsonl");
        ledger.add("turns", 1);
        assertThat(ledger.used()).as("before it is written").containsEntry("turns", 1.0);
        ledger.write();
        assertThat(ledger.used()).containsEntry("turns", 1.0);
        Files.writeString(file, Files.readString(file).replace("1", "7"));
        Files.writeString(file, "{\"turns\":2}\n{\"turns\"", StandardOpenOption.APPEND);
        assertThat(ledger.used()).containsEntry("turns", 3.0);
        Files.writeString(file, ":4}\n", StandardOpenOption.APPEND);
        assertThat(ledger.used()).containsEntry("turns", 7.0);
    }

    private Budget.Builder day(Clock clock) {
        return Budget.builder().day(folder).clock(clock).onNotice(notices::add);
    }

    @Test
    @Tag("RMP-11")
    void aTurnThatGoesBeyondTheDayIsCancelledOnce() throws Exception {
        String cost =
                "{\"sessionUpdate\":\"usage_update\",\"used\":1,\"size\":2,\"cost\":{\"amount\":%s,\"currency\":\"USD\"}}";
        for (int round = 0; round < 2; round++) {
            try (Between between =
                    new Between(day(Clock.systemUTC()).dayCost(10).build(), 1, "")) {
                if (round == 0) {
                    between.opened("/");
                } else {
                    // What the session had cost before it was opened again does not count twice.
                    between.asked("session/resume", "{\"sessionId\":\"s\",\"cwd\":\"/\"}", "{}");
                }
                between.client.request(70, "session/prompt", Between.prompt("Work."));
                var prompt = between.agent.expect("session/prompt");
                between.update(cost.formatted(round == 0 ? "6" : "6.5"));
                between.clientGets("session/update");
                assertThat(between.asked("_next", "{}", "{}")).isEqualTo("{}");
                if (round == 1) {
                    between.update(cost.formatted("11"));
                    between.clientGets("session/update");
                    between.agent.expect("session/cancel");
                }
                between.agent.answer(prompt, "{\"stopReason\":\"cancelled\"}");
                between.client.expectResult(70);
            }
        }
        assertThat(notices).contains("A turn is cancelled, because more was used today than may be: 10.5 of 10 cost.");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @Tag("RMP-11")
    void aTurnThatRunsIsCountedAlsoWhileItsSessionIsOpenedAgain(int version) throws Exception {
        String initialized = version == 1 ? ",\"agentCapabilities\":{\"loadSession\":true}" : VERSION_2;
        Proxy budget = Budget.builder().toolCalls(2).onNotice(notices::add).build();
        try (Between between = new Between(budget, version, initialized)) {
            between.opened("/");
            between.client.request(70, "session/prompt", Between.prompt("Work."));
            var prompt = between.agent.expect("session/prompt");
            if (version == 2) {
                between.agent.answer(prompt, "{}");
                between.client.expectResult(70);
                passes(between, RUNNING);
            }
            between.client.request(71, version == 1 ? "session/load" : "session/resume", REOPENED);
            between.agent.expect(version == 1 ? "session/load" : "session/resume");
            for (int id = 1; id <= 3; id++) {
                passes(between, used(id));
            }
            between.client.request(72, "session/prompt", Between.prompt("More."));
            assertThat(Between.text(between.client.expectError(72))).contains("3 of 2 calls of tools");
            between.agent.expect("session/cancel");
        }
    }
}
