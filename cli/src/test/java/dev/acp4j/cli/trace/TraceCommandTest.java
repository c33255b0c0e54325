package dev.acp4j.cli.trace;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.cli.Acp;
import dev.acp4j.cli.AcpRun;
import dev.acp4j.trace.TraceEvent;
import dev.acp4j.trace.TraceFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A relay between us and small programs of the shell, which stand for agents. */
@EnabledOnOs(OS.LINUX)
@Timeout(120)
class TraceCommandTest {
    private static final String INITIALIZE = "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{}}\n";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path temp;

    private Path file() {
        return temp.resolve("a.trace.jsonl");
    }

    private List<TraceEvent> events() throws IOException {
        return TraceFile.read(file());
    }

    private ProcessBuilder relay(List<String> options, String script) {
        List<String> command = new ArrayList<>(AcpRun.java(Acp.class));
        command.add("trace");
        command.addAll(options);
        command.addAll(List.of("--", "sh", "-c", script));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("XDG_STATE_HOME", temp.resolve("state").toString());
        return builder;
    }

    /** @param out what standard output got, a byte a character */
    private record Ran(int exitCode, String out, String err) {
        /** Compares without showing megabytes when it fails. */
        boolean hasOut(byte[] expected) {
            return out.equals(new String(expected, ISO_8859_1));
        }
    }

    private Ran run(byte[] input, List<String> options, String script) throws Exception {
        return run(relay(options, script), input);
    }

    private Ran run(byte[] input, String script) throws Exception {
        return run(input, List.of("-o", file().toString()), script);
    }

    private static Ran run(ProcessBuilder builder, byte[] input) throws Exception {
        Process process = builder.start();
        try {
            CompletableFuture<byte[]> out = bytes(process.getInputStream());
            CompletableFuture<byte[]> err = bytes(process.getErrorStream());
            try (var stdin = process.getOutputStream()) {
                stdin.write(input);
            } catch (IOException e) {
                // It ended without reading.
            }
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            return new Ran(process.exitValue(), new String(out.join(), ISO_8859_1), new String(err.join(), UTF_8));
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private static CompletableFuture<byte[]> bytes(InputStream in) {
        return CompletableFuture.supplyAsync(() -> {
            try (in) {
                return in.readAllBytes();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
    }

    @Test
    void bytesGoThroughAsTheyAreAndTheTraceHasTheMessages() throws Exception {
        byte[] message = ("\n" + INITIALIZE + " \r\n").getBytes(UTF_8);
        byte[] input = new byte[300_000];
        new Random(7).nextBytes(input);
        System.arraycopy(message, 0, input, 100_000, message.length);

        Ran ran = run(input, "cat");

        assertThat(ran.hasOut(input)).isTrue();
        assertThat(ran.exitCode()).isZero();
        assertThat(ran.err()).isEqualTo("acp: recording to " + file() + "\n");
        assertThat(events()).extracting(TraceEvent::method).contains("initialize");
    }

    @Test
    @Tag("TRC-08")
    void eachDirectionAndStandardErrorAreRecorded() throws Exception {
        String answer = "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":1}}";

        Ran ran = run(
                INITIALIZE.getBytes(UTF_8), "read line; echo 'warming up' >&2; echo '" + answer + "'; echo hello; cat");

        assertThat(ran.out()).isEqualTo(answer + "\nhello\n");
        assertThat(ran.err()).contains("warming up\n");
        assertThat(events())
                .extracting(event ->
                        event.from() + ">" + event.to() + " " + event.type().text() + " " + event.method())
                .contains("client>agent request initialize", "agent>client result initialize")
                .contains("agent>client noise null", "agent> stderr null")
                .contains("client>agent end null", "agent>client end null");
        assertThat(events())
                .extracting(TraceEvent::seconds)
                .allSatisfy(seconds -> assertThat(seconds).isPositive());
    }

    @Test
    @Tag("TRC-03")
    void theEndsMayBeNamedOtherwise() throws Exception {
        run(INITIALIZE.getBytes(UTF_8), List.of("-q", "-o", file().toString(), "--names", "proxy:0,agent"), "cat");

        assertThat(events().getFirst())
                .extracting(TraceEvent::from, TraceEvent::to)
                .containsExactly("proxy:0", "agent");
    }

    @ParameterizedTest
    @CsvSource({"exit 7, 7", "kill -9 $$, 137", "kill -TERM $$, 143", "exit 0, 0"})
    void itEndsAsTheAgentDoes(String script, int exitCode) throws Exception {
        assertThat(run(new byte[0], script).exitCode()).isEqualTo(exitCode);
    }

    @Test
    void anAgentThatDiesEndsTheOutputWhileTheEditorHoldsTheInputOpen() throws Exception {
        Process acp =
                relay(List.of("-o", file().toString()), "echo bye; exit 3").start();
        try (InputStream out = acp.getInputStream()) {
            assertThat(new String(out.readAllBytes(), UTF_8)).isEqualTo("bye\n");
            assertThat(acp.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(acp.exitValue()).isEqualTo(3);
        } finally {
            acp.destroyForcibly();
        }
    }

    @Test
    void anAgentThatIgnoresTheEndOfItsInputIsEndedWithAllItStarted() throws Exception {
        Ran ran = run(
                new byte[0],
                List.of("-o", file().toString(), "--grace", "300ms"),
                "sleep 1000 & echo $! >'" + temp.resolve("pid") + "'; while :; do sleep 1000; done");

        assertThat(ran.exitCode()).isEqualTo(143);
        assertThat(isAlive(temp.resolve("pid"))).isFalse();
    }

    @Test
    void anAgentThatStillTalksAfterTheEndOfItsInputIsHeardOut() throws Exception {
        Ran ran = run(
                new byte[0],
                List.of("-o", file().toString(), "--grace", "2s"),
                "cat; for i in 1 2 3 4 5 6; do echo $i; sleep 0.5; done");

        assertThat(ran.out()).isEqualTo("1\n2\n3\n4\n5\n6\n");
        assertThat(ran.exitCode()).isZero();
    }

    @Test
    void aTerminatedRelayLeavesNothingBehindAndAWholeTrace() throws Exception {
        Process acp = relay(
                        List.of("-o", file().toString()),
                        "sleep 1000 & echo $! >'" + temp.resolve("pid") + "'; echo ready; wait")
                .start();
        try {
            assertThat(acp.inputReader().readLine()).isEqualTo("ready");

            acp.destroy();

            assertThat(acp.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(acp.exitValue()).isEqualTo(143);
            assertThat(isAlive(temp.resolve("pid"))).isFalse();
            assertThat(events()).extracting(TraceEvent::type).contains(TraceEvent.Type.NOISE, TraceEvent.Type.END);
        } finally {
            acp.destroyForcibly();
        }
    }

    @Test
    void anEditorThatIsGoneEndsTheAgent() throws Exception {
        Process acp = relay(List.of("-o", file().toString()), "echo $$ >'" + temp.resolve("pid") + "'; exec yes")
                .start();
        try {
            assertThat(acp.inputReader().readLine()).isEqualTo("y");

            acp.getInputStream().close();

            assertThat(acp.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(acp.exitValue()).isEqualTo(141);
            assertThat(isAlive(temp.resolve("pid"))).isFalse();
        } finally {
            acp.destroyForcibly();
        }
    }

    @ParameterizedTest
    @CsvSource({"/dev/full, No space left on device", "/nowhere/a.jsonl, there is no /nowhere/a.jsonl"})
    @Tag("TRC-04")
    void whatCannotBeRecordedIsToldOnceAndTheAgentRunsOn(String output, String why) throws Exception {
        Ran ran = run(INITIALIZE.repeat(1000).getBytes(UTF_8), List.of("-o", output), "cat; exit 5");

        assertThat(ran.out()).isEqualTo(INITIALIZE.repeat(1000));
        assertThat(ran.exitCode()).isEqualTo(5);
        assertThat(ran.err()).isEqualTo("acp: recording has stopped, the agent continues: " + why + "\n");
    }

    @Test
    @Tag("TRC-04")
    void aTraceThatTakesNothingSlowsNothing() throws Exception {
        Path pipe = temp.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        byte[] input = INITIALIZE.repeat(800_000).getBytes(UTF_8);

        Ran ran = run(input, List.of("-o", pipe.toString()), "cat");

        assertThat(input.length).isGreaterThan(40 << 20);
        assertThat(ran.hasOut(input)).isTrue();
        assertThat(ran.exitCode()).isZero();
    }

    @Test
    void aHugeLineGoesThroughInLittleMemoryAndIsNotedInTheTrace() throws Exception {
        byte[] begin =
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"fs/write_text_file\",\"params\":{\"sessionId\":\"s1\",\"content\":\""
                        .getBytes(UTF_8);
        byte[] input = Arrays.copyOf(begin, 100 << 20);
        Arrays.fill(input, begin.length, input.length, (byte) 'x');
        input[input.length - 1] = '\n';
        ProcessBuilder builder = relay(List.of("-o", file().toString()), "cat");
        builder.environment().put("JAVA_TOOL_OPTIONS", "-Xmx128m");

        Ran ran = run(builder, input);

        assertThat(ran.hasOut(input)).isTrue();
        assertThat(ran.err()).doesNotContain("nothing more is recorded");
        // A busy machine may have to leave out some of it.
        assertThat(events())
                .anySatisfy(event ->
                        assertThat(String.valueOf(event.body())).containsAnyOf("leftOut", "bytes were not recorded"));
    }

    @Test
    void secretsAreTakenOutOfMessagesAndOfTheCommand() throws Exception {
        byte[] input = INITIALIZE.replace("{}", "{\"apiKey\":\"geheim-1\"}").getBytes(UTF_8);
        String script = "cat # --api-key sk-abcdefghijklmnop1234";

        run(input, script);
        String redacted = Files.readString(file());
        Ran open = run(input, List.of("-o", file().toString(), "--keep-secrets"), script);

        assertThat(redacted).doesNotContain("geheim", "abcdefghijklmnop").contains("\"apiKey\":\"***\"");
        assertThat(Files.readString(file())).contains("geheim-1");
        assertThat(open.err()).contains("secrets included");
    }

    @Test
    void withoutAFileTheTraceGoesWhereOnlyItsOwnerReadsIt() throws Exception {
        Ran ran = run(new byte[0], List.of(), "cat");

        Path folder = temp.resolve("state/acp/traces");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)))
                .isEqualTo("rwx------");
        try (Stream<Path> files = Files.list(folder)) {
            Path trace = files.findFirst().orElseThrow();
            assertThat(ran.err()).isEqualTo("acp: recording to " + trace + "\n");
            assertThat(trace.getFileName().toString()).matches("acp-\\d{8}-\\d{6}-\\d+\\.trace\\.jsonl");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(trace)))
                    .isEqualTo("rw-------");
        }
    }

    @Test
    void aCommandThatIsMissingIsTold() {
        AcpRun run = AcpRun.acp("trace", "-o", file().toString(), "--", "no-such-agent")
                .run();

        assertThat(run.exitCode()).isEqualTo(127);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).startsWith("acp: command not found: no-such-agent. ");
        assertThat(file()).doesNotExist();
    }

    /** Returns whether a process runs; one that has ended may wait for ever for somebody to take note of it. */
    private static boolean isAlive(Path pid) throws IOException {
        Path stat = Path.of("/proc", Files.readString(pid).strip(), "stat");
        return Files.exists(stat) && !Files.readString(stat).contains(") Z ");
    }
}
