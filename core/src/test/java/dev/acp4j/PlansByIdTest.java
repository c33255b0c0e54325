package dev.acp4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Problem;
import dev.acp4j.schema.PlanEntry;
import dev.acp4j.schema.PlanEntryPriority;
import dev.acp4j.schema.PlanEntryStatus;
import dev.acp4j.schema.PlanId;
import dev.acp4j.schema.PlanUpdateContent;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.schema.Version;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Plans by id and deleted files, as clients see them that know these drafts, and others. */
@Timeout(20)
final class PlansByIdTest {
    private static final PlanId STEPS = PlanId.of("steps");
    private static final PlanId DESIGN = PlanId.of("design");
    private static final PlanId NOTES = PlanId.of("notes");

    @RegisterExtension
    final Joined joined = new Joined();

    private static PlanEntry task(String text, PlanEntryStatus status) {
        return PlanEntry.of(text, PlanEntryPriority.HIGH, status);
    }

    /** Three plans, of which one changes and one is removed in a second turn. */
    private static void plan(AgentTurn turn) {
        if (turn.text().equals("remove")) {
            turn.update(SessionUpdate.PlanRemoved.of(DESIGN));
            turn.update(SessionUpdate.PlanRemoved.of(PlanId.of("unknown")));
            return;
        }
        turn.update(SessionUpdate.PlanUpdate.of(PlanUpdateContent.Items.of(
                STEPS, List.of(task("Read", PlanEntryStatus.COMPLETED), task("Write", PlanEntryStatus.CANCELLED)))));
        turn.update(SessionUpdate.PlanUpdate.of(PlanUpdateContent.Markdown.of(NOTES, "# Old")));
        turn.update(SessionUpdate.PlanUpdate.of(PlanUpdateContent.Markdown.of(NOTES, "# Notes\n- one")));
        turn.update(SessionUpdate.PlanUpdate.of(PlanUpdateContent.File.of(DESIGN, "file:///plan.md")));
    }

    private static Agent.Builder agent(Agent.PromptHandler onPrompt) {
        return Joined.agent(onPrompt).protocol(Version.V1, Version.V2);
    }

    private Session planned(Agent.Builder agent, Client.Builder client) throws Exception {
        Session session = joined.join(agent, client).newSession(Joined.HERE);
        TurnResult unused = session.prompt("go").result();
        return session;
    }

    private static List<String> shown(Session session) {
        List<String> shown = new ArrayList<>();
        for (Entry.Plan plan : session.view().plans()) {
            List<String> tasks = new ArrayList<>();
            plan.entries().forEach(entry -> tasks.add(entry.content()));
            shown.add(plan.id() + " " + tasks + " " + plan.uri() + " " + plan.markdown());
        }
        return shown;
    }

    @ParameterizedTest
    @EnumSource
    @Tag("SE2-27")
    void plansAreKnownByTheirIdsWhateverTheyAreMadeOf(Version version) throws Exception {
        List<SessionEvent> events = new ArrayList<>();
        Session session = planned(
                agent(PlansByIdTest::plan).supports(Feature.PLANS),
                Joined.client().protocol(version).supports(Feature.PLANS).onEvent((of, event) -> events.add(event)));

        String second = version == Version.V1 ? "Write (cancelled)" : "Write";
        assertThat(shown(session))
                .containsExactly(
                        "steps [Read, " + second + "] null null",
                        "notes [] null # Notes\n- one",
                        "design [] file:///plan.md null");

        TurnResult unused = session.prompt("remove").result();

        assertThat(shown(session)).hasSize(2).noneMatch(plan -> plan.startsWith("design"));
        assertThat(events)
                .filteredOn(SessionEvent.PlanRemoved.class::isInstance)
                .singleElement()
                .satisfies(event -> assertThat(
                                ((SessionEvent.PlanRemoved) event).plan().uri())
                        .isEqualTo("file:///plan.md"));
    }

    @ParameterizedTest
    @EnumSource
    @Tag("SE2-27")
    void anAgentThatHasNotSwitchedThemOnSaysPlansAsTasks(Version version) throws Exception {
        List<String> wire = new ArrayList<>();
        Session session = planned(
                agent(PlansByIdTest::plan).interceptOutgoing((message, next) -> {
                    wire.add(message.toString());
                    next.pass(message);
                }),
                Joined.client().protocol(version).supports(Feature.PLANS));

        if (version == Version.V1) {
            assertThat(shown(session)).containsExactly("null [file:///plan.md] null null");
        } else {
            assertThat(shown(session))
                    .containsExactly(
                            "steps [Read, Write] null null",
                            "notes [# Notes\n- one] null null",
                            "design [file:///plan.md] null null");
        }
        TurnResult unused = session.prompt("remove").result();
        assertThat(shown(session))
                .contains(version == Version.V1 ? "null [] null null" : "design [] null null")
                .doesNotContain("null [file:///plan.md] null null", "design [file:///plan.md] null null");
        assertThat(String.join("\n", wire))
                .doesNotContain("plan_removed", "\"markdown\"", "\"file\"")
                .satisfies(all -> assertThat(all.contains("plan_update")).isEqualTo(version == Version.V2));
    }

    @Test
    @Tag("SE2-27")
    void aClientOfVersion1ThatHasNotSwitchedThemOnGetsTheOnePlan() throws Exception {
        Session session = planned(agent(PlansByIdTest::plan).supports(Feature.PLANS), Joined.client());
        assertThat(session.agent().raw().toString()).doesNotContain("\"plan\"");
        assertThat(shown(session)).containsExactly("null [file:///plan.md] null null");

        Session other = planned(
                agent(turn -> {
                            turn.update(SessionUpdate.PlanUpdate.of(PlanUpdateContent.File.of(DESIGN, "file:///d")));
                            turn.update(SessionUpdate.PlanUpdate.of(PlanUpdateContent.File.of(NOTES, "file:///n")));
                            turn.update(SessionUpdate.PlanRemoved.of(DESIGN));
                        })
                        .supports(Feature.PLANS),
                Joined.client());

        // The plan that was removed is not the one that is shown.
        assertThat(shown(other)).containsExactly("null [file:///n] null null");
    }

    @ParameterizedTest
    @EnumSource
    void aDeletedFileIsNotAnEmptyOne(Version version) throws Exception {
        Session session = joined.join(
                        agent(turn -> turn.toolCall("Clean", ToolKind.DELETE)
                                .content(ToolCallContent.deleted("/a.txt", "one\ntwo\n"))
                                .content(ToolCallContent.diff("/b.txt", "one\n", ""))
                                .complete()),
                        Joined.client().protocol(version))
                .newSession(Joined.HERE);

        TurnResult unused = session.prompt("go").result();

        List<ToolCallContent> content = session.view().toolCalls().getFirst().content();
        if (version == Version.V1) {
            assertThat((ToolCallContent.Diff) content.getFirst()).satisfies(diff -> {
                assertThat(diff.isDeleted()).isTrue();
                assertThat(diff.oldText()).isEqualTo("one\ntwo\n");
                assertThat(diff.newText()).isEmpty();
            });
            assertThat(((ToolCallContent.Diff) content.getLast()).isDeleted()).isFalse();
        } else {
            ToolCallContent.Changes changes = (ToolCallContent.Changes) content.getFirst();
            assertThat(changes.changes().getFirst().getClass().getSimpleName()).isEqualTo("Delete");
            assertThat(Objects.requireNonNull(changes.patch()).text()).isEqualTo("""
                            diff --git /a.txt /a.txt
                            deleted file mode 100644
                            --- /a.txt
                            +++ /dev/null
                            @@ -1,2 +0,0 @@
                            -one
                            -two
                            """);
            ToolCallContent.Changes emptied = (ToolCallContent.Changes) content.getLast();
            assertThat(emptied.changes().getFirst().getClass().getSimpleName()).isEqualTo("Modify");
            assertThat(GitPatch.diffs(changes))
                    .anyMatch(one -> one instanceof ToolCallContent.Diff diff
                            && diff.isDeleted()
                            && "one\ntwo\n".equals(diff.oldText()));
        }
    }

    @Test
    void onlyUpdatesOfDraftsAreSwitchedOnByName() {
        assertThatThrownBy(() -> Joined.client().supports(Feature.READ_FILES))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Joined.agent(turn -> {}).supports(Feature.FORK_SESSION))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @Tag("SE2-27")
    void aPlanOfAnUnknownKindNeedsAnId() throws Exception {
        List<Problem> problems = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch reported = new CountDownLatch(1);
        List<SessionEvent> others = Collections.synchronizedList(new ArrayList<>());
        try (RawAgent agent = RawAgent.version2(Joined.client()
                .onProblem(problem -> {
                    problems.add(problem);
                    reported.countDown();
                })
                .onEvent((of, event) -> others.add(event)))) {
            Session unused = agent.open();
            agent.update("plan_update", "\"plan\":{\"type\":\"_board\",\"planId\":\"p\",\"lanes\":3}");
            agent.update("plan_update", "\"plan\":{\"type\":\"_board\",\"lanes\":4}");
            agent.settle();
            reported.await();
        }

        assertThat(problems).singleElement().satisfies(problem -> {
            assertThat(problem.kind()).isEqualTo(Problem.Kind.NOTIFICATION_FAILED);
            assertThat(String.valueOf(problem.cause())).contains("planId");
        });
        assertThat(others)
                .singleElement()
                .isInstanceOfSatisfying(
                        SessionEvent.Other.class,
                        event -> assertThat(event.update().toString()).contains("3"));
    }

    @ParameterizedTest
    @EnumSource
    @Tag("SE2-27")
    void anAgentCannotSayAPlanWithoutAnId(Version version) throws Exception {
        SessionUpdate plan = SessionUpdate.PlanUpdate.of(
                new PlanUpdateContent.Unknown("_board", RawJson.parse("{\"type\":\"_board\",\"planId\":7}")));
        List<Throwable> refused = Collections.synchronizedList(new ArrayList<>());

        Session unused = planned(
                agent(turn -> refused.add(catchThrowable(() -> turn.update(plan)))),
                Joined.client().protocol(version));

        assertThat(refused)
                .singleElement()
                .satisfies(e -> assertThat(e)
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("planId"));
    }
}
