package dev.acp4j.http;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The streams of one connection: its own, one for each session, and for a while those of sessions that are over.
 * Guarded by the lock of its connection, which is taken before the locks of the streams.
 */
final class Streams {
    /** The name of the stream that belongs to no session. */
    static final String OWN = "";

    /** How long a stream may wait for its session. */
    static final long PROVISIONAL_NANOS = 60_000_000_000L;

    /** How long a client can go on with the stream of a session that is over. */
    static final long RETIRED_NANOS = 60_000_000_000L;

    /** More frames than the end of a machine can have kept from the disk; their numbers are not used again. */
    private static final long LOST_FRAMES = 1 << 20;

    /** A stream of a session that is over. */
    private record Retired(String session, OutboundStream stream, long since) {}

    private final RemoteConnection.Home home;
    private final ConnectionStore store;
    private final OutboundStream.Owner owner;
    private final Map<String, OutboundStream> streams = new LinkedHashMap<>();

    /** Streams of sessions that are over: a client that was cut can still go on with them for a while. */
    private final List<Retired> retired = new ArrayList<>(0);

    /** Streams that a client has opened before their session, and since when. */
    private final Map<String, Long> provisional = new HashMap<>();

    /** The sessions that the agent has opened, or speaks of. */
    private final Set<String> sessions = new HashSet<>();

    private final OutboundStream own;
    private long unsentBytes;

    /** When there was something to take for a client that had got everything. */
    private long behindSince;

    /** The number of the last frame of any stream. */
    private long lastNumber;

    /**
     * Creates the streams of a connection.
     *
     * @param earlier the logs that an earlier process has left, in the order in which they began
     */
    Streams(
            RemoteConnection.Home home,
            ConnectionStore store,
            OutboundStream.Owner owner,
            List<? extends FileLog> earlier) {
        this.home = home;
        this.store = store;
        this.owner = owner;
        for (FileLog log : earlier) {
            // One of the same session before it is over.
            forget(log.session());
            OutboundStream stream = stream(log);
            streams.put(log.session(), stream);
            count(stream);
            lastNumber = Math.max(lastNumber, log.last() + LOST_FRAMES);
        }
        OutboundStream before = streams.get(OWN);
        this.own = before == null ? add(OWN) : before;
        this.behindSince = home.time().nanoTime();
    }

    /** Returns the stream that belongs to no session. */
    OutboundStream own() {
        return own;
    }

    /** Returns the stream of a session; null when there is none. */
    @Nullable
    OutboundStream of(String session) {
        return streams.get(session);
    }

    /** Returns the stream of a session that a cursor is of, over or not; null when it is of none of this session. */
    @Nullable
    OutboundStream of(String session, Cursor cursor) {
        for (Retired over : retired) {
            if (over.session.equals(session) && over.stream.isOf(cursor)) {
                return over.stream;
            }
        }
        return streams.get(session);
    }

    /** Returns whether this is the stream of the session now, and not one before it. */
    @SuppressWarnings("ReferenceEquality") // Two may be alike.
    boolean isCurrent(String session, OutboundStream stream) {
        return streams.get(session) == stream;
    }

    /** Returns all streams with their sessions, those of sessions that are over among them. */
    List<Map.Entry<String, OutboundStream>> entries() {
        List<Map.Entry<String, OutboundStream>> all = new ArrayList<>();
        retired.forEach(over -> all.add(Map.entry(over.session, over.stream)));
        all.addAll(streams.entrySet());
        return all;
    }

    List<OutboundStream> all() {
        List<OutboundStream> all = new ArrayList<>(retired.size() + streams.size());
        retired.forEach(over -> all.add(over.stream));
        all.addAll(streams.values());
        return all;
    }

    /** Returns whether nobody reads, those who read what is over left aside. */
    boolean isLonely() {
        return streams.values().stream().noneMatch(OutboundStream::hasReader);
    }

    /** Returns whether there are as many streams as may be that nobody reads. */
    boolean isFull() {
        int most = home.limits().streams();
        return streams.size() > most
                && streams.values().stream().filter(other -> !other.hasReader()).count() > most;
    }

    OutboundStream add(String session) {
        OutboundStream stream = stream(store.log(session));
        streams.put(session, stream);
        return stream;
    }

    private OutboundStream stream(StreamLog log) {
        return new OutboundStream(log, home.isDurable(), home.time(), owner);
    }

    // Frames.

    /** Adds a message to a stream. */
    void append(OutboundStream stream, Message message) {
        if (unsentBytes == 0) {
            behindSince = home.time().nanoTime();
        }
        stream.append(++lastNumber, oneLine(message));
        count(stream);
    }

    /** Events and frames are lines. */
    private static RawJson oneLine(Message message) {
        RawJson raw = message.raw();
        boolean isLine = raw.isKnownToBeOneLine() || RawJson.lineBreak(raw.bytes(), raw.from(), raw.to()) == raw.to();
        return isLine ? raw : raw.compact();
    }

    /** Returns the number of the last frame of any stream. */
    long lastNumber() {
        return lastNumber;
    }

    /** Returns how many bytes of all streams were not sent yet. */
    long unsentBytes() {
        return unsentBytes;
    }

    /** Notes that something was added to a stream, sent, or kept no longer. */
    void count(OutboundStream stream) {
        long more = stream.countUnsent();
        unsentBytes += more;
        home.memory().add(more, stream.countKept());
    }

    private void uncount(OutboundStream stream) {
        long less = stream.uncount();
        unsentBytes -= less;
        home.memory().add(-less, -stream.uncountKept());
    }

    /** The connection is over, and nobody is written anything any more. */
    void uncountAll() {
        all().forEach(this::uncount);
    }

    /** Returns when a client has last taken something that it had not got, or had got everything. */
    long progressedAt() {
        return all().stream()
                .mapToLong(OutboundStream::progressedAt)
                .reduce(behindSince, (one, other) -> one - other >= 0 ? one : other);
    }

    // Sessions.

    /** Returns whether the agent has opened the session, or speaks of it. */
    boolean isKnown(String session) {
        return sessions.contains(session);
    }

    /** Makes a session known: a stream that was opened before is no longer provisional. */
    void know(String session) {
        sessions.add(session);
        provisional.remove(session);
    }

    /** Returns whether as many streams wait for their session as may. */
    boolean isFullOfProvisional() {
        return provisional.size() >= home.limits().provisionalStreams();
    }

    /** Whether the stream waits for its session, which is to come or is over. */
    boolean awaitsSession(String session) {
        return provisional.containsKey(session);
    }

    /** The stream waits for its session, for a while. */
    void awaitSession(String session) {
        provisional.putIfAbsent(session, home.time().nanoTime());
    }

    /**
     * The session is closed: its stream waits for a while, as one that was opened before its session. A client of the
     * TypeScript SDK that loads the session at once would fail if the stream ended then.
     */
    void close(String session) {
        if (isFullOfProvisional()) {
            forget(session);
            return;
        }
        sessions.remove(session);
        provisional.put(session, home.time().nanoTime());
    }

    /**
     * The session is over: its stream ends when all is sent, and a later one is another. With a cursor a client can
     * still read it for a while, since what was sent last may have been lost on the way.
     */
    void forget(String session) {
        sessions.remove(session);
        OutboundStream stream = streams.remove(session);
        if (stream != null) {
            stream.markEnded();
            retired.add(new Retired(session, stream, home.time().nanoTime()));
        }
    }

    /**
     * Forgets streams whose session has not come, or has been over for long enough, and too many others.
     *
     * @param replays the sessions that are about to come
     * @return the streams that end now
     */
    List<OutboundStream> expire(long now, Replays replays) {
        List<OutboundStream> expired = new ArrayList<>();
        provisional.entrySet().removeIf(entry -> {
            String session = entry.getKey();
            if (now - entry.getValue() < PROVISIONAL_NANOS || replays.isRunning(session)) {
                return false;
            }
            OutboundStream stream = streams.remove(session);
            if (stream != null) {
                expired.add(stream);
                retired.add(new Retired(session, stream, now));
            }
            return true;
        });
        expireRetired(now, expired);
        return expired;
    }

    /** Those that are over are forgotten when nobody is being written anything. */
    private void expireRetired(long now, List<OutboundStream> expired) {
        int tooMany = retired.size() - home.limits().streams();
        for (Retired over : List.copyOf(retired)) {
            if (tooMany-- > 0 || now - over.since >= RETIRED_NANOS) {
                expired.add(over.stream);
                if (over.stream.isQuiet()) {
                    retired.remove(over);
                    uncount(over.stream);
                }
            }
        }
    }

    /** Returns the last of the cursors that are of a stream; null when none is. */
    static @Nullable Cursor cursorOf(OutboundStream stream, Map<String, Cursor> cursors) {
        return cursors.values().stream()
                .filter(stream::isOf)
                .max(Comparator.comparingLong(Cursor::number))
                .orElse(null);
    }
}
