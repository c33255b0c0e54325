package dev.acp4j.cli.agents;

import com.sun.net.httpserver.HttpServer;
import dev.acp4j.cli.AcpRun;
import dev.acp4j.cli.TerminalRun;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An index of agents in a file, a host of their programs, and runs of {@code acp} that know no other. */
public final class AgentShelf implements AutoCloseable {
    /** A program that is an agent, or does what its first argument says. */
    private static final String AGENT = """
            #!/bin/sh
            # VERSION
            case $1 in
              cat) cat; exit 7 ;;
              key) printf '%s\\n' "$AGENT_KEY"; exit ;;
              stay) trap 'echo it goes on' INT; echo ready; for i in 1 2; do read -r line; [ "$line" = x ] && break; done; exit 9 ;;
            esac
            while read -r line; do
              id=$(printf '%s' "$line" | sed -n 's/.*"id":\\("*[^,"}]*"*\\).*/\\1/p')
              answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$id" "$1"; }
              case $line in
                *'"initialize"'*) answer '{"protocolVersion":1,"agentCapabilities":{"promptCapabilities":{"image":true}},"authMethods":[{"id":"key","name":"A key"}]}' ;;
                *'"session/new"'*) answer '{"sessionId":"s"}' ;;
                *'"session/prompt"'*)
                  echo '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"I am VERSION"}}}}'
                  answer '{"stopReason":"end_turn"}' ;;
                *'"id"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Unknown"}}\\n' "$id" ;;
              esac
            done
            """;

    private final Path folder;
    private final Path index;
    private final HttpServer server;
    private final Map<String, byte[]> files = new ConcurrentHashMap<>();
    private final Map<String, String> entries = new LinkedHashMap<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final Set<String> stalling = ConcurrentHashMap.newKeySet();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    public AgentShelf(Path folder) throws IOException {
        this.folder = folder;
        this.index = folder.resolve("index.json");
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String path = exchange.getRequestURI().getPath();
            requests.add(path);
            byte[] content = files.get(path);
            exchange.sendResponseHeaders(content == null ? 404 : 200, content == null ? -1 : content.length);
            if (content != null && stalling.remove(path)) {
                exchange.getResponseBody().write(content, 0, content.length / 2);
                exchange.getResponseBody().flush();
                awaitClosed();
            } else if (content != null) {
                exchange.getResponseBody().write(content);
            }
            exchange.close();
        });
        server.setExecutor(threads);
        server.start();
    }

    private void awaitClosed() {
        try {
            closed.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The next answer for a path stops in the middle. */
    void stall(String path) {
        stalling.add(path);
    }

    /** Paths that were asked for. */
    List<String> requests() {
        return requests;
    }

    static String program(String version) {
        return AGENT.replace("VERSION", version);
    }

    /** Puts an agent into the index, whose program is at {@code /PLACE/ID/VERSION}. */
    public void agent(String id, String version, String place, boolean hasDigest) throws IOException {
        byte[] program = program(version).getBytes(StandardCharsets.UTF_8);
        String path = "/" + place + "/" + id + "/" + version;
        files.put(path, program);
        String target = "{\"archive\":\"http://127.0.0.1:" + server.getAddress().getPort() + path + "\",\"cmd\":\"./"
                + id + "\"" + (hasDigest ? ",\"sha256\":\"" + sha256(program) + "\"" : "") + "}";
        entries.put(
                id,
                "{\"id\":\"" + id + "\",\"name\":\"" + id + "\",\"version\":\"" + version
                        + "\",\"description\":\"An agent.\",\"license\":\"MIT\",\"repository\":\"https://h.example/"
                        + place
                        + "\",\"distribution\":{\"binary\":{\"linux-x86_64\":" + target + ",\"linux-aarch64\":" + target
                        + ",\"darwin-aarch64\":" + target + "}}}");
        write();
    }

    /** Puts an entry into the index. */
    void entry(String id, String version, String distribution) throws IOException {
        entries.put(
                id,
                "{\"id\":\"" + id + "\",\"name\":\"" + id + "\",\"version\":\"" + version
                        + "\",\"description\":\"An agent.\",\"distribution\":" + distribution + "}");
        write();
    }

    /** Returns the address of the index, which the host has as well. */
    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/index.json";
    }

    /** The host has nothing at an address of it any more. */
    void forget(String url) {
        files.remove(URI.create(url).getPath());
    }

    void withdraw(String id) throws IOException {
        entries.remove(id);
        write();
    }

    private void write() throws IOException {
        String text = "{\"version\":\"1.0.0\",\"agents\":[" + String.join(",", entries.values()) + "]}";
        Files.writeString(index, text);
        files.put("/index.json", text.getBytes(StandardCharsets.UTF_8));
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns the variables of a user with these folders. */
    public Map<String, String> environment(String user) {
        String home = folder.resolve(user).toString();
        return Map.of(
                "XDG_DATA_HOME", home + "/data",
                "XDG_CACHE_HOME", home + "/cache",
                "XDG_CONFIG_HOME", home + "/config",
                "ACP_REGISTRY", index.toString());
    }

    AcpRun.Builder acp(String... args) {
        return acpOf("me", args);
    }

    AcpRun.Builder acpOf(String user, String... args) {
        AcpRun.Builder run = AcpRun.acp(args);
        environment(user).forEach(run::env);
        return run;
    }

    TerminalRun terminal(String... args) throws IOException {
        return TerminalRun.alone(folder, environment("me"), args);
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
        threads.close();
    }
}
