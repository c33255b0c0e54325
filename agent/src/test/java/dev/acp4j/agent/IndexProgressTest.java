package dev.acp4j.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.Entry;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolKind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class IndexProgressTest {
    @TempDir
    Path folder;

    private final AtomicLong now = new AtomicLong();

    /** Has the progress told, after {@code millis} for each part, of so many files. */
    private Agent.PromptHandler reading(long millis, int... done) {
        return turn -> {
            Conversation conversation = new Conversation(turn.sessionId(), folder, List.of(), Journal.NONE);
            Work work = new Work(turn, conversation, new Workspace(List.of(folder)));
            IndexProgress progress = new IndexProgress(work, now::get);
            for (int part : done) {
                now.addAndGet(Duration.ofMillis(millis).toNanos());
                progress.read(part, 4_000);
            }
        };
    }

    private List<String> titles(Agent.PromptHandler handler) throws Exception {
        try (Editor editor =
                Editor.of(Agent.builder("test", "1").onPrompt(handler).build())) {
            Session session = editor.open(folder);
            session.prompt("go").text();
            assertThat(Editor.calls(session, ToolKind.READ))
                    .extracting(Entry.ToolCall::status)
                    .allMatch(ToolCallStatus.COMPLETED::equals);
            return editor.events().stream()
                    .filter(SessionEvent.ToolCallChanged.class::isInstance)
                    .map(event -> ((SessionEvent.ToolCallChanged) event).call().title())
                    .distinct()
                    .toList();
        }
    }

    @Test
    void aLongReadingIsShown() throws Exception {
        assertThat(titles(reading(200, 1, 500, 501, 1_000, 2_000, 4_000)))
                .containsExactly(
                        "Reading the workspace: 500 of 4,000 files",
                        "Reading the workspace: 1,000 of 4,000 files",
                        "Read 4,000 files");
    }

    @Test
    void aShortReadingIsNotWorthATelling() throws Exception {
        assertThat(titles(reading(50, 1, 1_000, 2_000, 4_000))).isEmpty();
    }

    @Test
    void aReadingThatEndsWhenItGetsLongIsNotToldEither() throws Exception {
        assertThat(titles(reading(300, 2_000, 4_000))).isEmpty();
    }
}
