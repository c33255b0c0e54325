package dev.acp4j.soak;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.http.BearerTokens;
import dev.acp4j.http.Http;
import dev.acp4j.http.HttpServer;
import dev.acp4j.http.RemoteAgent;
import dev.acp4j.http.RunningServer;
import dev.acp4j.http.ServerLimits;
import dev.acp4j.http.Tls;
import dev.acp4j.process.Launch;
import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.schema.Version;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;

/**
 * 200 clients of a server, each behind a link that keeps failing, in both versions and on all ways, some of them
 * through {@code acp connect}: both ends agree message by message, and nothing stays.
 */
final class Remote implements Trial {
    private static final String TOKEN = "a-token-that-is-long-enough";
    private static final String PASSWORD = "soak-remote";
    private static final int LARGEST_UPDATE_KIB = 64;
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final long MOST_GROWTH_KIB = 1024;

    /** How many clients connect at a time: what is tried here is not a storm. */
    private static final int CONNECTING = 8;

    private enum Way {
        EVENTS,
        EVENTS_ON_HTTP2,
        WEBSOCKET,
        COMMAND,
        COMMAND_BY_WEBSOCKET
    }

    /** How often a way is used: a command is a JVM. */
    private static Way way(int client, boolean isBrief) {
        int commands = isBrief ? 1 : 4;
        return switch (client) {
            case 0 -> Way.COMMAND;
            case 1 -> Way.COMMAND_BY_WEBSOCKET;
            default ->
                client < 2 * commands
                        ? (client % 2 == 0 ? Way.COMMAND : Way.COMMAND_BY_WEBSOCKET)
                        : Way.values()[client / 2 % 3];
        };
    }

    /** The servers of a run: in clear text, and with TLS for HTTP/2. */
    private record Servers(RunningServer clear, RunningServer secure, String pin) implements AutoCloseable {
        @Override
        public void close() {
            clear.close();
            secure.close();
        }
    }

    @Override
    public void run(Run run) throws Exception {
        String mark = "remote-" + ProcessHandle.current().pid() + "-" + run.seed;
        Path folder = Files.createTempDirectory("acp4j-soak");
        try {
            KeyStore keys = keys(folder);
            // Loads classes, and begins the threads that the JDK keeps.
            soak(run, mark, keys, 4, false);
            Leftovers leftovers = new Leftovers(mark);
            soak(run, mark, keys, run.isBrief() ? 10 : 200, true);
            leftovers.expectNone(run);
        } finally {
            delete(folder);
        }
    }

    private static void soak(Run run, String mark, KeyStore keys, int clients, boolean lasts) throws Exception {
        Ledger ledger = new Ledger(run, true);
        List<BadLink> links = new ArrayList<>();
        Semaphore connecting = new Semaphore(CONNECTING);
        try {
            for (int i = 0; i < clients; i++) {
                links.add(new BadLink(run, run.random(1000 + i)));
            }
            Agent agent = new SoakAgent(run, ledger, false)
                    .agent(Limits.STANDARD)
                    .onProblem(problem -> run.fault("agent: " + problem.detail()))
                    .build();
            try (Servers servers = serve(agent, keys, links)) {
                List<Thread> users = new ArrayList<>();
                for (int i = 0; i < clients; i++) {
                    int number = i;
                    Way way = way(i, run.isBrief());
                    BadLink link = links.get(i);
                    link.leadTo((way == Way.EVENTS_ON_HTTP2 ? servers.secure : servers.clear)
                            .uri()
                            .getPort());
                    users.add(Thread.ofVirtual()
                            .name("user-" + i + " over " + way)
                            .start(() -> use(run, mark, ledger, connecting, number, way, link, servers.pin, lasts)));
                }
                if (lasts) {
                    watchMemory(run);
                }
                await(run, users);
            }
        } finally {
            for (BadLink link : links) {
                link.close();
            }
        }
        ledger.settleAll();
    }

    private static Servers serve(Agent agent, KeyStore keys, List<BadLink> links)
            throws IOException, GeneralSecurityException {
        HttpServer server = Http.on(0)
                .drainTime(Duration.ZERO)
                .tokens(BearerTokens.of("me", TOKEN))
                .limits(ServerLimits.STANDARD
                        .withConnections(400, 400)
                        // So that black holes are noticed within the run.
                        .withLiveness(Duration.ofSeconds(2), Duration.ofSeconds(20)))
                .allowedHosts(
                        links.stream().map(link -> "127.0.0.1:" + link.port()).toArray(String[]::new));
        byte[] certificate = keys.getCertificate("server").getEncoded();
        String pin =
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(certificate));
        RunningServer clear = server.start(agent::connect);
        try {
            return new Servers(clear, server.tls(Tls.of(keys, PASSWORD)).start(agent::connect), pin);
        } catch (IOException | RuntimeException e) {
            clear.close();
            throw e;
        }
    }

    private static void use(
            Run all,
            String mark,
            Ledger ledger,
            Semaphore connecting,
            int number,
            Way way,
            BadLink link,
            String pin,
            boolean lasts) {
        Run run = all.in(number % 2 == 0 ? Version.V1 : Version.V2);
        SoakClient client = new SoakClient(run, ledger, false);
        Client.Builder builder = client.client(Limits.STANDARD).onProblem(problem -> run.count("problems of clients"));
        run.count("clients over " + way);
        try (ConnectedAgent connection = connect(connecting, () -> connect(builder, mark, way, link, pin))) {
            if (lasts) {
                link.beginFaults();
            }
            SoakUser user = new SoakUser(run, ledger, connection, number, LARGEST_UPDATE_KIB, true, false);
            do {
                user.step();
                run.count("steps over " + way);
            } while (lasts && run.goesOn());
            user.close();
            if (lasts) {
                link.endFaults();
            }
        } catch (InterruptedException | RpcException | IllegalStateException e) {
            run.fault(Thread.currentThread().getName() + ", version " + run.version.number() + ": " + e);
        }
        client.terminals.expectNone();
    }

    private static ConnectedAgent connect(Semaphore connecting, Connecting how) throws InterruptedException {
        connecting.acquire();
        try {
            return how.connect();
        } finally {
            connecting.release();
        }
    }

    private interface Connecting {
        ConnectedAgent connect() throws InterruptedException;
    }

    private static ConnectedAgent connect(Client.Builder client, String mark, Way way, BadLink link, String pin)
            throws InterruptedException {
        String scheme = way == Way.EVENTS_ON_HTTP2 ? "https" : "http";
        URI uri = URI.create(scheme + "://127.0.0.1:" + link.port() + "/acp");
        boolean bySocket = way == Way.WEBSOCKET || way == Way.COMMAND_BY_WEBSOCKET;
        if (way == Way.COMMAND || way == Way.COMMAND_BY_WEBSOCKET) {
            List<String> command = new ArrayList<>(
                    SoakProgram.java("-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx64m"));
            command.addAll(List.of("dev.acp4j.cli.Acp", "connect", "--offer", "files,terminals"));
            command.addAll(List.of("--over", bySocket ? "websocket" : "events", uri.toString()));
            return client.connect(Launch.of(command.get(0), command.subList(1, command.size()))
                    .env("ACP_TOKEN", TOKEN)
                    .env(Leftovers.MARK, mark));
        }
        RemoteAgent remote = Http.to(uri)
                .over(bySocket ? RemoteAgent.Over.WEBSOCKET : RemoteAgent.Over.EVENTS)
                .bearer(() -> TOKEN);
        return client.connect(way == Way.EVENTS_ON_HTTP2 ? remote.pin(pin) : remote);
    }

    private static void await(Run run, List<Thread> users) throws InterruptedException {
        for (Thread user : users) {
            while (!user.join(Duration.ofSeconds(1))) {
                if (run.nanos() > run.time.plus(PATIENCE).toNanos()) {
                    run.fault(user.getName() + " hangs:\n  "
                            + String.join(
                                    "\n  ",
                                    Stream.of(user.getStackTrace())
                                            .map(StackTraceElement::toString)
                                            .toList()));
                    return;
                }
            }
        }
    }

    /** The heap of a long run is resident from its beginning, so what grows is beside it. */
    private static void watchMemory(Run run) {
        Run.lag(run.time.toMillis() / 2);
        long half = residentKib();
        while (run.goesOn()) {
            Run.lag(1000);
        }
        long minutes = Math.max(1, run.time.toMinutes() / 2);
        long growth = (residentKib() - half) / minutes;
        run.count("KiB more of resident memory a minute, in the second half", growth);
        if (!run.isBrief() && growth > MOST_GROWTH_KIB) {
            run.fault("resident memory grows by " + growth + " KiB a minute");
        }
    }

    private static long residentKib() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
            String line =
                    lines.filter(each -> each.startsWith("VmRSS:")).findFirst().orElseThrow();
            return Long.parseLong(line.replaceAll("[^0-9]", ""));
        } catch (IOException e) {
            throw new IllegalStateException("cannot read the memory of this process", e);
        }
    }

    private static KeyStore keys(Path folder) throws Exception {
        Path file = folder.resolve("server.p12");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "server",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=127.0.0.1",
                        "-ext",
                        "SAN=ip:127.0.0.1",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        file.toString(),
                        "-storepass",
                        PASSWORD)
                .inheritIO()
                .start();
        if (process.waitFor() != 0) {
            throw new IOException("keytool of the JDK has made no certificate");
        }
        return KeyStore.getInstance(file.toFile(), PASSWORD.toCharArray());
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
