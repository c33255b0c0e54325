package dev.acp4j.soak;

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Many sessions with slow consumers and large updates, both ends in one process with a heap of 256 MB. */
final class SmallHeap implements Trial {
    static final String INSIDE = "slow";

    @Override
    public void run(Run run) throws Exception {
        List<String> command = new ArrayList<>(SoakProgram.java("-Xmx256m", "-XX:+ExitOnOutOfMemoryError"));
        command.addAll(List.of(
                Soak.class.getName(), "--protocol", "" + run.version.number(), "--seed", "" + run.seed, INSIDE));
        if (run.isBrief()) {
            command.add("--brief");
        }
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            String said = "";
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                System.out.println(line);
                said = line.contains("WRONG") ? line : said;
            }
            int exit = process.waitFor();
            if (exit != 0) {
                run.fault("the process ended with exit code " + exit + "; it says why above: " + said);
            }
        } finally {
            process.destroyForcibly();
        }
    }
}
