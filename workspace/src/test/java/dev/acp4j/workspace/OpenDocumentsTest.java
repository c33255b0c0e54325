package dev.acp4j.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.ConnectedClient;
import dev.acp4j.RemoteFiles;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.RpcError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** An agent that works with the files of an editor, over a connection. */
@Timeout(60)
class OpenDocumentsTest {
    @TempDir
    Path temp;

    private Path root;
    private Path saved;
    private final Editor editor = new Editor();

    @BeforeEach
    void createFiles() throws IOException {
        root = Files.createDirectory(temp.toRealPath().resolve("root"));
        saved = Files.writeString(root.resolve("saved.txt"), "saved\n");
    }

    /** Its buffers, and which of them it was asked for. */
    private static final class Editor implements OpenDocuments {
        final Map<Path, String> buffers = new ConcurrentHashMap<>();
        final List<Path> asked = Collections.synchronizedList(new ArrayList<>());
        boolean takesChanges;

        @Override
        public Optional<String> text(Path file) {
            asked.add(file);
            return Optional.ofNullable(buffers.get(file));
        }

        @Override
        public boolean replace(Path file, String text) {
            asked.add(file);
            return takesChanges && buffers.replace(file, text) != null;
        }
    }

    private String run(Agent.PromptHandler prompt, UnaryOperator<Client.Builder> offer) throws InterruptedException {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        try (ConnectedClient served =
                        Agent.builder("agent", "1").onPrompt(prompt).build().connect(pair.left());
                ConnectedAgent agent =
                        offer.apply(Client.builder("client", "1")).connect(pair.right())) {
            assertThat(served.isOpen()).isTrue();
            return agent.newSession(root).prompt("go").text();
        }
    }

    private String run(Agent.PromptHandler prompt) throws InterruptedException {
        return run(prompt, client -> Workspace.offerFilesTo(client, editor));
    }

    private interface Action {
        Object run() throws Exception;
    }

    private static String error(Action action) throws Exception {
        try {
            return "no error, but " + action.run();
        } catch (RpcError e) {
            return e.message() + "\n";
        }
    }

    private static Object written(RemoteFiles files, Path path, String text) throws InterruptedException {
        files.writeText(path, text);
        return "written";
    }

    @Test
    void anAgentReadsWhatIsNotSaved() throws Exception {
        Path fresh = root.resolve("new folder").resolve("fresh.txt");
        editor.buffers.put(saved, "1\r\n2, changed: ä\n3");
        editor.buffers.put(fresh, "never saved");
        Path closed = Files.writeString(root.resolve("closed.txt"), "on the disk");

        String said = run(turn -> {
            RemoteFiles files = turn.files();
            turn.message(files.readText(saved) + "|" + files.readText(saved, 2, 1) + "|" + files.readText(saved, 4, 9));
            turn.message("|" + files.readText(fresh) + "|" + files.readText(closed));
        });

        assertThat(said).isEqualTo("1\r\n2, changed: ä\n3|2, changed: ä\n||never saved|on the disk");
    }

    @Test
    void aClientThatOffersOnlyReadingOrTerminalsTooHasOpenDocumentsAsWell() throws Exception {
        editor.buffers.put(saved, "not saved");
        Agent.PromptHandler prompt = turn -> turn.message(turn.files().readText(saved)
                + " " + turn.files().canWrite()
                + " " + turn.terminals().isOffered());

        assertThat(run(prompt, client -> Workspace.offerReadingTo(client, editor)))
                .isEqualTo("not saved false false");
        assertThat(run(prompt, client -> Workspace.offerTo(client, TerminalOptions.DEFAULTS, editor)))
                .isEqualTo("not saved true true");
    }

    @Test
    void theLimitHoldsForOpenDocumentsToo() throws Exception {
        editor.buffers.put(saved, "long\nshort\n".repeat(10));
        Workspace workspace = Workspace.of(root).withMaxBytes(20).withDocuments(editor);

        assertThat(workspace.readText(saved, 2L, 3L)).isEqualTo("short\nlong\nshort\n");
        assertThatThrownBy(() -> workspace.readText(saved))
                .isInstanceOf(WorkspaceException.TooLarge.class)
                .hasMessageContaining("has more than 20 bytes");
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void anEditorIsNotAskedForWhatIsOutsideOfTheFoldersOfTheSession() throws Exception {
        Path outside = Files.writeString(temp.toRealPath().resolve("outside.txt"), "secret");
        Path link = Files.createSymbolicLink(root.resolve("link.txt"), outside);
        Path dangling = Files.createSymbolicLink(root.resolve("dangling.txt"), root.resolve("missing"));
        for (Path path : List.of(outside, link, dangling, root)) {
            editor.buffers.put(path, "an open secret");
        }
        editor.takesChanges = true;

        String said = run(turn -> {
            for (Path path : List.of(outside, link, dangling, root)) {
                turn.message(error(() -> turn.files().readText(path)));
                turn.message(error(() -> written(turn.files(), path, "x")));
            }
        });

        String isOutside = " is outside the folders of this session: [" + root + "]";
        assertThat(said.lines().distinct())
                .containsExactly(
                        outside + isOutside,
                        link + isOutside,
                        dangling + " cannot be followed into [" + root + "]",
                        root + " is a folder, not a file");
        assertThat(editor.asked).isEmpty();
        assertThat(editor.buffers.values()).containsOnly("an open secret");
        assertThat(outside).hasContent("secret");
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void aDocumentIsFoundByTheNameOfTheAgentAndByItsRealName() throws Exception {
        Path link = Files.createSymbolicLink(root.resolve("link.txt"), saved);
        editor.buffers.put(saved, "by its real name");
        Agent.PromptHandler prompt = turn -> turn.message(
                turn.files().readText(root.resolve("x").resolve("..").resolve("link.txt")));

        assertThat(run(prompt)).isEqualTo("by its real name");
        assertThat(editor.asked).containsExactly(link, saved);
        editor.buffers.put(link, "by the name of the agent");
        assertThat(run(prompt)).isEqualTo("by the name of the agent");
    }

    @Test
    void whatAnAgentWritesGoesToTheDocumentIfTheEditorTakesIt() throws Exception {
        editor.buffers.put(saved, "not saved");
        Path closed = root.resolve("closed.txt");
        Agent.PromptHandler prompt = turn -> {
            turn.files().writeText(saved, "by the agent");
            turn.files().writeText(closed, "by the agent, too");
            turn.message(turn.files().readText(saved));
        };

        editor.takesChanges = true;
        assertThat(run(prompt)).isEqualTo("by the agent");
        assertThat(saved).hasContent("saved");
        assertThat(closed).hasContent("by the agent, too");

        editor.takesChanges = false;
        editor.buffers.put(saved, "not saved");
        assertThat(run(prompt)).isEqualTo("not saved");
        assertThat(saved).hasContent("by the agent");
    }
}
