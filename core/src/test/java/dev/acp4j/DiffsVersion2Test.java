package dev.acp4j;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.schema.DiffChange;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.schema.Version;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Changes of files in version 2, in both directions. */
@Timeout(20)
class DiffsVersion2Test {
    private static final String CHANGES = "[{\"operation\":\"add\",\"path\":\"/a\",\"fileType\":\"text\"},"
            + "{\"operation\":\"delete\",\"path\":\"/b\"},"
            + "{\"operation\":\"modify\",\"path\":\"/c\",\"fileType\":\"binary\",\"mimeType\":\"image/png\"},"
            + "{\"operation\":\"move\",\"oldPath\":\"/d\",\"path\":\"/e\"},"
            + "{\"operation\":\"copy\",\"oldPath\":\"/f\",\"path\":\"/g\",\"fileType\":\"symlink\"},"
            + "{\"operation\":\"_seal\",\"path\":\"/h\",\"by\":1}]";

    @Test
    @Tag("SCH-20")
    void filesAreAddedDeletedChangedMovedAndCopied() throws Exception {
        try (RawAgent agent = RawAgent.version2(Joined.client())) {
            Session session = agent.open();
            agent.update(
                    "tool_call_update",
                    "\"toolCallId\":\"c\",\"content\":[{\"type\":\"diff\",\"changes\":" + CHANGES
                            + ",\"patch\":{\"format\":\"git_patch\",\"text\":\"diff --git /a /a\\n\"}},"
                            + "{\"type\":\"diff\",\"changes\":[],\"patch\":null}]");
            agent.settleSilently();

            List<ToolCallContent> content =
                    session.view().toolCall(ToolCallId.of("c")).orElseThrow().content();
            ToolCallContent.Changes diff = (ToolCallContent.Changes) content.getFirst();
            assertThat(diff.changes())
                    .extracting(change -> change.getClass().getSimpleName())
                    .containsExactly("Add", "Delete", "Modify", "Move", "Copy", "Unknown");
            assertThat(diff.changes().get(3)).isInstanceOfSatisfying(DiffChange.Move.class, move -> {
                assertThat(move.oldPath()).isEqualTo("/d");
                assertThat(move.path()).isEqualTo("/e");
            });
            assertThat(diff.changes().getLast())
                    .isInstanceOfSatisfying(
                            DiffChange.Unknown.class,
                            seal -> assertThat(seal.raw())
                                    .hasToString("{\"operation\":\"_seal\",\"path\":\"/h\",\"by\":1}"));
            assertThat(diff.patch()).hasFieldOrPropertyWithValue("text", "diff --git /a /a\n");
            assertThat(((ToolCallContent.Changes) content.getLast()).patch()).isNull();
        }
    }

    private interface Work {
        void on(ToolCallHandle call);
    }

    /** Returns what an agent says of the content of its tool call. */
    private static String said(Work work) throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        Agent agent = Joined.agent(turn -> {
                    try (ToolCallHandle call = turn.toolCall("Edit", ToolKind.EDIT)) {
                        work.on(call);
                    }
                })
                .protocol(Version.V2)
                .sessionIds(() -> SessionId.of("s"))
                .build();
        try (ConnectedClient served = agent.connect(pair.left());
                RawClient client = new RawClient(pair.right())) {
            client.send("initialize", RawClient.INITIALIZE);
            client.send("session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
            assertThat(client.answerOf(1)).contains("\"s\"");
            client.send("session/prompt", "{\"sessionId\":\"s\",\"prompt\":[{\"type\":\"text\",\"text\":\"go\"}]}");
            assertThat(served.isOpen()).isTrue();
            return client.until("\"content\":[{\"type\":\"diff\"").getLast();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "old | modify | @@ -1 +1 @@\\n-old\\n\\\\ No newline at end of file\\n+new\\n\\\\ No newline at end of file\\n",
                "- | add | --- /dev/null\\n+++ /x/a\\n@@ -0,0 +1 @@\\n+new\\n\\\\ No newline at end of file\\n",
            })
    @Tag("SCH-20")
    void aChangeByItsTextsIsSaidWithAPatch(String before, String operation, String patch) throws Exception {
        String said = said(call -> call.diff(Path.of("/x/a"), before, "new"));

        assertThat(said)
                .contains("{\"type\":\"diff\",\"changes\":[{\"operation\":\"" + operation
                        + "\",\"path\":\"/x/a\",\"fileType\":\"text\"}],\"patch\":{\"format\":\"git_patch\",\"text\":")
                .contains(patch);
    }

    @Test
    @Tag("SCH-20")
    void whatAnAgentSaysOfFilesGoesOutAsItIs() throws Exception {
        String said = said(call -> call.content(ToolCallContent.Changes.builder(List.of(
                        DiffChange.Delete.builder("/b").build(),
                        DiffChange.Move.builder("/d", "/e").build()))
                .build()));

        assertThat(said)
                .contains("\"changes\":[{\"operation\":\"delete\",\"path\":\"/b\"},"
                        + "{\"operation\":\"move\",\"oldPath\":\"/d\",\"path\":\"/e\"}]}");
    }
}
