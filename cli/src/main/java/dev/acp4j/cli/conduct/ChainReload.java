package dev.acp4j.cli.conduct;

import dev.acp4j.cli.command.IoProblem;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.proxy.RunningChain;
import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.Objects;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jline.utils.Signals;
import org.jspecify.annotations.Nullable;

/** Changes a running chain to what its file says now: at SIGHUP, or when the file changes. */
final class ChainReload implements AutoCloseable {
    private final Path file;
    private final RunningChain running;
    private final Function<String, ChainFile> read;
    private final ChainParts parts;
    private final Consumer<String> report;
    private final LinkedBlockingQueue<Boolean> wanted = new LinkedBlockingQueue<>();
    private final Thread worker;
    private @Nullable WatchService watch;
    private String contents;
    private final ChainFile chain;

    /**
     * Waits for SIGHUP.
     *
     * @param contents what the file said when the chain began
     * @param read reads the chain out of the contents of the file, and refuses what is not trusted
     */
    ChainReload(
            Path file,
            String contents,
            ChainFile chain,
            Function<String, ChainFile> read,
            RunningChain running,
            ChainParts parts,
            Consumer<String> report) {
        this.file = file;
        this.contents = contents;
        this.chain = chain;
        this.read = read;
        this.running = running;
        this.parts = parts;
        this.report = report;
        this.worker = Thread.ofPlatform().daemon().name("acp-chain-reload").start(this::work);
        Signals.register("HUP", () -> wanted.add(true));
    }

    /** Waits for changes of the file, too. */
    void watchFile() {
        try {
            Path folder = Objects.requireNonNull(file.toAbsolutePath().getParent());
            WatchService changes = folder.getFileSystem().newWatchService();
            watch = changes;
            WatchKey unused = folder.register(
                    changes, StandardWatchEventKinds.ENTRY_MODIFY, StandardWatchEventKinds.ENTRY_CREATE);
            Thread.ofPlatform().daemon().name("acp-chain-watch").start(() -> watch(changes));
        } catch (IOException e) {
            report.accept("changes of " + file + " are not noticed: " + IoProblem.text(e) + ". Send SIGHUP instead.");
        }
    }

    private void watch(WatchService changes) {
        try {
            while (true) {
                WatchKey key = changes.take();
                if (key.pollEvents().stream()
                        .anyMatch(event -> file.getFileName().equals(event.context()))) {
                    wanted.add(false);
                }
                key.reset();
            }
        } catch (InterruptedException | ClosedWatchServiceException e) {
            // The chain has ended.
        }
    }

    private void work() {
        try {
            while (true) {
                boolean isAsked = wanted.take();
                Boolean more;
                while ((more = wanted.poll()) != null) {
                    // One change for several signals.
                    isAsked |= more;
                }
                reload(isAsked);
            }
        } catch (InterruptedException e) {
            // The chain has ended.
        }
    }

    /**
     * Changes the chain.
     *
     * @param isAsked whether somebody asks for it; a file that is only written again with the same contents is no
     *     change
     */
    private void reload(boolean isAsked) throws InterruptedException {
        try {
            String now = ChainFile.contents(file);
            if (!isAsked && now.equals(contents)) {
                return;
            }
            contents = now;
            ChainFile next = read.apply(now);
            boolean isAgentChanged = !Wrapper.ending(next).equals(Wrapper.ending(chain));
            running.reload(parts.conductor(next).build());
            if (isAgentChanged) {
                report.accept("the agent stays as it was: a change of it takes effect when the chain is started anew");
            }
        } catch (UsageException | IllegalArgumentException e) {
            report.accept("The chain stays as it is: " + e.getMessage());
        } catch (IOException e) {
            report.accept("The chain stays as it is: " + IoProblem.text(e));
        } catch (RuntimeException e) {
            report.accept("The chain stays as it is: " + e);
        }
    }

    /** Ends the waiting, and a change that is being made; returns when nothing more is opened. */
    @Override
    public void close() {
        Signals.register("HUP", () -> {});
        worker.interrupt();
        try {
            worker.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        try {
            if (watch != null) {
                watch.close();
            }
        } catch (IOException e) {
            // It ends with the program.
        }
    }
}
