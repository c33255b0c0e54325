package dev.acp4j.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.ToolCall;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallId;
import java.util.List;
import org.junit.jupiter.api.Test;

class HistoryTest {
    private static SessionUpdate said(String id, String text) {
        return SessionUpdate.AgentMessageChunk.of(ContentBlock.text(text), MessageId.of(id));
    }

    @Test
    void piecesOfOneMessageAreJoined() {
        History history = new History();

        history.add(said("1", "a"));
        history.add(said("1", "b"));
        history.add(said("2", "c"));

        assertThat(history.entries()).containsExactly(said("1", "ab"), said("2", "c"));
    }

    @Test
    void theOldestGoesWhenItIsFull() {
        History history = new History(10 + 2 * History.BESIDE);

        history.add(said("1", "12345"));
        history.add(said("2", "12345"));
        history.add(said("3", "1"));

        assertThat(history.entries()).containsExactly(said("2", "12345"), said("3", "1"));
    }

    @Test
    void toolCallsCountAsWell() {
        History history = new History(20 + 2 * History.BESIDE);
        ToolCall call = ToolCall.builder(ToolCallId.of("1"), "123")
                .content(List.of(ToolCallContent.diff("/a", "1234", "12345678")))
                .build();

        history.add(said("1", "12345"));
        history.add(call);
        assertThat(history.entries()).hasSize(2);
        history.add(said("2", "1"));

        assertThat(history.entries()).containsExactly(call, said("2", "1"));
    }
}
