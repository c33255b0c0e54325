package dev.acp4j.bench;

import java.io.IOException;
import java.util.List;

/** Programs start, start an MCP server, greet it, list its tools and call one: what a session waits for, cold. */
record McpWorkload(Scale scale, List<Subject> subjects, Subject server) implements Workload {
    @Override
    public String name() {
        return "MCP server, cold";
    }

    @Override
    public int rounds() {
        return scale.starts();
    }

    @Override
    public void measure(Subject subject, Sheet sheet) throws Exception {
        try (Child client = new Child(subject.with(server.command()), scale.patience())) {
            use(client);
            sheet.write("start, list and call, ms", (System.nanoTime() - client.started) / 1e6);
            sheet.write("peak memory, MiB", ProcessFigures.peakMebibytes(client.pid()));
        }
    }

    private static void use(Child client) throws IOException {
        client.next();
        if (!client.text().equals("said")) {
            throw new IOException("the tool returned " + client.text());
        }
    }

    /** Plays the same with a program, and lets it end. */
    static void train(Subject subject, Subject server, int seconds) throws IOException, InterruptedException {
        try (Child client = new Child(subject.with(server.command()), seconds)) {
            use(client);
            client.finish();
        }
    }
}
