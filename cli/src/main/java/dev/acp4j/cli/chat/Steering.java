package dev.acp4j.cli.chat;

import dev.acp4j.Feature;
import dev.acp4j.Session;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.session.SessionRenderer;
import dev.acp4j.cli.terminal.Console;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Styles;
import dev.acp4j.rpc.RpcException;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * What the user says into the running turn, with {@code :steer}. The turn is never cancelled for it: what the agent
 * does not take goes back into the user's line, from where it can be sent as the next message.
 */
final class Steering {
    static final String NAME = ":steer";

    private final Session session;
    private final SessionRenderer renderer;
    private final Console console;

    /** Sends one line after the other, in the order in which they were typed; its thread ends by itself. */
    private final Executor sender = new ThreadPoolExecutor(
            0,
            1,
            1,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Thread.ofPlatform().daemon().name("acp-steer").factory());

    Steering(Session session, SessionRenderer renderer, Console console) {
        this.session = session;
        this.renderer = renderer;
        this.console = console;
    }

    /** Returns whether a line that is typed during a turn is one of these; then it is sent, by another thread. */
    boolean takes(String line) {
        String text = line.strip();
        if (!text.equals(NAME) && !text.startsWith(NAME + " ")) {
            return false;
        }
        sender.execute(() -> say(text.substring(NAME.length()).strip()));
        return true;
    }

    private void say(String text) {
        if (text.isEmpty()) {
            renderer.note(NAME + " TEXT tells the agent something while it works.", Styles.QUIET);
        } else if (session.agent().supports(Feature.STEERING)) {
            steer(text);
        } else {
            notTaken("This agent takes nothing into a running turn.", text);
        }
    }

    private void steer(String text) {
        try {
            switch (session.steer(text)) {
                case INJECTED -> renderer.note("Told the agent: " + SafeText.line(text), Styles.QUIET);
                case NEW_TURN ->
                    renderer.note(
                            "The turn had ended. The agent has begun a new one with: " + SafeText.line(text),
                            Styles.QUIET);
                case NOT_TAKEN -> notTaken("The agent did not take it into its turn.", text);
            }
        } catch (RpcException e) {
            renderer.failed(Failure.of(e).about(session.agent()));
            boolean unused = console.putBack(text);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void notTaken(String why, String text) {
        String next = console.putBack(text) ? " Enter sends it after the turn." : " Send it as a message: " + text;
        renderer.note(SafeText.line(why + next), Styles.BUSY);
    }
}
