package dev.acp4j.cli.session;

import dev.acp4j.cli.terminal.Console;
import dev.acp4j.cli.terminal.PlainConsole;
import dev.acp4j.cli.terminal.Screen;
import dev.acp4j.cli.terminal.StandardStream;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.cli.terminal.TerminalConsole;
import dev.acp4j.cli.terminal.TerminalStreams;
import dev.acp4j.schema.TerminalId;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jline.reader.Completer;
import org.jline.utils.Signals;
import org.jspecify.annotations.Nullable;

/** The terminal or its substitute, with everything that writes to it. */
public final class UserInterface implements AutoCloseable {
    private static final int REFRESH_MILLIS = 100;

    private final ScheduledExecutorService refresher = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("acp-refresh").factory());
    private final FilesAndTerminals filesAndTerminals;
    private final @Nullable Console console;
    private final BinaryContent binaries;
    private final ToolCallText toolCallText;
    private final ToolCallsText toolCalls;
    private final SessionRenderer renderer;
    private @Nullable ScheduledFuture<?> refreshing;

    private UserInterface(
            Streams streams, Path cwd, @Nullable Console console, BinaryContent binaries, boolean spacious) {
        this.filesAndTerminals = new FilesAndTerminals();
        this.console = console;
        this.binaries = binaries;
        this.toolCallText = new ToolCallText(cwd, this::output, binaries, spacious ? ":show" : "");
        this.toolCalls = new ToolCallsText(toolCallText);
        this.renderer = new SessionRenderer(screen(streams, console), toolCalls, binaries, spacious, console);
        if (console instanceof TerminalConsole terminal) {
            terminal.onResize(() -> renderer.resized(terminal.display()));
            // What is typed is the next message of a chat only.
            refreshEvery(() -> renderer.refresh(spacious ? terminal.typedAhead() : List.of()));
        } else if (console == null && !TerminalStreams.isPipe(1)) {
            // The reader of a pipe may write to the same terminal.
            refreshEvery(() -> renderer.refresh(List.of()));
        }
    }

    /** Returns the output of a terminal so far, be it one of the client or of the agent; null for an unknown one. */
    private @Nullable String output(TerminalId terminal) {
        String ofClient = filesAndTerminals.output(terminal);
        return ofClient == null ? renderer.agentTerminal(terminal) : ofClient;
    }

    private void refreshEvery(Runnable refresh) {
        refreshing = refresher.scheduleWithFixedDelay(refresh, REFRESH_MILLIS, REFRESH_MILLIS, TimeUnit.MILLISECONDS);
    }

    /**
     * Opens the user interface for one turn; with a console if there is a user to ask.
     *
     * @param saved where images and other binary content are saved; null if they are not
     */
    public static UserInterface ofPrompt(Streams streams, Path cwd, boolean canAsk, @Nullable Path saved) {
        return new UserInterface(
                streams,
                cwd,
                canAsk ? console(streams, (reader, line, candidates) -> {}, null) : null,
                BinaryContent.savedIn(saved),
                false);
    }

    /** Opens the user interface for a chat. */
    public static UserInterface ofChat(Streams streams, Path cwd, Completer completer, @Nullable Path history) {
        return new UserInterface(streams, cwd, console(streams, completer, history), BinaryContent.kept(cwd), true);
    }

    private static Console console(Streams streams, Completer completer, @Nullable Path history) {
        Console terminal =
                streams.hasPerson() ? TerminalConsole.open(streams.outDisplay().colour(), completer, history) : null;
        return terminal == null ? new PlainConsole(streams) : terminal;
    }

    private static Screen screen(Streams streams, @Nullable Console console) {
        if (console != null) {
            return new Screen(console::write, console.display());
        }
        StandardStream stream = streams.outDisplay().width() > 0 ? streams.out() : streams.err();
        return new Screen(stream::print, stream.display());
    }

    /** Returns the console; only if there is a user to ask. */
    @Nullable
    public Console console() {
        return console;
    }

    public SessionRenderer renderer() {
        return renderer;
    }

    /** Returns the images and other binary content of the agent. */
    public BinaryContent binaries() {
        return binaries;
    }

    public ToolCallText toolCallText() {
        return toolCallText;
    }

    public FilesAndTerminals filesAndTerminals() {
        return filesAndTerminals;
    }

    /** Returns the dialog that asks the user; null if there is no user to ask. */
    @Nullable
    public PermissionDialog dialog() {
        return console == null ? null : new PermissionDialog(console, renderer, toolCalls);
    }

    /** Calls {@code listener} on Ctrl-C until the user interface is closed. */
    public void onInterrupt(Runnable listener) {
        Signals.register("INT", listener);
        if (console != null) {
            console.turnBegins(listener, line -> false);
        }
    }

    @Override
    public void close() {
        if (refreshing != null) {
            refreshing.cancel(false);
        }
        renderer.rests();
        refresher.shutdown();
        if (console != null) {
            console.close();
        }
    }
}
