package dev.acp4j.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Locale;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One stream of events, that of the connection or of a session. A virtual thread reads it, and opens it again when it
 * was cut and the server can go on behind the last message that arrived.
 *
 * <p>The lock guards its state. Nothing is read or called while it is held.
 */
final class EventsStream implements Runnable, EventParser.Listener {
    private static final int RECENT = 256;

    /** How often a stream is asked for while the server takes the one before for open. */
    private static final int MOST_CONFLICTS = 5;

    /** How long the server may take for the beginning of a response, when there is a connection. */
    private static final Duration RESPONSE_TIME = Duration.ofSeconds(10);

    private final RemoteAgent.Settings settings;
    private final EventsLine line;
    private final Requests requests;
    private final String session;

    /** Whether there was no stream of this session before on this connection. */
    private final boolean isFirst;

    private final Patience patience;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** The positions that were passed last. */
    @GuardedBy("lock")
    private final ArrayDeque<String> recent = new ArrayDeque<>();

    @GuardedBy("lock")
    private boolean isOpen;

    @GuardedBy("lock")
    private boolean isStopped;

    @GuardedBy("lock")
    private @Nullable HttpFailure failure;

    @GuardedBy("lock")
    private @Nullable InputStream body;

    @GuardedBy("lock")
    private boolean wasOpen;

    /** When a byte arrived last. */
    @GuardedBy("lock")
    private long heard;

    private long serverWaitNanos;

    /** The position behind the last message. Only the thread that reads changes it. */
    private volatile String cursor = "";

    EventsStream(RemoteAgent.Settings settings, EventsLine line, Requests requests, String session, boolean isFirst) {
        this.settings = settings;
        this.line = line;
        this.requests = requests;
        this.session = session;
        this.isFirst = isFirst;
        this.patience = new Patience(settings);
    }

    String session() {
        return session;
    }

    boolean hasCursor() {
        return !cursor.isEmpty();
    }

    /**
     * Waits until the server listens to what this stream is for. One that was open once and can be resumed misses
     * nothing while it is cut. The stream ends by itself when it cannot be opened for too long.
     */
    void awaitOpen() throws HttpFailure, InterruptedException {
        boolean resumes = line.resumption().isOffered();
        lock.lock();
        try {
            while (!isOpen && !(resumes && wasOpen) && failure == null && !isStopped) {
                changed.await();
            }
            HttpFailure why = failure;
            if (why != null) {
                throw why;
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void run() {
        try {
            keepReading();
        } catch (RuntimeException | Error e) {
            over(new HttpFailure(HttpFailure.Kind.FINAL, "a fault in this program: " + e, e));
        }
    }

    private void keepReading() {
        boolean inTrouble = false;
        boolean refreshed = false;
        boolean again = false;
        int tries = 0;
        patience.begins(line.resumption());
        HttpClient client = null;
        try {
            while (isWanted()) {
                HttpFailure why;
                try {
                    client = requests.clientAfter(client);
                    HttpResponse<InputStream> response =
                            requests.exchange(client, get(again), settings.connectTime.plus(RESPONSE_TIME));
                    requests.note(response);
                    if (response.statusCode() == 401 && !refreshed) {
                        // The headers are asked for again, with a newer credential.
                        refreshed = true;
                        requests.discard(response);
                        client = null;
                        continue;
                    }
                    if (response.statusCode() != 200) {
                        throw requests.refusal("the stream of events", response);
                    }
                    requireEvents(response);
                    refreshed = false;
                    tries = 0;
                    long openSince = settings.time.nanoTime();
                    if (inTrouble) {
                        inTrouble = false;
                        line.noTrouble();
                    }
                    line.works();
                    try {
                        read(response.body());
                    } finally {
                        // A cut is an exception, and the outage begins with it.
                        patience.ends(openSince);
                        patience.begins(line.resumption());
                    }
                    why = new HttpFailure(HttpFailure.Kind.UNKNOWN, "the stream of events has ended", null);
                } catch (IOException e) {
                    why = requests.failure(e);
                }
                if (!isWanted()) {
                    return;
                }
                tries++;
                if (Requests.goesElsewhere(why, tries)) {
                    continue;
                }
                if (beginsAnew(why)) {
                    continue;
                }
                if (!goesOn(why, tries)) {
                    over(why);
                    return;
                }
                again = true;
                inTrouble = inTrouble || (why.status() != 409 && line.trouble());
                if (!line.pause(patience, Math.max(why.retryNanos(), serverWaitNanos))) {
                    over(new HttpFailure(HttpFailure.Kind.GONE, String.valueOf(why.getMessage()), why));
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            if (inTrouble) {
                line.noTrouble();
            }
        }
    }

    /** A page in the place of the stream says that another server has taken the place of this one. */
    private void requireEvents(HttpResponse<InputStream> response) throws HttpFailure {
        String type = response.headers().firstValue("Content-Type").orElse("no Content-Type");
        if (!type.toLowerCase(Locale.ROOT).startsWith(Wire.EVENTS)) {
            requests.discard(response);
            String why = "the request for the stream of events was answered with " + type;
            throw new HttpFailure(HttpFailure.Kind.GONE, why, null);
        }
    }

    private boolean isWanted() {
        if (line.isOver()) {
            return false;
        }
        lock.lock();
        try {
            return !isStopped;
        } finally {
            lock.unlock();
        }
    }

    private HttpRequest get(boolean again) throws HttpFailure {
        HttpRequest.Builder get =
                requests.request(session).setHeader("Accept", Wire.EVENTS).GET();
        Resumption resumption = line.resumption();
        // What was written to a stream whose beginning did not arrive is there, too.
        String position = cursor.isEmpty() && again && isFirst ? resumption.beginning() : cursor;
        if (resumption.isOffered() && !position.isEmpty()) {
            get.setHeader(Wire.LAST_EVENT_ID, position);
        }
        return get.build();
    }

    private void read(InputStream in) throws IOException, InterruptedException {
        boolean isLate;
        // An answer waits for what this stream has, and not for long when it is open and quiet.
        line.landed(session);
        lock.lock();
        try {
            // Stopped while it was opened: nobody else would end it.
            isLate = isStopped;
            if (!isLate) {
                body = in;
                isOpen = true;
                wasOpen = true;
                heard = settings.time.nanoTime();
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
        if (isLate) {
            in.close();
            return;
        }
        EventParser parser = new EventParser(settings.messageBytes, this);
        byte[] buffer = new byte[16 * 1024];
        try (in) {
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                // Before and after, since this thread waits in between while nobody reads what arrived.
                hears();
                parser.take(buffer, 0, count);
                hears();
            }
        } finally {
            lock.lock();
            try {
                body = null;
                isOpen = false;
            } finally {
                lock.unlock();
            }
        }
    }

    private void hears() {
        lock.lock();
        try {
            heard = settings.time.nanoTime();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void event(String id, byte[] data) throws InterruptedException {
        take(Message.parse(RawJson.wrap(data, 0, data.length)), id);
    }

    @Override
    public void oversized(String id, byte[] head) throws InterruptedException {
        take(Message.oversized(head, settings.messageBytes), id);
    }

    private void take(Message message, String id) throws InterruptedException {
        try {
            line.arrived(message, session);
            passes(id);
        } finally {
            line.landed(session);
        }
    }

    @Override
    public void place(String id) {
        moves(id);
    }

    /** The message is where nothing can lose it any more. */
    private void passes(String id) {
        patience.arrived();
        moves(id);
    }

    private void moves(String id) {
        if (id.isEmpty() || id.equals(cursor)) {
            return;
        }
        cursor = id;
        lock.lock();
        try {
            recent.add(id);
            if (recent.size() > RECENT) {
                String unused = recent.poll();
            }
        } finally {
            lock.unlock();
        }
    }

    boolean hasPassed(String position) {
        lock.lock();
        try {
            return recent.contains(position);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void retry(long millis) {
        serverWaitNanos = Math.min(millis, 60_000) * 1_000_000L;
    }

    /**
     * Returns whether the stream goes on at its beginning: the server has begun it anew behind the last message that
     * arrived, with all that is missing. What came of the history before the cut has moved the position there already.
     */
    private boolean beginsAnew(HttpFailure why) {
        String beginning = line.resumption().beginning();
        if (beginning.isEmpty()
                || cursor.isEmpty()
                || cursor.equals(beginning)
                || !why.isUnknownCursor()
                || !line.awaitsOnlyHistory(session)) {
            return false;
        }
        cursor = beginning;
        return true;
    }

    /** Returns whether the stream is opened again, of which so many attempts have failed. */
    private boolean goesOn(HttpFailure why, int tries) {
        boolean resumes = line.resumption().isOffered();
        return switch (why.kind()) {
            case FINAL, GONE -> false;
            // A server may not have noticed yet that this side has ended the stream before.
            case REFUSED ->
                why.status() == 409
                        ? !isFirst && !wasOpen() && tries <= MOST_CONFLICTS
                        : why.status() >= 500 && resumes;
            case NOT_SENT, ELSEWHERE, LATER -> resumes || !wasOpen();
            case UNKNOWN -> resumes;
        };
    }

    boolean wasOpen() {
        lock.lock();
        try {
            return wasOpen;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the stream was open, and is not at the moment. */
    boolean isCut() {
        lock.lock();
        try {
            return wasOpen && !isOpen;
        } finally {
            lock.unlock();
        }
    }

    private void over(HttpFailure why) {
        lock.lock();
        try {
            failure = why;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        line.streamOver(this, why);
        line.landed(session);
    }

    /** Cuts the stream if nothing was heard since; it is then opened again. Returns whether it was. */
    boolean cutIfSilent(long since) {
        InputStream dead;
        lock.lock();
        try {
            dead = since - heard >= 0 ? body : null;
        } finally {
            lock.unlock();
        }
        cut(dead);
        return dead != null;
    }

    void stop() {
        InputStream open;
        lock.lock();
        try {
            isStopped = true;
            open = body;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        cut(open);
    }

    private void cut(@Nullable InputStream open) {
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                line.problem("a stream of events could not be closed", e);
            }
        }
    }
}
