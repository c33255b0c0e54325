package dev.acp4j;

import static dev.acp4j.Joined.HERE;
import static dev.acp4j.Joined.agent;
import static dev.acp4j.Joined.client;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.schema.Cost;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PermissionOptionId;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionCategory;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionMode;
import dev.acp4j.schema.SessionModeId;
import dev.acp4j.schema.SessionModeState;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.schema.UsageUpdate;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What an agent changes by itself in a session, seen by its client. */
@Timeout(60)
class ModesAndUsageTest {
    private static final SessionModeId ASK = SessionModeId.of("ask");
    private static final SessionModeId CODE = SessionModeId.of("code");
    private static final SessionId ID = SessionId.of("kept");

    private static final UsageUpdate BEFORE =
            UsageUpdate.builder(53_000, 200_000).cost(Cost.of(0.045, "USD")).build();
    private static final UsageUpdate AFTER =
            UsageUpdate.builder(54_000, 200_000).cost(Cost.of(0.05, "USD")).build();

    @RegisterExtension
    final Joined joined = new Joined();

    // ---- modes

    /** Works in the mode {@code ask}, and leaves it if the user allows that. */
    private static Agent.Builder planner() {
        return agent(turn -> {
                    if (turn.text().equals("code")) {
                        turn.mode(CODE);
                        return;
                    }
                    try (ToolCallHandle call = turn.toolCall("Ready for implementation", ToolKind.SWITCH_MODE)) {
                        PermissionAnswer answer = call.requestPermission(
                                PermissionOption.of(
                                        PermissionOptionId.of("code"), "Yes", PermissionOptionKind.ALLOW_ONCE),
                                PermissionOption.of(
                                        PermissionOptionId.of("stay"), "No", PermissionOptionKind.REJECT_ONCE));
                        if (answer.isAllowed()) {
                            turn.mode(CODE);
                            call.complete();
                        }
                    }
                    turn.message("in mode "
                            + Objects.requireNonNull(turn.session().modes()).currentModeId());
                })
                .onNewSession(session -> session.modes(SessionModeState.of(
                        ASK, List.of(SessionMode.of(ASK, "Ask"), SessionMode.of(CODE, "Write code")))))
                .onSetMode((session, mode) -> {});
    }

    private static String mode(Session session) {
        SessionConfigOption option =
                session.view().configOption(SessionConfigOptionCategory.MODE).orElseThrow();
        return ((SessionConfigOption.Select) option).currentValue().value();
    }

    @Test
    void anAgentChangesItsMode() throws Exception {
        BlockingQueue<SessionEvent> events = new LinkedBlockingQueue<>();
        Session session = joined.join(planner(), client().onEvent((same, event) -> events.add(event)))
                .newSession(HERE);
        assertThat(mode(session)).isEqualTo("ask");

        session.prompt("code").result();

        assertThat(mode(session)).isEqualTo("code");
        assertThat(events).singleElement().isInstanceOf(SessionEvent.ConfigChanged.class);
    }

    @Test
    void aToolCallLeavesTheModeOnlyIfTheUserAllowsIt() throws Exception {
        BlockingQueue<String> asked = new LinkedBlockingQueue<>();
        BlockingQueue<Boolean> allows = new ArrayBlockingQueue<>(2);
        Session session = joined.join(planner(), client().onPermission(question -> {
                    asked.add(question.title() + ", in mode " + mode(question.session()));
                    return allows.remove() ? question.allowOnce() : question.rejectOnce();
                }))
                .newSession(HERE);

        allows.add(false);
        assertThat(session.prompt("go").text()).isEqualTo("in mode ask");
        assertThat(mode(session)).isEqualTo("ask");

        allows.add(true);
        assertThat(session.prompt("go").text()).isEqualTo("in mode code");
        assertThat(mode(session)).isEqualTo("code");
        assertThat(asked)
                .containsExactly("Ready for implementation, in mode ask", "Ready for implementation, in mode ask");
    }

    // ---- usage

    private static Session.Listener usagesTo(BlockingQueue<UsageUpdate> usages) {
        return (session, event) -> {
            if (event instanceof SessionEvent.UsageChanged changed) {
                usages.add(changed.usage());
            }
        };
    }

    @Test
    void usageAndCostReachTheViewBeforeAndAfterASessionIsLoadedOrResumed() throws Exception {
        for (boolean loads : new boolean[] {true, false}) {
            BlockingQueue<AgentSession> opened = new ArrayBlockingQueue<>(1);
            Agent.SessionHandler opening = session -> {
                session.usage(BEFORE);
                opened.add(session);
            };
            BlockingQueue<UsageUpdate> usages = new LinkedBlockingQueue<>();
            ConnectedAgent agent = joined.join(
                    agent(turn -> {}).onLoadSession(opening).onResumeSession(opening),
                    client().onEvent(usagesTo(usages)));

            Session session = loads ? agent.loadSession(ID, HERE) : agent.resumeSession(ID, HERE);

            assertThat(session.view().usage()).hasValue(BEFORE);
            opened.remove().usage(AFTER);
            assertThat(usages.poll(20, TimeUnit.SECONDS)).isEqualTo(BEFORE);
            assertThat(usages.poll(20, TimeUnit.SECONDS)).isEqualTo(AFTER);
            assertThat(session.view().usage()).hasValue(AFTER);
            assertThat(session.view().usage().orElseThrow().cost()).isEqualTo(Cost.of(0.05, "USD"));
        }
    }
}
