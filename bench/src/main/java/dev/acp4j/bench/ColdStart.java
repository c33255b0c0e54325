package dev.acp4j.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Measures the cold start of agents: from spawning the process to reading its answer to {@code initialize}. The agents
 * take turns, so that a machine that becomes slower becomes slower for all of them; compare the ratios.
 *
 * <p>{@code ColdStart RUNS NAME COMMAND [NAME COMMAND]…}; each command is one argument, split at spaces.
 */
final class ColdStart {
    private static final String INITIALIZE =
            "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":1,"
                    + "\"clientCapabilities\":{},\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}}\n";
    private static final int WARM_UP = 3;

    private record Agent(String name, List<String> command, List<Double> millis) {}

    private ColdStart() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        if (args.length < 3 || args.length % 2 == 0) {
            System.err.println("usage: ColdStart RUNS NAME COMMAND [NAME COMMAND]...");
            System.exit(2);
        }
        int runs = Integer.parseInt(args[0]);
        List<Agent> agents = new ArrayList<>();
        for (int i = 1; i < args.length; i += 2) {
            agents.add(new Agent(args[i], List.of(args[i + 1].split(" ")), new ArrayList<>()));
        }
        for (int run = -WARM_UP; run < runs; run++) {
            for (Agent agent : agents) {
                double millis = measure(agent.command());
                if (run >= 0) {
                    agent.millis().add(millis);
                }
            }
        }
        print(agents);
    }

    private static double measure(List<String> command) throws IOException, InterruptedException {
        long start = System.nanoTime();
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (var stdin = process.getOutputStream();
                BufferedReader stdout = process.inputReader(StandardCharsets.UTF_8)) {
            stdin.write(INITIALIZE.getBytes(StandardCharsets.UTF_8));
            stdin.flush();
            String answer = stdout.readLine();
            long end = System.nanoTime();
            if (answer == null || !answer.contains("\"protocolVersion\"")) {
                throw new IOException(command + " answered " + answer);
            }
            return (end - start) / 1e6;
        } finally {
            process.waitFor();
        }
    }

    private static void print(List<Agent> agents) {
        System.out.printf(Locale.ROOT, "%-28s %8s %8s %8s %8s%n", "agent", "min ms", "median", "max", "ratio");
        double first = 0;
        for (Agent agent : agents) {
            double[] millis =
                    agent.millis().stream().mapToDouble(Double::doubleValue).toArray();
            Arrays.sort(millis);
            double median = millis[millis.length / 2];
            first = first == 0 ? median : first;
            System.out.printf(
                    Locale.ROOT,
                    "%-28s %8.1f %8.1f %8.1f %8.2f%n",
                    agent.name(),
                    millis[0],
                    median,
                    millis[millis.length - 1],
                    median / first);
        }
    }
}
