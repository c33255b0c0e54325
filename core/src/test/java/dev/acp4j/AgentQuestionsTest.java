package dev.acp4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PermissionOptionId;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.RequestPermissionSubject;
import dev.acp4j.schema.ToolCall;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.schema.Version;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What agents ask for permission for, as clients of both versions are asked it. */
@Timeout(20)
final class AgentQuestionsTest {
    private static final PermissionOption DELETE =
            PermissionOption.of(PermissionOptionId.of("y"), "Delete", PermissionOptionKind.ALLOW_ONCE);
    private static final ToolCallId CALL = ToolCallId.of("c");

    @RegisterExtension
    private final Joined joined = new Joined();

    private final BlockingQueue<PermissionQuestion> asked = new LinkedBlockingQueue<>();

    private Session asking(Version version, Agent.PromptHandler onPrompt) throws Exception {
        return joined.join(
                        Joined.agent(onPrompt).protocol(Version.V1, Version.V2),
                        Joined.client().protocol(version).onPermission(question -> {
                            asked.add(question);
                            return question.allowOnce();
                        }))
                .newSession(Joined.HERE);
    }

    private static void ask(AgentTurn turn, @Nullable RequestPermissionSubject subject) throws InterruptedException {
        PermissionAnswer answer = turn.requestPermission("Delete build?", "It has 3 GB.", subject, List.of(DELETE));
        turn.message(answer.isAllowed() ? "deleted" : "kept");
    }

    private static Entry.ToolCall call(PermissionQuestion question) {
        return Objects.requireNonNull(question.toolCall());
    }

    private static String wire(PermissionQuestion question) {
        return question.raw().orElseThrow().raw().toString();
    }

    @ParameterizedTest
    @EnumSource
    @Tag("CBK-04")
    @Tag("SE2-34")
    void aQuestionNeedsNoToolCall(Version version) throws Exception {
        Session session = asking(version, turn -> {
            turn.message(
                    turn.requestPermission("Delete build?", "It has 3 GB.", List.of(DELETE))
                                    .isAllowed()
                            ? "deleted"
                            : "");
        });

        assertThat(session.prompt("Go").text()).isEqualTo("deleted");

        PermissionQuestion question = asked.take();
        assertThat(question.title()).isEqualTo("Delete build?");
        if (version == Version.V1) {
            assertThat(call(question).content()).containsExactly(ToolCallContent.text("It has 3 GB."));
            assertThat(session.view().toolCalls()).singleElement().satisfies(call -> {
                assertThat(call.title()).isEqualTo("Delete build?");
                assertThat(call.status()).isEqualTo(ToolCallStatus.COMPLETED);
            });
        } else {
            assertThat(question.description()).isEqualTo("It has 3 GB.");
            assertThat(question.toolCall()).isNull();
            assertThat(wire(question)).doesNotContain("subject");
            assertThat(session.view().toolCalls()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    @Tag("SE2-34")
    void aQuestionAboutACommandShowsIt(Version version) throws Exception {
        Session session = asking(
                version,
                turn -> ask(
                        turn,
                        RequestPermissionSubject.Command.builder("rm -r build", "/work")
                                .build()));

        assertThat(session.prompt("Go").text()).isEqualTo("deleted");

        PermissionQuestion question = asked.take();
        if (version == Version.V1) {
            assertThat(call(question).kind()).isEqualTo(ToolKind.EXECUTE);
            assertThat(call(question).content())
                    .containsExactly(
                            ToolCallContent.text("It has 3 GB."), ToolCallContent.text("In /work: rm -r build"));
        } else {
            assertThat(wire(question))
                    .contains("\"subject\":{\"type\":\"command\",\"command\":\"rm -r build\",\"cwd\":\"/work\"}");
        }
    }

    @ParameterizedTest
    @EnumSource
    @Tag("SE2-34")
    void aQuestionAboutAToolCallLeavesWhatItContains(Version version) throws Exception {
        Session session = asking(version, turn -> {
            turn.update(ToolCall.builder(CALL, "Clean")
                    .content(List.of(ToolCallContent.text("build/")))
                    .build());
            ask(
                    turn,
                    RequestPermissionSubject.ToolCall.of(
                            ToolCallUpdate.builder(CALL).build()));
            ask(
                    turn,
                    RequestPermissionSubject.Command.builder("rm -r build", "/work")
                            .toolCallId(CALL)
                            .build());
        });

        assertThat(session.prompt("Go").text()).isEqualTo("deleteddeleted");

        for (int i = 0; i < 2; i++) {
            PermissionQuestion question = asked.take();
            assertThat(call(question).id()).isEqualTo(CALL);
            assertThat(question.title())
                    .isEqualTo(version == Version.V1 ? "Delete build?: It has 3 GB." : "Delete build?");
        }
        assertThat(session.view().toolCalls())
                .singleElement()
                .satisfies(call -> assertThat(call.content()).containsExactly(ToolCallContent.text("build/")));
    }

    @Test
    void aQuestionWithoutOptionsIsNotAsked() throws Exception {
        Session session = asking(
                Version.V1,
                turn -> assertThatIllegalArgumentException()
                        .isThrownBy(() -> turn.requestPermission("Delete build?", null, List.of())));

        TurnResult unused = session.prompt("Go").result();

        assertThat(asked).isEmpty();
        assertThat(session.view().toolCalls()).isEmpty();
    }
}
