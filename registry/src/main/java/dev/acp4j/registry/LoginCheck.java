package dev.acp4j.registry;

import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import dev.acp4j.process.Launch;
import dev.acp4j.process.ProcessTree;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The handshake by which the registry judges whether an agent has a way to log in: it starts the agent in an empty
 * home, sends {@code initialize}, and reads the first line of standard output and no more.
 */
public final class LoginCheck {
    /** The time in which the agent must answer. */
    public static final Duration TIME = Duration.ofMinutes(2);

    private static final int LONGEST_LINE = 1 << 20;
    private static final Duration LAST_WORDS = Duration.ofSeconds(2);
    private static final int STDERR_BYTES = 8192;
    private static final Duration GRACE = Duration.ofSeconds(2);
    private static final List<String> PASSED = List.of(
            "CI",
            "COMSPEC",
            "NPM_CONFIG_CACHE",
            "NODE_EXTRA_CA_CERTS",
            "PATH",
            "PATHEXT",
            "REQUESTS_CA_BUNDLE",
            "SSL_CERT_DIR",
            "SSL_CERT_FILE",
            "SystemRoot",
            "TMP",
            "TMPDIR",
            "TEMP",
            "UV_CACHE_DIR",
            "WINDIR");
    private static final String INITIALIZE = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
            + "\"protocolVersion\":1,\"clientInfo\":{\"name\":\"acp agents validate\",\"version\":\"1.0.0\"},"
            + "\"clientCapabilities\":{\"terminal\":true,\"fs\":{\"readTextFile\":true,\"writeTextFile\":true},"
            + "\"_meta\":{\"terminal_output\":true,\"terminal-auth\":true}}}}\n";

    private LoginCheck() {}

    /**
     * Plays the handshake.
     *
     * @param launch what starts the agent
     * @param time the time in which it must answer; the registry's is {@link #TIME}
     * @return what the registry would say; empty if it would list the agent
     */
    public static List<EntryCheck.Finding> play(Launch launch, Duration time) throws IOException, InterruptedException {
        Path home = Files.createTempDirectory("acp-check-");
        try {
            Path cwd = Files.createDirectory(home.resolve("work"));
            ProcessBuilder builder = new ProcessBuilder(command(launch)).directory(cwd.toFile());
            builder.environment().clear();
            builder.environment().putAll(environment(launch, home));
            ProcessTree tree = ProcessTree.start(builder);
            try {
                return play(tree.root(), time);
            } finally {
                ProcessTree.Ending unused = tree.end(Duration.ZERO, GRACE);
            }
        } finally {
            delete(home);
        }
    }

    /** A process that the agent has left may still write there: best effort, in the system's temporary folder. */
    private static void delete(Path home) {
        try {
            long unused = Folders.delete(home);
        } catch (IOException e) {
            // What is left says nothing of the agent.
        }
    }

    private static List<String> command(Launch launch) throws IOException {
        List<String> command = new ArrayList<>(List.of(launch.program().toString()));
        command.addAll(launch.arguments());
        return command;
    }

    private static Map<String, String> environment(Launch launch, Path home) {
        Map<String, String> environment = new TreeMap<>();
        for (String name : PASSED) {
            String value = System.getenv(name);
            if (value != null && !value.isEmpty()) {
                environment.put(name, value);
            }
        }
        environment.put("TERM", "dumb");
        environment.put("HOME", home.toString());
        environment.put("USERPROFILE", home.toString());
        environment.putAll(launch.declared());
        return environment;
    }

    private static List<EntryCheck.Finding> play(Process agent, Duration time) throws InterruptedException {
        FutureTask<String> first = new FutureTask<>(() -> firstLine(agent));
        Thread reader = Thread.ofPlatform().daemon().name("acp-check-out").start(first);
        ByteArrayOutputStream stderr = new ByteArrayOutputStream();
        Thread drain = Thread.ofPlatform().daemon().name("acp-check-err").start(() -> drain(agent, stderr));
        try {
            String line = first.get(time.toNanos(), TimeUnit.NANOSECONDS);
            return judge(line);
        } catch (TimeoutException e) {
            return List.of(
                    error("the agent did not answer initialize within " + time.toSeconds() + " s" + last(stderr)));
        } catch (ExecutionException e) {
            // What it said last explains why it ended, and may still be on its way.
            boolean unused = drain.join(LAST_WORDS);
            return List.of(error("the agent did not answer initialize: " + reason(e) + last(stderr)));
        } finally {
            agent.destroy();
            reader.interrupt();
            drain.interrupt();
        }
    }

    private static String reason(ExecutionException e) {
        Throwable cause = e.getCause();
        return String.valueOf(cause == null ? e.getMessage() : cause.getMessage());
    }

    private static String firstLine(Process agent) throws IOException {
        try {
            OutputStream in = agent.getOutputStream();
            in.write(INITIALIZE.getBytes(StandardCharsets.UTF_8));
            in.flush();
        } catch (IOException e) {
            // It has ended; what it wrote says more.
        }
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        InputStream out = agent.getInputStream();
        for (int b = out.read(); b != '\n'; b = out.read()) {
            if (b < 0) {
                throw new IOException("it ended" + (line.size() == 0 ? "" : " within a line"));
            }
            line.write(b);
            if (line.size() > LONGEST_LINE) {
                throw new IOException("its first line does not end");
            }
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    private static void drain(Process agent, ByteArrayOutputStream kept) {
        byte[] buffer = new byte[4096];
        try {
            InputStream err = agent.getErrorStream();
            for (int n = err.read(buffer); n >= 0; n = err.read(buffer)) {
                if (kept.size() < STDERR_BYTES) {
                    kept.write(buffer, 0, n);
                }
            }
        } catch (IOException e) {
            // The process has ended.
        }
    }

    private static String last(ByteArrayOutputStream stderr) {
        String text = stderr.toString(StandardCharsets.UTF_8).strip();
        return text.isEmpty() ? "" : "; on standard error: " + text.substring(Math.max(0, text.length() - 400));
    }

    private static EntryCheck.Finding error(String text) {
        return new EntryCheck.Finding(EntryCheck.Severity.ERROR, "login", text);
    }

    private static List<EntryCheck.Finding> judge(String line) {
        JsonObject answer;
        try {
            answer = Json.object(RawJson.parse(line.strip()).value(), "the answer");
        } catch (JsonException | IllegalArgumentException e) {
            return List.of(error("the first line on standard output is not a message of the protocol: " + line.strip()
                    + ". Logs belong to standard error"));
        }
        if (answer.get("error").isPresent()) {
            return List.of(error("the agent answered initialize with an error: "
                    + answer.get("error").get()));
        }
        if (!(answer.get("result").orElse(null) instanceof JsonObject result)) {
            return List.of(error("the first message is not the answer to initialize: " + line.strip()));
        }
        List<String> types = new ArrayList<>();
        if (result.get("authMethods").orElse(null) instanceof JsonArray methods) {
            methods.elements().forEach(method -> types.add(type(method)));
        }
        if (types.contains("agent") || types.contains("terminal")) {
            return List.of();
        }
        return List.of(error((types.isEmpty()
                        ? "the agent offers no way to log in"
                        : "no way to log in is of type agent or terminal: " + types)
                + ". The registry does not say auth.terminal among its capabilities, so that an agent that offers a"
                + " terminal only to clients that do must offer a method of type agent, too"));
    }

    private static String type(JsonValue method) {
        if (!(method instanceof JsonObject object)) {
            return "none";
        }
        JsonObject meta =
                object.get("_meta").orElse(null) instanceof JsonObject found ? found : JsonObject.of(Map.of());
        String told = object.text("type").orElse("");
        if (!told.isEmpty()) {
            return told;
        }
        return meta.get("terminal-auth").isPresent() ? "terminal" : "agent";
    }
}
