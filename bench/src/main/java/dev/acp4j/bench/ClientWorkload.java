package dev.acp4j.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Clients hear three long turns of an agent that streams prepared bytes. The agent's clock tells when all was heard.
 */
record ClientWorkload(String name, Scale scale, List<Subject> subjects, Subject agent, Path work) implements Workload {
    private static final int TURNS = 3;
    private static final byte[] DONE = "done".getBytes(StandardCharsets.ISO_8859_1);

    @Override
    public int rounds() {
        return scale.rounds();
    }

    @Override
    public void measure(Subject subject, Sheet sheet) throws Exception {
        Path times = work.resolve("client-times");
        Files.deleteIfExists(times);
        List<String> command = subject.with(String.valueOf(TURNS), String.valueOf(scale.updates()));
        command.addAll(agent.with(times.toString()));
        try (Child client = new Child(command, scale.patience())) {
            for (int turn = 0; turn < TURNS; turn++) {
                client.next();
                if (!client.text().equals(String.valueOf(scale.updates() * 50L))) {
                    throw new IOException("heard " + client.text() + " characters of a turn");
                }
            }
            client.next();
            if (!client.has(DONE)) {
                throw new IOException("said " + client.text());
            }
            sheet.write("CPU with the start, s", ProcessFigures.cpuSeconds(client.pid()));
            sheet.write("peak memory, MiB", ProcessFigures.peakMebibytes(client.pid()));
        }
        List<String> nanos = Files.readAllLines(times);
        for (int turn = 0; turn < TURNS; turn++) {
            sheet.write("turn " + (turn + 1) + ", /s", scale.updates() / (Long.parseLong(nanos.get(turn)) / 1e9));
        }
    }
}
