package dev.acp4j.soak;

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A trial in a process of its own, with a heap of its own. */
final class OwnProcess implements Trial {
    private final String inside;
    private final String[] options;

    /**
     * Makes one.
     *
     * @param inside the name of the trial
     * @param options for the JVM
     */
    OwnProcess(String inside, String... options) {
        this.inside = inside;
        this.options = options.clone();
    }

    @Override
    public void run(Run run) throws Exception {
        List<String> command = new ArrayList<>(SoakProgram.java(options));
        command.addAll(List.of(
                Soak.class.getName(),
                "--protocol",
                "" + run.version.number(),
                "--seed",
                "" + run.seed,
                "--minutes",
                "" + run.time.toMinutes(),
                inside));
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
