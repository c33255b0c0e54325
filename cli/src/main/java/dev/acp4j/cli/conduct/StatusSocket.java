package dev.acp4j.cli.conduct;

import dev.acp4j.cli.command.IoProblem;
import dev.acp4j.cli.command.StateFolder;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.proxy.ComponentStatus;
import dev.acp4j.proxy.RunningChain;
import dev.acp4j.proxy.TurnTime;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Writes the state of a running chain to each program that connects, as one line of JSON. It is a socket in a folder
 * that only the user can open; there is no port.
 */
final class StatusSocket {
    private static final String ENDING = ".sock";
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final RunningChain chain;
    private final ServerSocketChannel server;
    private final Path file;

    private StatusSocket(RunningChain chain, ServerSocketChannel server, Path file) {
        this.chain = chain;
        this.server = server;
        this.file = file;
    }

    /** Opens the socket of a chain; null where that is impossible, which does not concern the chain. */
    static @Nullable StatusSocket open(RunningChain chain, Consumer<String> report) {
        try {
            Path folder = StateFolder.createForUser(folder());
            Path file = folder.resolve(ProcessHandle.current().pid() + ENDING);
            ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            boolean isBound = false;
            try {
                Files.deleteIfExists(file);
                server.bind(UnixDomainSocketAddress.of(file));
                isBound = true;
            } finally {
                if (!isBound) {
                    server.close();
                }
            }
            StatusSocket socket = new StatusSocket(chain, server, file);
            Thread.ofPlatform().daemon().name("acp-chain-status").start(socket::serve);
            return socket;
        } catch (IOException | UnsupportedOperationException e) {
            String why = e instanceof IOException failure ? IoProblem.text(failure) : String.valueOf(e.getMessage());
            report.accept("acp conduct status will not show this chain: " + why);
            return null;
        }
    }

    private static Path folder() {
        String runtime = System.getenv("XDG_RUNTIME_DIR");
        return runtime != null && runtime.startsWith("/")
                ? Path.of(runtime, "acp-chains")
                : StateFolder.path().resolve("chains");
    }

    /** Returns the lines of all running chains of this user, and removes what killed ones have left. */
    static List<String> all() throws IOException {
        List<Path> files;
        try (Stream<Path> found = Files.list(folder())) {
            files = found.filter(path -> path.toString().endsWith(ENDING))
                    .sorted()
                    .toList();
        } catch (NoSuchFileException e) {
            return List.of();
        }
        List<String> lines = new ArrayList<>();
        for (Path file : files) {
            String name = file.getFileName().toString();
            String pid = name.substring(0, name.length() - ENDING.length());
            try (SocketChannel socket = SocketChannel.open(UnixDomainSocketAddress.of(file))) {
                lines.add(read(socket));
            } catch (ConnectException e) {
                if (!isAlive(pid)) {
                    Files.deleteIfExists(file);
                }
            } catch (IOException e) {
                lines.add(problem(pid, IoProblem.text(e)));
            }
        }
        return lines;
    }

    private static boolean isAlive(String pid) {
        try {
            return ProcessHandle.of(Long.parseLong(pid)).isPresent();
        } catch (NumberFormatException e) {
            return false;
        }
    }

    /** Reads a line. A chain that was stopped still lets others connect, and says nothing. */
    private static String read(SocketChannel socket) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        ByteBuffer part = ByteBuffer.allocate(8192);
        long end = System.nanoTime() + PATIENCE.toNanos();
        socket.configureBlocking(false);
        try (Selector selector = Selector.open()) {
            socket.register(selector, SelectionKey.OP_READ);
            int read = 0;
            while (read >= 0) {
                long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (left <= 0 || selector.select(left) == 0) {
                    throw new IOException("it does not answer");
                }
                selector.selectedKeys().clear();
                read = socket.read(part.clear());
                line.write(part.array(), 0, part.position());
            }
        }
        if (line.size() == 0) {
            throw new IOException("it gave no answer");
        }
        return line.toString(StandardCharsets.UTF_8).strip();
    }

    private static String problem(String pid, String what) {
        JsonWriter json = new JsonWriter();
        json.beginObject();
        json.name("pid");
        json.string(pid);
        json.name("problem");
        json.string(what);
        json.endObject();
        return json.toRawJson().toString();
    }

    private void serve() {
        while (true) {
            try (SocketChannel asking = server.accept()) {
                ByteBuffer text = ByteBuffer.wrap((line() + "\n").getBytes(StandardCharsets.UTF_8));
                while (text.hasRemaining()) {
                    asking.write(text);
                }
            } catch (IOException | RuntimeException e) {
                // Who asked learns that there is no answer.
                if (!server.isOpen()) {
                    return;
                }
            }
        }
    }

    private String line() {
        JsonWriter json = new JsonWriter();
        json.beginObject();
        json.name("pid");
        json.int64(ProcessHandle.current().pid());
        json.name("components");
        json.beginArray();
        for (ComponentStatus component : chain.status()) {
            json.beginObject();
            json.name("id");
            json.string(component.id());
            component.pid().ifPresent(pid -> {
                json.name("pid");
                json.int64(pid);
            });
            json.name("state");
            json.string(component.state().name().toLowerCase(Locale.ROOT));
            json.name("restarts");
            json.int64(component.restarts());
            json.name("inFlight");
            json.int64(component.inFlight());
            json.name("queuedBytes");
            json.int64(component.queuedBytes());
            json.name("medianMicros");
            json.int64(component.median().toNanos() / 1000);
            json.name("p99Micros");
            json.int64(component.percentile99().toNanos() / 1000);
            json.endObject();
        }
        json.endArray();
        json.name("slowestTurns");
        json.beginArray();
        chain.slowestTurns().forEach(turn -> write(turn, json));
        json.endArray();
        json.endObject();
        return json.toRawJson().toString();
    }

    private static void write(TurnTime turn, JsonWriter json) {
        json.beginObject();
        json.name("session");
        json.string(turn.session());
        json.name("micros");
        json.int64(turn.total().toNanos() / 1000);
        json.name("components");
        json.beginObject();
        turn.components().forEach((id, time) -> {
            json.name(id);
            json.int64(time.toNanos() / 1000);
        });
        json.name("rest");
        json.int64(turn.rest().toNanos() / 1000);
        json.endObject();
        json.endObject();
    }

    void close() {
        try {
            server.close();
            Files.deleteIfExists(file);
        } catch (IOException e) {
            // The next status command removes it.
        }
    }
}
