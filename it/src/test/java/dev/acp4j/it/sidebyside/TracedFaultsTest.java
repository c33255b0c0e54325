package dev.acp4j.it.sidebyside;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.Session;
import dev.acp4j.process.Launch;
import dev.acp4j.schema.StopReason;
import dev.acp4j.trace.TraceEvent;
import dev.acp4j.trace.Tracer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What agents do otherwise than one expects just works, and stands in the trace as it came. */
@Timeout(120)
class TracedFaultsTest {
    @TempDir
    Path folder;

    private final List<TraceEvent> trace = new CopyOnWriteArrayList<>();

    private ConnectedAgent connect(String fault) throws InterruptedException {
        List<String> command = new ArrayList<>(
                Subject.java("rogue", RogueAgent.class, RogueAgent.class).agent());
        command.add(fault);
        command.add(folder.resolve("processes").toString());
        return Client.builder("client", "1")
                .onPermission(PermissionQuestion::allowOnce)
                .onReadTextFile((session, request) -> "content of " + request.path())
                .trace(Tracer.of(trace::add))
                .connect(Launch.of(command.get(0), command.subList(1, command.size())));
    }

    /** Each line: the fault; what the trace shows of it, in order. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            updates a session before it has answered session/new | early | "result"
            updates a session after the turn's answer | end_turn | late
            updates a tool call that it has not announced | tool_call_update | fine
            asks for permission before the tool call | session/request_permission | "tool_call"
            asks with a method nobody knows, without underscore | x.ai/question | -32601
            sends a notification nobody knows | x.ai/progress | fine
            sends an update of a kind nobody knows | hologram | fine
            sends members that the schema does not know | "z":null | fine
            writes a log line between messages | [info] thinking | fine
            prints a banner before its first message | Welcome to the agent! | fine
            answers what nobody asked | 4711 | fine
            stays when its input ends | fine | "end"
            leaves a child behind | fine | "end"
            """)
    void itGoesOnAndTheTraceShowsIt(String fault, String shown, String then) throws Exception {
        converse(fault);

        assertThat(lines()).containsSubsequence(shown, then);
        for (ProcessHandle process : processes().toList()) {
            // A process without parent is gone only when the system has taken note of its end.
            process.onExit().get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void aLineOf560KbIsWholeInTheTrace() throws Exception {
        converse("writes a line of 560 KB");

        assertThat(lines().contains("\"" + "x".repeat(560_000) + "\"")).isTrue();
    }

    private void converse(String fault) throws InterruptedException {
        try (ConnectedAgent agent = connect(fault)) {
            Session session = agent.newSession(folder);
            assertThat(session.prompt("first").result().stopReason()).isEqualTo(StopReason.END_TURN);
            assertThat(session.prompt("second").text()).contains("fine");
        }
    }

    private String lines() {
        return trace.stream().map(TraceEvent::toString).collect(Collectors.joining("\n"));
    }

    private Stream<ProcessHandle> processes() throws Exception {
        return Files.readAllLines(folder.resolve("processes")).stream()
                .flatMap(pid -> ProcessHandle.of(Long.parseLong(pid)).stream());
    }
}
