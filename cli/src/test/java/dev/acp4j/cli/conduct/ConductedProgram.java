package dev.acp4j.cli.conduct;

import dev.acp4j.Agent;
import dev.acp4j.Stdio;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.schema.ContentBlock;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

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
            case "adds" -> {
                System.err.println("I add " + args[1]);
                Proxy.builder("adds", "1")
                        .onPrompt((prompt, hop) -> hop.forward(prompt.append(ContentBlock.text(args[1]))))
                        .build()
                        .serve(Stdio.system());
            }
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
}
