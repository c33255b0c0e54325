package dev.acp4j.it.sidebyside;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** Starts the programs of a subject with a faulty peer, and says what became of it. */
final class Verdicts {
    /** The conversation went on, and nothing was lost. */
    static final String GOES_ON = "goes on";

    /** What cannot go on ended in time, and the reason was told. */
    static final String SAYS_WHY = "says why";

    private final Subject subject;
    private final Duration limit;
    private final Path folder;

    /**
     * Creates a judge.
     *
     * @param limit what takes longer hangs
     * @param folder for what the programs write
     */
    Verdicts(Subject subject, Duration limit, Path folder) {
        this.subject = subject;
        this.limit = limit;
        this.folder = folder;
    }

    static boolean isGood(String verdict) {
        return verdict.equals(GOES_ON) || verdict.equals(SAYS_WHY);
    }

    /** Judges a client whose agent has this fault. */
    String of(AgentFaults.Fault fault) throws IOException, InterruptedException {
        Path output = Files.createTempFile(folder, "client", ".out");
        Path processes = Files.createTempFile(folder, "client", ".pids");
        ProcessBuilder builder = new ProcessBuilder(command(fault, processes))
                .redirectOutput(output.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        if (fault.setting() == AgentFaults.Setting.ASCII) {
            builder.environment().put("LC_ALL", "C");
        }
        Process client = builder.start();
        client.getOutputStream().close();
        boolean exited = client.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS);
        String stayed = exited ? leftOver(processes) : "";
        end(client);
        leftOver(processes);
        return judge(fault, Files.readString(output, StandardCharsets.UTF_8), exited) + stayed;
    }

    private List<String> command(AgentFaults.Fault fault, Path processes) {
        boolean ascii = fault.setting() == AgentFaults.Setting.ASCII;
        List<String> command = Subject.with(subject.client(), ascii ? "-Dfile.encoding=COMPAT" : "", "");
        command.add(fault.setting() == AgentFaults.Setting.IMPATIENT ? "2" : "30");
        // The agent itself writes UTF-8 whatever the platform says.
        command.addAll(Subject.java("rogue", RogueAgent.class, RogueAgent.class).agent());
        command.add(fault.title());
        command.add(processes.toString());
        return command;
    }

    private static String judge(AgentFaults.Fault fault, String output, boolean exited) {
        List<String[]> steps = output.lines()
                .map(line -> line.split("\t", -1))
                .filter(step -> step.length == 4)
                .toList();
        List<String> failures = details(steps, "failed");
        int turns = details(steps, "answered").size();
        if (details(steps, "closed").isEmpty() || !exited) {
            return exited ? "dies" : "hangs";
        }
        boolean told = failures.stream().anyMatch(Pattern.compile(fault.why()).asPredicate());
        if (!fault.mustGoOn()) {
            return failures.isEmpty() ? "does not notice" : told ? SAYS_WHY : "does not say why";
        }
        if (fault.why().isEmpty() ? !failures.isEmpty() : !told) {
            return failures.isEmpty()
                    ? "does not notice"
                    : turns > 0 && !last(steps, "failed") ? "a turn fails" : "the connection fails";
        }
        StringBuilder heard = new StringBuilder();
        steps.forEach(step -> heard.append(step[1]));
        return same(heard.toString(), fault.heard()) && knows(steps, fault.tool()) ? GOES_ON : "mishears";
    }

    private static boolean same(String heard, String expected) {
        if (expected.length() < 50_000) {
            return heard.equals(Report.shown(expected));
        }
        // What is long was told by its length and hash; the text of the second turn is behind it.
        String first = expected.substring(0, expected.length() - "fine".length());
        return heard.equals(Report.shown(first) + "fine");
    }

    /** Returns whether the tool call is known in the end; programs print them as their languages do. */
    private static boolean knows(List<String[]> steps, String tool) {
        String tools = steps.get(steps.size() - 1)[3].replace("\"", "").replace(':', '=');
        return tools.contains(tool);
    }

    private static boolean last(List<String[]> steps, String name) {
        return steps.get(steps.size() - 2)[0].equals(name);
    }

    private static List<String> details(List<String[]> steps, String name) {
        return steps.stream()
                .filter(step -> step[0].equals(name))
                .map(step -> step[2])
                .toList();
    }

    /** Ends the processes of this file that are there after a while. */
    private static String leftOver(Path processes) throws IOException, InterruptedException {
        List<ProcessHandle> left = new ArrayList<>();
        for (String pid : Files.readAllLines(processes)) {
            Optional<ProcessHandle> process = ProcessHandle.of(Long.parseLong(pid));
            process.filter(there -> !endsSoon(there)).ifPresent(left::add);
        }
        left.forEach(ProcessHandle::destroyForcibly);
        return left.isEmpty() ? "" : ", leaves a process";
    }

    private static boolean endsSoon(ProcessHandle process) {
        try {
            process.onExit().get(3, TimeUnit.SECONDS);
            return true;
        } catch (Exception e) {
            return false;
        }
    }

    /** Judges an agent whose client does this. */
    String of(ClientFaults.Fault fault) throws Exception {
        String java = switch (fault.setting()) {
            case NONE -> "";
            case ASCII -> "-Dfile.encoding=COMPAT";
            case SMALL -> "-Xmx192m";
        };
        String node = fault.setting() == ClientFaults.Setting.SMALL ? "--max-old-space-size=192" : "";
        ProcessBuilder builder = new ProcessBuilder(Subject.with(subject.agent(), java, node))
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        if (fault.setting() == ClientFaults.Setting.ASCII) {
            builder.environment().put("LC_ALL", "C");
        }
        Process agent = builder.start();
        try {
            fault.script().play(new RogueClient(agent, limit));
            return GOES_ON;
        } catch (RogueClient.Wrong wrong) {
            return String.valueOf(wrong.getMessage());
        } finally {
            end(agent);
        }
    }

    private static void end(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
