package dev.acp4j.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.Stdio;
import dev.acp4j.process.Launch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What an editor waits for: the agent as a process, from its start to the first session. */
@Timeout(120)
class StartTest {
    @TempDir
    Path folder;

    @TempDir
    Path sessions;

    /** An agent that keeps its sessions in memory. */
    static final class Main {
        private Main() {}

        public static void main(String[] arguments) throws InterruptedException {
            ReferenceAgent.create().serve(Stdio.system());
        }
    }

    private Launch agent(String... options) {
        return Launch.of(Path.of(System.getProperty("java.home"), "bin", "java").toString())
                .withArguments(options)
                .withArguments("-cp", System.getProperty("java.class.path"), KeptSessionsTest.Main.class.getName())
                .withArguments(sessions.toString());
    }

    private List<String> loaded(Path log) throws Exception {
        return Files.readAllLines(log).stream()
                .map(line -> line.split(" ", 2)[0])
                .toList();
    }

    private static boolean takesTime(String name) {
        return name.startsWith("org.apache.lucene.")
                || name.startsWith("com.github.difflib.")
                || name.startsWith("java.util.logging.")
                || name.startsWith("java.util.regex.Pattern$")
                || (name.startsWith("dev.acp4j.agent.") && name.contains("$$Lambda"));
    }

    @Test
    void nothingThatTakesTimeIsLoadedBeforeTheFirstPrompt() throws Exception {
        Path log = folder.resolve("classes.txt");
        // Recordings, which tests make and editors do not, load more.
        Launch launch = agent("-Dacp4j.trace=", "-Xlog:class+load:file=" + log + ":none:filecount=0");
        try (ConnectedAgent agent = Client.builder("editor", "1").connect(launch)) {
            Session session = agent.newSession(folder);
            List<String> atStart = loaded(log);
            session.prompt("anything").text();

            assertThat(atStart).contains("dev.acp4j.agent.ReferenceAgent");
            assertThat(atStart.stream().filter(StartTest::takesTime)).isEmpty();
            assertThat(loaded(log)).anyMatch(name -> name.startsWith("org.apache.lucene."));
        }
    }

    /** A codec is loaded when it is first needed: this one while the answer is written. */
    @Test
    void theFirstAnswerNeedsNoLambdasAndNoVirtualThreads() throws Exception {
        Path log = folder.resolve("classes.txt");
        Launch launch = agent("-Dacp4j.trace=", "-Xlog:class+load:file=" + log + ":none:filecount=0");
        List<String> atStart;
        try (ConnectedAgent agent = Client.builder("editor", "1").connect(launch)) {
            assertThat(agent.isOpen()).isTrue();
            atStart = loaded(log);
        }

        int answer = atStart.indexOf("dev.acp4j.schema.SessionCapabilitiesCodec");
        assertThat(answer).isPositive();
        assertThat(atStart.subList(0, answer))
                .noneMatch(name -> name.startsWith("dev.acp4j.") && name.contains("$$Lambda"))
                .noneMatch(name -> name.startsWith("java.lang.VirtualThread$"));
        assertThat(atStart).noneMatch(name -> name.startsWith("java.util.ArrayDeque$$Lambda"));
    }

    @Test
    void nothingIsWrittenToStandardError() throws Exception {
        List<String> errors = new CopyOnWriteArrayList<>();
        new TestWorkspace(folder).file("a.txt", "alpha\n");
        Launch launch = agent().onStderr(errors::add);
        try (ConnectedAgent agent = Client.builder("editor", "1").connect(launch)) {
            Session session = agent.newSession(folder);
            assertThat(session.prompt("alpha").text()).contains("a.txt:1");
            assertThat(session.prompt("/replace alpha beta").text()).isNotEmpty();
        }

        assertThat(errors).isEmpty();
    }
}
