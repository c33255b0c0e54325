package dev.acp4j.cli;

import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jline.reader.Completer;
import org.jline.utils.Signals;
import org.jspecify.annotations.Nullable;

/** The terminal, or what is there instead of one, with everything that writes on it. */
final class Stage implements AutoCloseable {
    private static final int REFRESH_MILLIS = 500;

    private final ScheduledExecutorService refresher = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("acp-refresh").factory());
    private final Streams streams;
    private final Workbench workbench;
    private final @Nullable Console console;
    private final ToolCallText toolCallText;
    private final ToolCallsText toolCalls;
    private final SessionRenderer renderer;
    private @Nullable ScheduledFuture<?> refreshing;

    private Stage(Streams streams, Path cwd, @Nullable Console console, boolean spacious) {
        this.streams = streams;
        this.workbench = new Workbench();
        this.console = console;
        this.toolCallText = new ToolCallText(cwd, workbench::output);
        this.toolCalls = new ToolCallsText(toolCallText);
        this.renderer = new SessionRenderer(screen(streams, console), toolCalls, spacious);
        if (console instanceof TerminalConsole terminal) {
            terminal.onResize(() -> renderer.resized(terminal.look()));
            refreshing = refresher.scheduleWithFixedDelay(
                    renderer::refresh, REFRESH_MILLIS, REFRESH_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /** Opens the stage for one turn; with a console, if there is somebody to ask. */
    static Stage ofPrompt(Streams streams, Path cwd, boolean canAsk) {
        return new Stage(streams, cwd, canAsk ? console(streams, (reader, line, candidates) -> {}, null) : null, false);
    }

    /** Opens the stage for a chat. */
    static Stage ofChat(Streams streams, Path cwd, Completer completer, @Nullable Path history) {
        return new Stage(streams, cwd, console(streams, completer, history), true);
    }

    private static Console console(Streams streams, Completer completer, @Nullable Path history) {
        Console terminal =
                streams.hasPerson() ? TerminalConsole.open(streams.outLook().colour(), completer, history) : null;
        return terminal == null ? new PlainConsole(streams) : terminal;
    }

    private static Screen screen(Streams streams, @Nullable Console console) {
        if (console != null) {
            return new Screen(console::write, console.look());
        }
        StandardStream stream = streams.outLook().width() > 0 ? streams.out() : streams.err();
        return new Screen(stream::print, stream.look());
    }

    /** Returns the console; only if there is somebody to ask. */
    @Nullable
    Console console() {
        return console;
    }

    SessionRenderer renderer() {
        return renderer;
    }

    ToolCallText toolCallText() {
        return toolCallText;
    }

    Workbench workbench() {
        return workbench;
    }

    /** Returns who asks the user; null if nobody can. */
    @Nullable
    PermissionDialog dialog() {
        return console == null ? null : new PermissionDialog(console, renderer, toolCalls);
    }

    /** Returns the output of one turn for people. */
    TurnOutput output(boolean quiet) {
        return streams.outLook().width() > 0
                ? ScreenOutput.terminal(renderer, streams::tell, quiet)
                : ScreenOutput.pipe(streams.out(), renderer, streams::tell, quiet);
    }

    /** Calls {@code listener} at Ctrl-C until the stage is closed. */
    void onInterrupt(Runnable listener) {
        Signals.register("INT", listener);
        if (console != null) {
            console.turnBegins(listener);
        }
    }

    @Override
    public void close() {
        if (refreshing != null) {
            refreshing.cancel(false);
        }
        refresher.shutdown();
        if (console != null) {
            console.close();
        }
    }
}
