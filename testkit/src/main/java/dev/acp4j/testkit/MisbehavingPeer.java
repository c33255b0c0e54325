package dev.acp4j.testkit;

import dev.acp4j.schema.Version;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A program for each {@link Misbehaviour}, to test agents and clients in any language.
 *
 * <pre>
 * java -cp … dev.acp4j.testkit.MisbehavingPeer list
 * java -cp … dev.acp4j.testkit.MisbehavingPeer agent NAME
 * java -cp … dev.acp4j.testkit.MisbehavingPeer client [--protocol 1|2] NAME COMMAND ARGUMENT …
 * </pre>
 *
 * <p>{@code agent} is a bad agent on standard input and output. {@code client} starts an agent, acts as a bad client,
 * and prints how the agent reacted; {@code all} as a name does that for each, with a new agent every time. The exit
 * code is 0 if the agent reacted correctly, 1 if not, 2 if the arguments are invalid.
 */
public final class MisbehavingPeer {
    private static final long SECONDS = 30;

    private MisbehavingPeer() {}

    /** Runs the program. */
    public static void main(String[] args) throws IOException, InterruptedException {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        int code = run(List.of(args), out);
        out.flush();
        Runtime.getRuntime().halt(code);
    }

    private static int run(List<String> args, PrintStream out) throws IOException, InterruptedException {
        if (args.equals(List.of("list"))) {
            Misbehaviour.agents().forEach(each -> out.println("agent  " + line(each)));
            Misbehaviour.clients().forEach(each -> out.println("client " + line(each)));
            return 0;
        }
        if (args.size() == 2 && args.get(0).equals("agent")) {
            return agent(args.get(1));
        }
        if (args.size() > 2 && args.get(0).equals("client")) {
            boolean chosen = args.size() > 4 && args.get(1).equals("--protocol");
            Version version = chosen && args.get(2).equals("2") ? Version.V2 : Version.V1;
            List<String> rest = args.subList(chosen ? 3 : 1, args.size());
            return clients(rest.getFirst(), version, rest.subList(1, rest.size()), out);
        }
        System.err.println("expected: list | agent NAME | client [--protocol 1|2] NAME COMMAND ARGUMENT …");
        return 2;
    }

    private static String line(Misbehaviour each) {
        return String.format("%-28s %s (%s)", each.name(), each.description(), each.reaction());
    }

    private static int agent(String name) throws IOException {
        Misbehaviour bad = Misbehaviour.agent(name).orElse(null);
        if (bad == null) {
            return unknown(name);
        }
        bad.play(new FileInputStream(FileDescriptor.in), new FileOutputStream(FileDescriptor.out));
        return 0;
    }

    private static int unknown(String name) {
        System.err.println("unknown misbehaviour: " + name + "; 'list' prints all");
        return 2;
    }

    private static int clients(String name, Version version, List<String> command, PrintStream out)
            throws IOException, InterruptedException {
        List<Misbehaviour> chosen = name.equals("all")
                ? Misbehaviour.clients()
                : Misbehaviour.client(name).stream().toList();
        if (chosen.isEmpty()) {
            return unknown(name);
        }
        int code = 0;
        for (Misbehaviour each : chosen) {
            String wrong = reaction(each, version, command);
            out.println(String.format("%-22s %s", each.name(), wrong.isEmpty() ? "good" : wrong));
            code = wrong.isEmpty() ? code : 1;
        }
        return code;
    }

    /** Returns the fault of the agent; empty if there is none. */
    private static String reaction(Misbehaviour bad, Version version, List<String> command)
            throws IOException, InterruptedException {
        Process agent = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        FutureTask<Void> playing = new FutureTask<>(() -> {
            bad.play(agent.getInputStream(), agent.getOutputStream(), version);
            return null;
        });
        Thread.ofPlatform().daemon().start(playing);
        try {
            playing.get(SECONDS, TimeUnit.SECONDS);
            return agent.waitFor(SECONDS, TimeUnit.SECONDS) ? "" : "keeps running when its input has ended";
        } catch (TimeoutException e) {
            return "does not react for " + SECONDS + " s";
        } catch (ExecutionException e) {
            return String.valueOf(e.getCause());
        } finally {
            agent.descendants().forEach(ProcessHandle::destroyForcibly);
            agent.destroyForcibly();
        }
    }
}
