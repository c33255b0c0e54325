package dev.acp4j.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.net.SocketFactory;

/**
 * {@code acp serve} with a process for each of a hundred clients: how soon it answers, what each costs the server, and
 * what is left of them.
 *
 * @param agent what is hosted
 * @param work where the tokens and the state of the server are
 */
record RemoteHosting(Scale scale, List<Subject> subjects, Subject agent, Path work) implements Workload {
    static final String TOKEN = "0123456789abcdef0123456789abcdef";
    private static final int CLIENTS = 100;

    @Override
    public String name() {
        return "remote, hosting";
    }

    @Override
    public int rounds() {
        return scale.fewRounds();
    }

    @Override
    public void measure(Subject subject, Sheet sheet) throws Exception {
        List<EventsOfHttp1> clients = new ArrayList<>();
        try (Child server = new Child(command(subject, agent, work), 2 * scale.patience())) {
            server.next();
            int port = port(server.text());
            clients.add(new EventsOfHttp1(SocketFactory.getDefault(), port, TOKEN));
            sheet.write("to the first session, ms", (System.nanoTime() - server.started) / 1e6);
            int descriptors = ProcessFigures.descriptors(server.pid());
            double memory = ProcessFigures.residentKibibytes(server.pid());
            long start = System.nanoTime();
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(new EventsOfHttp1(SocketFactory.getDefault(), port, TOKEN));
            }
            sheet.write("clients, /s", CLIENTS / ((System.nanoTime() - start) / 1e9));
            sheet.write("memory of each, KiB", (ProcessFigures.residentKibibytes(server.pid()) - memory) / CLIENTS);
            for (EventsOfHttp1 client : clients.subList(1, clients.size())) {
                client.end();
                client.close();
            }
            sheet.write("descriptors left", left(server.pid(), descriptors));
        } finally {
            for (EventsOfHttp1 client : clients) {
                client.close();
            }
        }
    }

    /** Returns what hosts an agent for as many clients as may come, at a free port. */
    static List<String> command(Subject serve, Subject agent, Path work) throws IOException {
        Path tokens = work.resolve("tokens");
        Files.deleteIfExists(tokens);
        Files.createFile(tokens, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(tokens, "bench " + TOKEN + "\n");
        List<String> options = new ArrayList<>(List.of("--port", "0", "--json", "--tokens", tokens.toString()));
        for (String limit : List.of("--connections-per-user", "--processes-per-user", "--processes", "--connections")) {
            options.addAll(List.of(limit, "1000"));
        }
        options.addAll(List.of("--starts-per-minute", "100000", "--requests-per-minute", "1000000", "--"));
        options.addAll(agent.command());
        return serve.with(options);
    }

    /** Returns the port in the line that announces it. */
    static int port(String announced) throws IOException {
        String before = "127.0.0.1:";
        int from = announced.indexOf(before);
        int to = announced.indexOf("/acp", from);
        if (from < 0 || to < 0) {
            throw new IOException("the server said: " + announced);
        }
        return Integer.parseInt(announced.substring(from + before.length(), to));
    }

    /** Returns how many descriptors more than before are open when none has been closed for two seconds. */
    private static int left(long pid, int before) throws IOException {
        int last = Integer.MAX_VALUE;
        int now = ProcessFigures.descriptors(pid);
        while (now > before && now < last) {
            last = now;
            LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(2));
            now = ProcessFigures.descriptors(pid);
        }
        return Math.max(0, now - before);
    }
}
