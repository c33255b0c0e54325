package dev.acp4j.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.ConnectedClient;
import dev.acp4j.Entry;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.Session;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PermissionOptionId;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.RequestPermissionOutcome;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.ToolCallUpdateBuilder;
import dev.acp4j.schema.ToolKind;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class PermissionsTest {
    private static ConnectedClient agentSide;
    private static ConnectedAgent clientSide;
    private static Session session;
    private static Session another;

    @BeforeAll
    static void openSessions() throws InterruptedException {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        agentSide = Agent.builder("agent", "1").onPrompt(turn -> {}).build().connect(pair.left());
        clientSide = Client.builder("client", "1").connect(pair.right());
        session = clientSide.newSession(Path.of("").toAbsolutePath());
        another = clientSide.newSession(Path.of("").toAbsolutePath());
    }

    @AfterAll
    static void close() {
        clientSide.close();
        agentSide.close();
    }

    @ParameterizedTest
    @Tag("CBK-01")
    @CsvSource(
            delimiter = ';',
            value = {
                "allow_once reject_once;allow_once;reject_once",
                "allow_always allow_once reject_always reject_once;allow_once;reject_once",
                "allow_always reject_always;allow_always;reject_always",
                "allow_always;allow_always;cancelled",
                "reject_once;reject_once;reject_once",
                "allow_all reject_once;reject_once;reject_once",
                "allow_all;cancelled;cancelled",
                "Allow_Once yes;cancelled;cancelled",
                "'';cancelled;cancelled",
            })
    void policiesChooseByKindNeverByPlaceAndNeverAnUnknownKind(String kinds, String allowed, String denied)
            throws Exception {
        PermissionQuestion request = request(call(), kinds.isEmpty() ? new String[0] : kinds.split(" "));

        assertThat(choice(Permissions.allow().decide(request))).isEqualTo(allowed);
        assertThat(choice(Permissions.deny().decide(request))).isEqualTo(denied);
    }

    @Test
    @Tag("CBK-01")
    void optionsThatShareAnIdButNotAMeaningAreNotChosen() throws Exception {
        PermissionQuestion request = request(
                session,
                call(),
                List.of(
                        option("x", PermissionOptionKind.REJECT_ONCE),
                        option("x", PermissionOptionKind.ALLOW_ALWAYS),
                        option("y", PermissionOptionKind.REJECT_ALWAYS)));

        assertThat(choice(Permissions.deny().decide(request))).isEqualTo("y");
        assertThat(choice(Permissions.allow().decide(request))).isEqualTo("y");
    }

    @Test
    @Tag("CBK-01")
    void aUsersChoiceThatSharesItsIdWithAnotherMeaningIsCancelled() throws Exception {
        List<PermissionOption> options =
                List.of(option("x", PermissionOptionKind.ALLOW_ONCE), option("x", PermissionOptionKind.REJECT_ONCE));
        PermissionQuestion request = request(session, call(), options);

        for (PermissionOption option : options) {
            assertThat(choice(Permissions.ask(asked -> option).decide(request))).isEqualTo("cancelled");
            assertThat(choice(request.choose(option))).isEqualTo("cancelled");
        }
        assertThat(choice(request.allowOnce())).isEqualTo("cancelled");
        assertThat(choice(request.rejectOnce())).isEqualTo("cancelled");
    }

    @Test
    @Tag("CBK-02")
    void userSeesAllOptionsAndMayChooseOneOfAnUnknownKind() throws Exception {
        PermissionQuestion request = request(call(), "allow_once", "allow_for_an_hour", "reject_once");
        List<PermissionOption> shown = new ArrayList<>();

        RequestPermissionOutcome outcome = Permissions.ask(asked -> {
                    shown.addAll(asked.options());
                    return asked.options().get(1);
                })
                .decide(request);

        assertThat(shown).isEqualTo(request.options());
        assertThat(choice(outcome)).isEqualTo("allow_for_an_hour");
    }

    @Test
    @Tag("CBK-01")
    void closedDialogDecidesNothing() throws Exception {
        PermissionQuestion request = request(call(), "allow_once", "reject_once");

        assertThat(choice(Permissions.ask(asked -> null).decide(request))).isEqualTo("cancelled");
    }

    @Test
    @Tag("CBK-01")
    void choiceThatWasNotOfferedRefuses() throws Exception {
        PermissionQuestion request = request(call(), "allow_once", "reject_once");
        PermissionOption foreign = option("everything", PermissionOptionKind.ALLOW_ALWAYS);

        assertThat(choice(Permissions.ask(asked -> foreign).decide(request))).isEqualTo("reject_once");
    }

    @Test
    @Tag("CBK-01")
    void promptThatFailsPermitsNothingAndTheFailureIsNotLost() {
        PermissionQuestion request = request(call(), "allow_once", "reject_once");
        IOException broken = new IOException("no display");
        PermissionPrompt prompt = asked -> {
            throw broken;
        };

        for (Client.PermissionHandler handler :
                List.of(Permissions.ask(prompt), Permissions.ask(prompt, Duration.ofMinutes(1)))) {
            assertThatThrownBy(() -> handler.decide(request)).isSameAs(broken);
        }
    }

    @Test
    @Tag("CBK-01")
    void userWhoDoesNotAnswerInTimeRefuses() throws Exception {
        PermissionQuestion request = request(call(), "allow_once", "reject_once");
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        PermissionPrompt prompt = asked -> {
            begun.countDown();
            try {
                new CountDownLatch(1).await();
                return asked.options().getFirst();
            } finally {
                interrupted.countDown();
            }
        };

        RequestPermissionOutcome outcome =
                Permissions.ask(prompt, Duration.ofMillis(1)).decide(request);

        assertThat(choice(outcome)).isEqualTo("reject_once");
        // On a busy machine the time may be over before the prompt has even begun.
        if (begun.getCount() == 0) {
            interrupted.await();
        }
    }

    @Test
    @Tag("CBK-01")
    void userWhoAnswersInTimeIsHeard() throws Exception {
        PermissionQuestion request = request(call(), "allow_once", "reject_once");

        RequestPermissionOutcome outcome = Permissions.ask(
                        asked -> asked.options().getFirst(), Duration.ofMinutes(1))
                .decide(request);

        assertThat(choice(outcome)).isEqualTo("allow_once");
    }

    @Test
    void cancelledTurnEndsTheQuestion() {
        PermissionQuestion request = request(call(), "allow_once", "reject_once");
        PermissionPrompt prompt = asked -> {
            new CountDownLatch(1).await();
            return asked.options().getFirst();
        };

        for (Client.PermissionHandler handler :
                List.of(Permissions.ask(prompt), Permissions.ask(prompt, Duration.ofMinutes(1)))) {
            Thread.currentThread().interrupt();

            assertThatThrownBy(() -> handler.decide(request)).isInstanceOf(InterruptedException.class);
        }
    }

    @Test
    void unattendedRunPermitsNothingAndKnowsThatItWasAsked() {
        UnattendedPermissions policy = new UnattendedPermissions();
        PermissionQuestion request = request(call(), "allow_once", "reject_once");
        assertThat(policy.wasAsked()).isFalse();

        assertThat(choice(policy.decide(request))).isEqualTo("cancelled");

        assertThat(policy.wasAsked()).isTrue();
        assertThat(policy.requests()).containsExactly(request);
    }

    @Test
    void unattendedRunRemembersTheFirstHundredRequests() {
        UnattendedPermissions policy = new UnattendedPermissions();

        for (int i = 0; i < 200; i++) {
            policy.decide(request(call()));
        }

        assertThat(policy.requests()).hasSize(100);
    }

    @Test
    @Tag("CBK-06")
    void sameRequestIsAnsweredAsTheUserAlwaysWants() throws Exception {
        for (String always : List.of("allow_always", "reject_always")) {
            Prompt prompt = new Prompt(always);
            RememberedPermissions memory = RememberedPermissions.of(Permissions.ask(prompt));
            ToolCallUpdateBuilder call = call().rawInput(RawJson.parse("{\"command\":\"npm test\"}"));
            memory.decide(request(call, "allow_once", "allow_always", "reject_once", "reject_always"));

            String again = choice(memory.decide(request(call, "allow_always", "reject_always")));
            String weaker = choice(memory.decide(request(call, "reject_once", "allow_once")));

            assertThat(again).isEqualTo(always);
            assertThat(weaker).isEqualTo(always.replace("always", "once"));
            assertThat(prompt.asked).isEqualTo(1);
        }
    }

    @Test
    @Tag("CBK-06")
    void onlyTheVerySameIsRemembered() throws Exception {
        Prompt prompt = new Prompt("allow_always");
        RememberedPermissions memory = RememberedPermissions.of(Permissions.ask(prompt));
        String[] kinds = {"allow_once", "allow_always"};
        memory.decide(request(call().rawInput(RawJson.parse("{\"command\":\"npm test\"}")), kinds));

        memory.decide(request(call().rawInput(RawJson.parse("{\"command\":\"rm -rf /\"}")), kinds));
        memory.decide(request(call(), kinds));
        memory.decide(request(another, call().rawInput(RawJson.parse("{\"command\":\"npm test\"}")), options(kinds)));

        assertThat(prompt.asked).isEqualTo(4);
    }

    @Test
    @Tag("CBK-06")
    void callThatDoesNotSayWhatItWorksOnIsNeverRemembered() throws Exception {
        Prompt prompt = new Prompt("allow_always");
        RememberedPermissions memory = RememberedPermissions.of(Permissions.ask(prompt));

        for (int i = 0; i < 3; i++) {
            memory.decide(request(call(), "allow_once", "allow_always"));
            memory.decide(
                    request(call().kind(ToolKind.EXECUTE).rawInput(RawJson.parse("{}")), "allow_once", "allow_always"));
        }

        assertThat(prompt.asked).isEqualTo(6);
    }

    @Test
    @Tag("CBK-06")
    void choiceForOneTimeIsNotRememberedNorWhatIsForgotten() throws Exception {
        Prompt prompt = new Prompt("allow_once");
        RememberedPermissions memory = RememberedPermissions.of(Permissions.ask(prompt));
        ToolCallUpdateBuilder call = call().rawInput(RawJson.parse("1"));
        String[] kinds = {"allow_once", "allow_always"};

        memory.decide(request(call, kinds));
        memory.decide(request(call, kinds));
        assertThat(prompt.asked).isEqualTo(2);

        prompt.answer = "allow_always";
        memory.decide(request(call, kinds));
        memory.forget();
        memory.decide(request(call, kinds));
        assertThat(prompt.asked).isEqualTo(4);
    }

    @Test
    @Tag("CBK-06")
    void allowedEditsAreThoseInTheFoldersOfTheSession() throws Exception {
        Prompt prompt = new Prompt("allow_always");
        RememberedPermissions memory = RememberedPermissions.of(Permissions.ask(prompt));
        String[] kinds = {"allow_once", "allow_always"};
        Path inside = session.cwd().resolve("a.txt");
        memory.decide(request(edit(inside), kinds));

        memory.decide(request(edit(session.cwd().resolve("sub/b.txt")), kinds));
        assertThat(prompt.asked).isEqualTo(1);

        memory.decide(request(edit(session.cwd().resolve("../b.txt")), kinds));
        memory.decide(request(edit(inside).kind(ToolKind.DELETE), kinds));
        memory.decide(request(another, edit(inside), options(kinds)));
        memory.decide(request(edit(session.cwd().resolve(".git/hooks/pre-commit")), kinds));
        assertThat(prompt.asked).isEqualTo(5);
    }

    @Test
    @Tag("CBK-06")
    void rejectedEditsAreIdenticalOnes() throws Exception {
        Prompt prompt = new Prompt("reject_always");
        RememberedPermissions memory = RememberedPermissions.of(Permissions.ask(prompt));
        String[] kinds = {"allow_once", "reject_always"};
        memory.decide(request(edit(session.cwd().resolve("a.txt")), kinds));

        memory.decide(request(edit(session.cwd().resolve("b.txt")), kinds));

        assertThat(prompt.asked).isEqualTo(2);
    }

    @Test
    @Tag("CBK-06")
    void aCommandIsTheSameWordForWordUnlessTheUserWidensIt() throws Exception {
        Prompt prompt = new Prompt("allow_always");
        RememberedPermissions memory = RememberedPermissions.of(Permissions.ask(prompt));
        String[] kinds = {"allow_once", "allow_always"};
        memory.decide(request(command("ls"), kinds));
        memory.decide(request(command("ls -l"), kinds));
        assertThat(prompt.asked).isEqualTo(2);
        PermissionScope first = memory.choices().keySet().iterator().next();
        assertThat(first).hasToString("the same command, word for word: Run a command");

        assertThat(memory.widen(first)).isTrue();

        memory.decide(request(command("rm -rf x"), kinds));
        assertThat(prompt.asked).isEqualTo(2);
        assertThat(memory.choices().keySet()).extracting(PermissionScope::text).contains("all commands");
        for (PermissionScope scope : memory.choices().keySet()) {
            assertThat(memory.forget(scope)).isTrue();
        }
        memory.decide(request(command("ls"), kinds));
        assertThat(prompt.asked).isEqualTo(3);
    }

    private static ToolCallUpdateBuilder command(String line) {
        return call().kind(ToolKind.EXECUTE).rawInput(RawJson.parse("{\"command\":\"" + line + "\",\"cwd\":\"/\"}"));
    }

    private static ToolCallUpdateBuilder edit(Path file) {
        return call().kind(ToolKind.EDIT).content(List.of(ToolCallContent.diff(file.toString(), "a", "b")));
    }

    /** A user who always gives the same answer. */
    private static final class Prompt implements PermissionPrompt {
        String answer;
        int asked;

        Prompt(String answer) {
            this.answer = answer;
        }

        @Override
        public PermissionOption choose(PermissionQuestion request) {
            asked++;
            return request.options().stream()
                    .filter(option -> option.kind().value().equals(answer))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static String choice(RequestPermissionOutcome outcome) {
        return outcome instanceof RequestPermissionOutcome.Selected selected
                ? selected.optionId().value()
                : "cancelled";
    }

    private static ToolCallUpdateBuilder call() {
        return ToolCallUpdate.builder(ToolCallId.of("c")).title("Run a command");
    }

    private static PermissionQuestion request(ToolCallUpdateBuilder call, String... kinds) {
        return request(session, call, options(kinds));
    }

    private static PermissionQuestion request(
            Session session, ToolCallUpdateBuilder call, List<PermissionOption> options) {
        Entry.ToolCall view = Entry.ToolCall.of(call.build());
        return PermissionQuestion.of(session, view, options);
    }

    private static List<PermissionOption> options(String... kinds) {
        List<PermissionOption> options = new ArrayList<>();
        for (String kind : kinds) {
            options.add(option(kind, PermissionOptionKind.of(kind)));
        }
        return options;
    }

    private static PermissionOption option(String id, PermissionOptionKind kind) {
        return PermissionOption.of(PermissionOptionId.of(id), id, kind);
    }
}
