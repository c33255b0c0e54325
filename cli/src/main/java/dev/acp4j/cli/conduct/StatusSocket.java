package dev.acp4j.cli.conduct;

import dev.acp4j.cli.command.IoProblem;
import dev.acp4j.cli.command.StateFolder;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.proxy.ComponentStatus;
import dev.acp4j.proxy.RunningChain;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Tells the state of a running chain to whoever connects: one line of JSON. It is a socket in a folder that only the
 * user can open; there is no port.
 */
final class StatusSocket {
    private static final String ENDING = ".sock";

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
            try (SocketChannel socket = SocketChannel.open(UnixDomainSocketAddress.of(file))) {
                lines.add(new String(Channels.newInputStream(socket).readAllBytes(), StandardCharsets.UTF_8).strip());
            } catch (IOException e) {
                Files.deleteIfExists(file);
            }
        }
        return lines;
    }

    private void serve() {
        while (true) {
            try (SocketChannel asking = server.accept()) {
                ByteBuffer text = ByteBuffer.wrap((line() + "\n").getBytes(StandardCharsets.UTF_8));
                while (text.hasRemaining()) {
                    asking.write(text);
                }
            } catch (IOException e) {
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
        json.endObject();
        return json.toRawJson().toString();
    }

    void close() {
        try {
            server.close();
            Files.deleteIfExists(file);
        } catch (IOException e) {
            // The next who asks removes it.
        }
    }
}
