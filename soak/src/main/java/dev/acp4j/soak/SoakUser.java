package dev.acp4j.soak;

import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.Turn;
import dev.acp4j.TurnResult;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.Version;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/** Somebody with one session at a time, who prompts, cancels, closes and loads at random. */
final class SoakUser {
    private static final Path FOLDER = Path.of("/soak");

    /** A session's view keeps the conversation: what is not bounded by the connection is bounded by its user. */
    private static final int LONGEST_SESSION = 40;

    private final Run run;
    private final Ledger ledger;
    private final ConnectedAgent agent;
    private final Random random;
    private final int number;
    private final int largeUpdates;
    private final boolean calm;
    private final boolean loads;
    private Session session;
    private int steps;

    /**
     * Opens the first session.
     *
     * @param largeUpdates up to how many KiB an update may have, now and then; 0 for none
     * @param calm whether the connection is to hold
     */
    SoakUser(Run run, Ledger ledger, ConnectedAgent agent, int number, int largeUpdates, boolean calm)
            throws InterruptedException {
        this(run, ledger, agent, number, largeUpdates, calm, true);
    }

    /**
     * Opens the first session.
     *
     * @param loads whether sessions are loaded, too: not over links that fail, where a load that is cut before the new
     *     positions of its stream are known takes a new connection
     */
    SoakUser(Run run, Ledger ledger, ConnectedAgent agent, int number, int largeUpdates, boolean calm, boolean loads)
            throws InterruptedException {
        this.run = run;
        this.ledger = ledger;
        this.agent = agent;
        this.number = number;
        this.random = run.random(number);
        this.largeUpdates = largeUpdates;
        this.calm = calm;
        this.loads = loads;
        this.session = agent.newSession(FOLDER);
    }

    /** Does the next thing. */
    void step() throws InterruptedException {
        int choice = ++steps % LONGEST_SESSION == 0 ? 99 : random.nextInt(100);
        if (choice < 45) {
            prompt();
        } else if (choice < 58) {
            cancel();
        } else if (choice < 65) {
            promptTwice();
        } else if (choice < 70) {
            interruptTheWait();
        } else if (choice < 79) {
            echo();
        } else if (choice < 86) {
            cancelACall();
        } else if (choice < 94) {
            tick();
        } else if (choice < 97 && loads) {
            load();
        } else {
            close();
            session = agent.newSession(FOLDER);
        }
    }

    /** Version 2 has no files and terminals of the client: the agent says more there. */
    private String steps() {
        return run.version == Version.V1 ? "rwptebuU" : "uupuebuU";
    }

    private String script(boolean endless) {
        StringBuilder script = new StringBuilder("u").append(random.nextInt(1, 20));
        for (int i = random.nextInt(5); i > 0; i--) {
            char step = steps().charAt(random.nextInt(largeUpdates > 0 ? 8 : 7));
            int most = step == 'U' ? largeUpdates : 50;
            script.append(' ').append(step).append(1 + random.nextInt(most));
        }
        return endless ? script.append(random.nextBoolean() ? " h" : " p0").toString() : script.toString();
    }

    private void prompt() throws InterruptedException {
        run.count("turns");
        Turn turn = session.prompt(script(false));
        if (random.nextBoolean()) {
            int events = 0;
            for (SessionEvent unused : turn) {
                events++;
            }
            run.count("events read by loops over turns", events);
        }
        expectEnd(turn, false);
    }

    private void cancel() throws InterruptedException {
        run.count("turns cancelled");
        Turn turn = session.prompt(script(true));
        Run.lag(random.nextInt(10));
        if (random.nextBoolean()) {
            turn.cancel();
        } else {
            turn.close();
        }
        expectEnd(turn, true);
    }

    private void promptTwice() throws InterruptedException {
        run.count("turns", 2);
        Turn first = session.prompt(script(false));
        Turn second = session.prompt(script(false));
        expectEnd(first, false);
        expectEnd(second, false);
    }

    /** Whoever is interrupted while waiting for a turn cancels it. */
    private void interruptTheWait() throws InterruptedException {
        run.count("turns cancelled");
        Turn turn = session.prompt(script(true));
        interrupted(turn::result);
        expectEnd(turn, true);
    }

    private void expectEnd(Turn turn, boolean cancelled) throws InterruptedException {
        TurnResult result = turn.result();
        long seen = ledger.flow(session.id().value(), SoakAgent.UPDATES).seen();
        long sent = result.meta()
                .get(SoakAgent.SENT)
                .map(RawJson::toString)
                .map(Long::valueOf)
                .orElse(0L);
        if (seen < sent && !ledger.mayLose()) {
            run.fault(session.id() + ": answered after " + sent + " updates, of which " + seen + " had been seen");
        }
        if (!result.stopReason().equals(StopReason.END_TURN) && !cancelled && calm) {
            run.fault(session.id() + ": a turn ended with " + result.stopReason());
        }
    }

    private void echo() throws InterruptedException {
        RawJson params = Extension.params(
                random.nextBoolean() ? session.id().value() : Extension.NO_SESSION,
                (random.nextBoolean() ? "deep " : "") + random.nextInt());
        RawJson answer = agent.call(Extension.ECHO, params);
        if (!Extension.said(answer).equals(params.toString())) {
            run.fault("expected " + params + ", got " + answer);
        }
    }

    private void cancelACall() throws InterruptedException {
        RawJson params = Extension.params(session.id().value(), "wait");
        interrupted(() -> agent.call(Extension.WAIT, params));
    }

    private interface Waiting {
        Object await() throws InterruptedException;
    }

    private void interrupted(Waiting waiting) throws InterruptedException {
        AtomicLong ended = new AtomicLong();
        Thread waiter = Thread.ofVirtual().start(() -> {
            try {
                waiting.await();
            } catch (InterruptedException | RpcException e) {
                ended.incrementAndGet();
            }
        });
        Run.lag(random.nextInt(5));
        waiter.interrupt();
        waiter.join();
        // An agent whose connection ends answers what it has open, perhaps before the interrupt.
        if (ended.get() == 0 && calm) {
            run.fault("an interrupted caller did not end with that");
        }
    }

    /** Notifications of the session, and of the connection. */
    private void tick() throws InterruptedException {
        String id = session.id().value();
        for (int i = 0; i < 10; i++) {
            ledger.flow(id, "ticks").send("tick", text -> agent.send(Extension.TICK, Extension.params(id, text)));
            ledger.flow(Extension.NO_SESSION, "ticks-" + number)
                    .send("tick", text -> agent.send(Extension.TICK, Extension.params(Extension.NO_SESSION, text)));
        }
    }

    private void load() throws InterruptedException {
        run.count("sessions loaded");
        SessionId id = session.id();
        session.detach();
        session = agent.loadSession(id, FOLDER);
    }

    /** Closes the session, sometimes in the middle of a turn, and compares what both ends saw of it. */
    void close() throws InterruptedException {
        run.count("sessions closed");
        List<Turn> turns = new ArrayList<>();
        if (random.nextBoolean()) {
            turns.add(session.prompt(script(true)));
        }
        session.close();
        for (Turn turn : turns) {
            expectEnd(turn, true);
        }
        ledger.settle(session.id().value());
    }
}
