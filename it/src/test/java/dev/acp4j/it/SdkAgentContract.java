package dev.acp4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Entry;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.Turn;
import dev.acp4j.process.Launch;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.PlanEntry;
import dev.acp4j.schema.PlanEntryPriority;
import dev.acp4j.schema.PlanEntryStatus;
import dev.acp4j.schema.RequestPermissionOutcome;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallLocation;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.testkit.LeakRule;
import dev.acp4j.workspace.Workspace;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What our client gets from an agent of another SDK for the JVM: everything, and not one message is dropped. */
@Timeout(120)
@ExtendWith(LeakRule.class)
abstract class SdkAgentContract {
    @RegisterExtension
    final ForeignAgent peer = new ForeignAgent();

    @TempDir
    Path temporary;

    private Path folder = Path.of("");

    /** Returns the main class of the agent, which obeys the prompts of {@link dev.acp4j.it.sdk.JavaSdkAgent}. */
    abstract String agent();

    @BeforeEach
    void resolve() throws Exception {
        folder = temporary.toRealPath();
    }

    private ConnectedAgent connect(Client.Builder client) throws Exception {
        List<String> java = ClientProgram.java(agent());
        return peer.connect(client, Launch.of(java.get(0), java.subList(1, java.size())));
    }

    private static Client.Builder client() {
        return Client.builder("acp4j-it", "1");
    }

    /** Checks the end of a turn that was cancelled. */
    void assertCancelled(Turn turn) throws InterruptedException {
        assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
    }

    private void endWithoutLoss(ConnectedAgent agent) throws Exception {
        assertThat(peer.problems()).isEmpty();
        peer.end(agent);
    }

    @Test
    void messagesPlansAndToolCallsArrive() throws Exception {
        try (ConnectedAgent agent = connect(client())) {
            Session session = agent.newSession(folder);

            assertThat(session.prompt("say one |two |three").text()).isEqualTo("one two three");
            assertThat(session.prompt("plan think|write").result().stopReason()).isEqualTo(StopReason.END_TURN);
            assertThat(session.view().plan())
                    .extracting(PlanEntry::content, PlanEntry::priority, PlanEntry::status)
                    .containsExactly(
                            tuple("think", PlanEntryPriority.HIGH, PlanEntryStatus.COMPLETED),
                            tuple("write", PlanEntryPriority.HIGH, PlanEntryStatus.COMPLETED));
            Entry.ToolCall call = ForeignAgent.callOf(session.prompt("tool Edit it"));
            assertThat(call.title()).isEqualTo("Edit it");
            assertThat(call.kind()).isEqualTo(ToolKind.EDIT);
            assertThat(call.locations()).extracting(ToolCallLocation::path).containsExactly("/file.txt");
            assertThat(call.rawInput()).hasToString("{\"number\":1}");
            assertThat(call.content())
                    .containsExactly(ToolCallContent.text("done"), ToolCallContent.diff("/file.txt", "old", "new"));

            endWithoutLoss(agent);
        }
    }

    @Test
    void permissionIsAllowedAndRefused() throws Exception {
        List<PermissionQuestion> questions = new CopyOnWriteArrayList<>();
        try (ConnectedAgent agent = connect(client().onPermission(question -> decide(question, questions)))) {
            Session session = agent.newSession(folder);

            assertThat(session.prompt("ask Allowed").text()).isEqualTo("yes");
            assertThat(session.prompt("ask Refused").text()).isEqualTo("no");
            assertThat(questions).extracting(PermissionQuestion::title).containsExactly("Allowed", "Refused");
            assertThat(session.view().toolCalls())
                    .flatExtracting(Entry.ToolCall::content)
                    .containsExactly(ToolCallContent.text("why"));

            endWithoutLoss(agent);
        }
    }

    private static RequestPermissionOutcome decide(PermissionQuestion question, List<PermissionQuestion> questions) {
        questions.add(question);
        return question.title().equals("Allowed") ? question.allowOnce() : question.rejectOnce();
    }

    @Test
    void filesAreReadAndWritten() throws Exception {
        Files.writeString(folder.resolve("old.txt"), "one\ntwo\n");
        try (ConnectedAgent agent = connect(Workspace.offerTo(client()))) {
            Session session = agent.newSession(folder);

            assertThat(session.prompt("read " + folder.resolve("old.txt")).text())
                    .isEqualTo("one\ntwo\n");
            assertThat(session.prompt("write " + folder.resolve("new.txt") + " three")
                            .text())
                    .isEqualTo("written");
            assertThat(folder.resolve("new.txt")).hasContent("three");

            endWithoutLoss(agent);
        }
    }

    @Test
    void aTurnIsCancelledAndASessionLoaded() throws Exception {
        try (ConnectedAgent agent = connect(client())) {
            Session session = agent.newSession(folder);
            Turn turn = session.prompt("wait");
            for (SessionEvent event : turn) {
                assertThat(event)
                        .isInstanceOfSatisfying(
                                SessionEvent.Message.class,
                                message -> assertThat(message.content()).isEqualTo(ContentBlock.text("waiting")));
                turn.cancel();
            }
            assertCancelled(turn);

            session.detach();
            Session loaded = agent.loadSession(session.id(), folder);
            assertThat(loaded.view().messages())
                    .extracting(Entry.Message::author, Entry.Message::text)
                    .containsExactly(
                            tuple(Entry.Message.Author.USER, "said before"),
                            tuple(Entry.Message.Author.AGENT, "answered before"));
            assertThat(loaded.prompt("say goes on").text()).isEqualTo("goes on");

            endWithoutLoss(agent);
        }
    }
}
