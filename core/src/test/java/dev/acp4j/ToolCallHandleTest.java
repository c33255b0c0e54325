package dev.acp4j;

import static dev.acp4j.Joined.HERE;
import static dev.acp4j.Joined.agent;
import static dev.acp4j.Joined.client;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.ToolKind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What an agent tells of its tool calls, and what the client sees of it. */
@Timeout(60)
class ToolCallHandleTest {
    @RegisterExtension
    final Joined joined = new Joined();

    @Test
    void aQuestionShowsTheToolCallAsItIsNowAndChangesNothing() throws Exception {
        List<String> asked = Collections.synchronizedList(new ArrayList<>());
        ConnectedAgent connection = joined.join(
                agent(turn -> {
                    ToolCallHandle call = turn.toolCall("Edit a file", ToolKind.OTHER);
                    call.title("Edit a.txt");
                    call.update(ToolCallUpdate.builder(call.id())
                            .kind(ToolKind.EDIT)
                            .build());
                    call.requestPermission();
                }),
                client().onPermission(request -> {
                    asked.add(request.title());
                    return request.allowOnce();
                }));

        Session session = connection.newSession(HERE);
        session.prompt("go").result();

        assertThat(asked).containsExactly("Edit a.txt");
        assertThat(session.view().toolCalls()).singleElement().satisfies(call -> {
            assertThat(call.title()).isEqualTo("Edit a.txt");
            assertThat(call.kind()).isEqualTo(ToolKind.EDIT);
        });
    }

    @Test
    void contentThatAnUpdateReplacedDoesNotComeBack() throws Exception {
        ConnectedAgent connection = joined.join(
                agent(turn -> {
                    ToolCallHandle call = turn.toolCall("Count", ToolKind.OTHER).text("one");
                    call.update(ToolCallUpdate.builder(call.id())
                            .content(List.of(ToolCallContent.text("two")))
                            .build());
                    call.text("three").complete();
                }),
                client());

        Session session = connection.newSession(HERE);
        session.prompt("go").result();

        assertThat(session.view().toolCalls())
                .singleElement()
                .satisfies(call -> assertThat(call.content())
                        .containsExactly(ToolCallContent.text("two"), ToolCallContent.text("three")));
    }

    @Test
    void whatCannotBeMeantIsRefusedBeforeItIsSent() throws Exception {
        ConnectedAgent connection = joined.join(
                agent(turn -> {
                    ToolCallHandle call = turn.toolCall("Edit", ToolKind.EDIT);
                    Path relative = Path.of("a.txt");
                    assertThatThrownBy(() -> call.diff(relative, null, "text"))
                            .hasMessage("expected an absolute path, got a.txt");
                    assertThatThrownBy(() -> call.location(relative)).isInstanceOf(IllegalArgumentException.class);
                    assertThatThrownBy(() -> call.location(relative, 1)).isInstanceOf(IllegalArgumentException.class);
                    ToolCallId other = ToolCallId.of("other");
                    assertThatThrownBy(() -> call.update(
                                    ToolCallUpdate.builder(other).title("x").build()))
                            .hasMessage("expected a change of " + call.id() + ", got one of other");
                    assertThatThrownBy(() -> turn.files().readText(HERE.resolve("a.txt"), 0, 1))
                            .hasMessage("no lines: 1 from line 0, counted from 1");
                    turn.message("all refused");
                }),
                client().onReadTextFile((session, request) -> "text"));

        assertThat(connection.newSession(HERE).prompt("go").text()).isEqualTo("all refused");
    }
}
