package dev.acp4j.workspace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.AgentConnection;
import dev.acp4j.Client;
import dev.acp4j.ClientConnection;
import dev.acp4j.ClientFiles;
import dev.acp4j.PromptHandler;
import dev.acp4j.Session;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.PeerErrorException;
import dev.acp4j.schema.NewSessionRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An agent that uses what a client offers, over a connection. */
@Timeout(60)
class OfferTest {
    @TempDir
    Path temp;

    private Path root;
    private Path other;

    @BeforeEach
    void createFolders() throws IOException {
        root = Files.createDirectory(temp.resolve("root"));
        other = Files.createDirectory(temp.resolve("other"));
    }

    @Test
    @Tag("CBK-14")
    void agentReadsAndWritesFilesOfItsSession() throws Exception {
        Files.writeString(root.resolve("a.txt"), "1\n2\n3\n");

        String said = run(turn -> {
            ClientFiles files = turn.files();
            files.writeText(root.resolve("new").resolve("b.txt"), files.readText(root.resolve("a.txt"), 2, 1));
            files.writeText(other.resolve("c.txt"), "c");
            turn.message(files.canRead() + " " + files.canWrite());
        });

        assertThat(said).isEqualTo("true true");
        assertThat(root.resolve("new").resolve("b.txt")).hasContent("2\n");
        assertThat(other.resolve("c.txt")).hasContent("c");
    }

    @Test
    @Tag("CBK-14")
    @Tag("CBK-15")
    void agentIsToldWhatItDoesNotGetAndWhy() throws Exception {
        Path outside = Files.writeString(temp.resolve("outside.txt"), "secret");
        Path missing = root.resolve("missing.txt");

        String said = run(turn -> {
            turn.message(error(() -> turn.files().readText(outside)) + "\n");
            turn.message(error(() -> turn.files().writeText(outside, "x")) + "\n");
            turn.message(error(() -> turn.files().readText(missing)) + "\n");
        });

        String refusal = outside + " lies outside the folders of this session: " + List.of(root, other);
        assertThat(said.lines())
                .containsExactly(
                        "fs/read_text_file: " + refusal + " (-32602)",
                        "fs/write_text_file: " + refusal + " (-32602)",
                        "fs/read_text_file: " + missing + " does not exist (-32002)");
        assertThat(outside).hasContent("secret");
    }

    private String run(PromptHandler prompt) throws InterruptedException {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        Agent agent = Agent.builder("agent", "1")
                .onPrompt(prompt)
                .additionalDirectories(true)
                .build();
        try (ClientConnection agentSide = agent.connect(pair.left());
                AgentConnection clientSide =
                        Workspace.offerFilesTo(Client.builder("client", "1")).connect(pair.right())) {
            assertThat(agentSide.isOpen()).isTrue();
            Session session = clientSide.newSession(NewSessionRequest.builder(root.toString(), List.of())
                    .additionalDirectories(List.of(other.toString()))
                    .build());
            return session.prompt("go").text();
        }
    }

    private static String error(Action action) throws Exception {
        try {
            action.run();
            return "no error";
        } catch (PeerErrorException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** Something that is to fail. */
    private interface Action {
        void run() throws Exception;
    }
}
