package dev.acp4j.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Entry;
import dev.acp4j.Session;
import dev.acp4j.Turn;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.ToolKind;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A session of the reference agent in the web shop. */
@Timeout(60)
abstract class ShopSession {
    @TempDir
    Path folder;

    @TempDir
    Path elsewhere;

    private @Nullable TestWorkspace shop;
    private @Nullable Editor editor;
    private @Nullable Session session;

    @BeforeEach
    void openSession() throws Exception {
        shop = TestWorkspace.shop(folder);
        editor = Editor.of(ReferenceAgent.create());
        session = editor.open(folder);
    }

    @AfterEach
    void closeEditor() {
        editor().close();
    }

    final TestWorkspace shop() {
        return Objects.requireNonNull(shop);
    }

    final Editor editor() {
        return Objects.requireNonNull(editor);
    }

    final Session session() {
        return Objects.requireNonNull(session);
    }

    final String say(String prompt) throws Exception {
        return text(session().prompt(prompt));
    }

    static String text(Turn turn) throws Exception {
        String text = turn.text();
        assertThat(turn.result().stopReason()).isEqualTo(StopReason.END_TURN);
        return text;
    }

    final List<Entry.ToolCall> calls(ToolKind kind) {
        return Editor.calls(session(), kind);
    }
}
