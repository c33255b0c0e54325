package dev.acp4j.cli.conduct;

import dev.acp4j.Agent;
import dev.acp4j.Stdio;
import dev.acp4j.json.RawJson;
import dev.acp4j.mcp.McpServers;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.Method;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** The programs of chains in tests; the first argument says which. */
public final class ConductedProgram {
    private ConductedProgram() {}

    /** Serves on standard input and output. */
    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "echo" -> {
                System.err.println(
                        "in " + Path.of("").toAbsolutePath().getFileName() + " with " + System.getenv("CONDUCTED"));
                Agent.builder("echo", "1")
                        .onPrompt(turn -> turn.message(turn.text()))
                        .serve(Stdio.system());
            }
            case "resumes" ->
                Agent.builder("resumes", "1")
                        .onPrompt(turn -> turn.message(turn.text()))
                        .onResumeSession(session -> {})
                        .serve(Stdio.system());
            case "hangs-once" -> hangsOnce(Path.of(args[1]));
            case "calls" -> calls(McpServers.builder().http());
            case "calls-programs" -> calls(McpServers.builder());
            case "elsewhere" -> elsewhere();
            case "adds" -> {
                System.err.println("I add " + args[1] + " with " + System.getenv("CONDUCTED") + " and "
                        + System.getenv("OWN_TOKEN"));
                Proxy.builder("adds", "1")
                        .onPrompt((prompt, hop) -> hop.forward(prompt.append(ContentBlock.text(args[1]))))
                        .build()
                        .serve(Stdio.system());
            }
            case "broken" -> broken(args[1]).serve(Stdio.system());
            case "wraps" -> wraps(List.of(args).subList(1, args.length));
            case "noisy" -> {
                for (int i = 0; i < 2_000; i++) {
                    System.err.println("x".repeat(1_000));
                }
                Proxy.builder("noisy", "1").build().serve(Stdio.system());
            }
            case "touches" -> Files.createFile(Path.of(args[1]));
            case "exits" -> System.exit(Integer.parseInt(args[1]));
            case "dies" -> {
                var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
                System.err.println("got " + in.readLine());
                System.exit(4);
            }
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    /** An agent that resumes sessions, and whose first turn never ends; a file says that there was one. */
    private static void hangsOnce(Path file) throws InterruptedException {
        Agent.builder("hangs", "1")
                .onPrompt(turn -> {
                    if (Files.notExists(file)) {
                        Files.createFile(file);
                        hang();
                    }
                    turn.message(turn.text());
                })
                .onResumeSession(session -> {})
                .serve(Stdio.system());
    }

    private static void hang() {
        while (true) {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                // It hangs.
            }
        }
    }

    /** An agent that connects MCP servers, and calls the tool that its prompt names. */
    private static void calls(McpServers.Builder servers) throws InterruptedException {
        Agent.Builder agent = Agent.builder("calls", "1")
                .onPrompt(turn -> turn.message(McpServers.of(turn)
                        .call(turn, turn.text(), RawJson.EMPTY_OBJECT)
                        .text()));
        servers.patience(Duration.ofSeconds(50))
                .asks(tool -> false)
                .addTo(agent)
                .serve(Stdio.system());
    }

    /**
     * An agent that says where it is, what the client has in the file that its prompt names, and which tools it has.
     */
    private static void elsewhere() throws InterruptedException {
        Agent.Builder agent = Agent.builder("elsewhere", "1").onPrompt(turn -> {
            Path cwd = turn.session().cwd();
            List<String> tools = McpServers.of(turn).tools(turn).stream()
                    .map(tool -> tool.modelName())
                    .toList();
            turn.message(cwd + ": " + turn.files().readText(cwd.resolve(turn.text())) + " " + tools);
        });
        McpServers.builder().addTo(agent).serve(Stdio.system());
    }

    /** A proxy with one fault. */
    private static Proxy broken(String fault) {
        Proxy.Builder proxy = Proxy.builder("broken", "1");
        Proxy.Builder broken = switch (fault) {
            case "drops" -> proxy.onNotifications(Method.Side.CLIENT, "_acp_doctor/echo"::equals, (params, hop) -> {});
            case "meta" ->
                proxy.onRequests(
                        Method.Side.AGENT,
                        "_acp_doctor/echo"::equals,
                        (params, hop) -> hop.forward(RawJson.EMPTY_OBJECT));
            case "errors" ->
                proxy.onRequests(Method.Side.AGENT, "_acp_doctor/fail"::equals, (params, hop) -> {
                    if (hop.forward().isError()) {
                        throw new IllegalStateException("it failed");
                    }
                    return hop.answer(params);
                });
            case "order" ->
                proxy.onNotifications(Method.Side.CLIENT, "session/update"::equals, (params, hop) -> {
                    if (!params.toString().contains("update 7.")) {
                        hop.forward();
                    }
                });
            case "cancel" -> proxy.onNotifications(Method.Side.AGENT, "session/cancel"::equals, (params, hop) -> {});
            case "capabilities" ->
                proxy.onRequests(
                        Method.Side.AGENT,
                        "initialize"::equals,
                        (params, hop) -> hop.forward()
                                .with(
                                        RawJson.parse(
                                                hop.version().number() == 1
                                                        ? "{\"protocolVersion\":1,\"agentCapabilities\":{\"loadSession\":true,\"_own\":{}}}"
                                                        : "{\"protocolVersion\":2,\"info\":{\"name\":\"a\",\"version\":\"1\"}}")));
            default -> throw new IllegalArgumentException(fault);
        };
        return broken.build();
    }

    /** Starts an agent, and copies all bytes; a wrapper. */
    private static void wraps(List<String> command) throws Exception {
        System.err.println("I wrap " + command.get(command.size() - 1));
        Process agent = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        Thread.ofPlatform().daemon().start(() -> {
            try (OutputStream to = agent.getOutputStream()) {
                copy(System.in, to);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        copy(agent.getInputStream(), System.out);
        System.exit(agent.waitFor());
    }

    private static void copy(InputStream from, OutputStream to) throws IOException {
        byte[] bytes = new byte[8192];
        for (int read; (read = from.read(bytes)) >= 0; ) {
            to.write(bytes, 0, read);
            to.flush();
        }
    }
}
