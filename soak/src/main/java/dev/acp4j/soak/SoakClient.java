package dev.acp4j.soak;

import dev.acp4j.Client;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.rpc.Limits;
import dev.acp4j.schema.RequestPermissionOutcome;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** The client under load: what it answers, and what it sees. */
final class SoakClient {
    /** How often a slow consumer takes a moment for a message, one in so many, and how long. */
    private static final int MOMENT_EVERY = 64;

    private static final int MOMENT_MILLIS = 3;

    private final Run run;
    private final Ledger ledger;
    private final boolean slow;
    final SoakTerminals terminals;

    SoakClient(Run run, Ledger ledger, boolean slow) {
        this.run = run;
        this.ledger = ledger;
        this.slow = slow;
        this.terminals = new SoakTerminals(run);
    }

    Client.Builder client(Limits limits) {
        return Client.builder("soak", "1")
                .protocol(run.version)
                .limits(limits)
                .startTimeout(Duration.ofSeconds(30))
                .onEvent(this::see)
                .onPermission(SoakClient::decide)
                .onReadTextFile((session, request) -> "content of " + request.path())
                .onWriteTextFile((session, request) -> run.count("files written"))
                .terminals(terminals)
                .on(Extension.ECHO_BACK, (agent, params) -> params);
    }

    private void see(Session session, SessionEvent event) {
        String text = "";
        if (event instanceof SessionEvent.Chunk piece) {
            text = piece.text();
        } else if (event instanceof SessionEvent.ToolCallChanged changed && changed.before() == null) {
            text = changed.call().title();
        }
        ledger.see(session.id().value(), text);
        if (slow && text.hashCode() % MOMENT_EVERY == 0) {
            Run.lag(MOMENT_MILLIS);
        }
    }

    /** Allows what is even, refuses what is odd, and leaves 0 open until it is withdrawn. */
    private static RequestPermissionOutcome decide(PermissionQuestion request) throws InterruptedException {
        String title = request.title();
        int number = Integer.parseInt(title.substring(title.lastIndexOf(' ') + 1));
        if (number == 0) {
            new CountDownLatch(1).await();
        }
        return number % 2 == 0 ? request.allowOnce() : request.rejectOnce();
    }
}
