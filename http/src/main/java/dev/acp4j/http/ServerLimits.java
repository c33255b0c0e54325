package dev.acp4j.http;

import dev.acp4j.schema.Unstable;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Limits of a server. Immutable: begin with {@link #STANDARD} and change what must differ.
 *
 * <p>Messages are counted by the memory that they take: their bytes and 128 more each, 1,024 for one that waits for its
 * agent. So what waits, {@link #queuedBytesInAll()}, and what is kept for clients that come back,
 * {@link #retainedBytesInAll()} and for a moment an eighth more, are the memory that a server takes for messages of all
 * its clients, beside those that its agents are handling.
 */
@Unstable
public final class ServerLimits {
    private static final int MIB = 1024 * 1024;
    private static final long HEAP = Runtime.getRuntime().maxMemory();

    /**
     * The standard limits: 64 MiB for a message; 64 MiB of messages that wait for the agent, and as many for the
     * client, of a connection, and a quarter of the heap of all; 4,096 connections, 256 of a principal; 1,024 sessions
     * of a connection whose streams nobody reads, 64 streams that are opened before their session; of what was sent, 32
     * MiB, 10,000 messages and 10 minutes of a stream, 256 MiB of a principal but at most an eighth of the heap, 512
     * MiB in all but at most a quarter of the heap; 10 minutes for a client to come back, 15 s between signs of life,
     * 30 s without progress; 60 s for the answer to {@code initialize}. Requests a minute and bytes a second are not
     * limited.
     */
    public static final ServerLimits STANDARD = new ServerLimits(new Values());

    private static final class Values {
        int messageBytes = 64 * MIB;
        long queuedBytes = 64L * MIB;
        long queuedBytesInAll = HEAP / 4;
        int connections = 4096;
        int connectionsOfPrincipal = 256;
        int connectionsOfAddress;
        int streams = 1024;
        int provisionalStreams = 64;
        long retainedBytes = 32L * MIB;
        int retainedMessages = 10_000;
        Duration retention = Duration.ofMinutes(10);
        long retainedBytesOfPrincipal = Math.min(256L * MIB, HEAP / 8);
        long retainedBytesInAll = Math.min(512L * MIB, HEAP / 4);
        Duration grace = Duration.ofMinutes(10);
        Duration keepAlive = Duration.ofSeconds(15);
        Duration stall = Duration.ofSeconds(30);
        Duration initializeTime = Duration.ofSeconds(60);
        int requestsPerMinute;
        long bytesPerSecond;
    }

    private final Values values;

    private ServerLimits(Values values) {
        this.values = values;
    }

    private ServerLimits with(Consumer<Values> change) {
        Values copy = new Values();
        copy.messageBytes = values.messageBytes;
        copy.queuedBytes = values.queuedBytes;
        copy.queuedBytesInAll = values.queuedBytesInAll;
        copy.connections = values.connections;
        copy.connectionsOfPrincipal = values.connectionsOfPrincipal;
        copy.connectionsOfAddress = values.connectionsOfAddress;
        copy.streams = values.streams;
        copy.provisionalStreams = values.provisionalStreams;
        copy.retainedBytes = values.retainedBytes;
        copy.retainedMessages = values.retainedMessages;
        copy.retention = values.retention;
        copy.retainedBytesOfPrincipal = values.retainedBytesOfPrincipal;
        copy.retainedBytesInAll = values.retainedBytesInAll;
        copy.grace = values.grace;
        copy.keepAlive = values.keepAlive;
        copy.stall = values.stall;
        copy.initializeTime = values.initializeTime;
        copy.requestsPerMinute = values.requestsPerMinute;
        copy.bytesPerSecond = values.bytesPerSecond;
        change.accept(copy);
        return new ServerLimits(copy);
    }

    private static long positive(String name, long value) {
        if (value <= 0) {
            throw new IllegalArgumentException(name + " must be positive, not " + value);
        }
        return value;
    }

    private static Duration positive(String name, Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw new IllegalArgumentException(name + " must be positive, not " + value);
        }
        return value;
    }

    /** Returns the largest message of a client, in bytes. A larger one is refused with 413, or closes the WebSocket. */
    public int messageBytes() {
        return values.messageBytes;
    }

    /** Returns these limits with another limit for one message, in bytes; positive. */
    public ServerLimits withMessageBytes(int bytes) {
        return with(copy -> copy.messageBytes = (int) positive("messageBytes", bytes));
    }

    /**
     * Returns how many bytes of messages of a connection may wait for the agent to read them, and how many for the
     * client. Beyond the first, requests are held; beyond the second, the agent is slowed.
     */
    public long queuedBytes() {
        return values.queuedBytes;
    }

    /** Returns these limits with another limit for waiting messages, in bytes; positive. */
    public ServerLimits withQueuedBytes(long bytes) {
        return with(copy -> copy.queuedBytes = positive("queuedBytes", bytes));
    }

    /**
     * Returns how many bytes may wait for all agents and clients together; a quarter of the heap by default.
     *
     * <p>A connection may have as much wait, in each direction, as is left of this, and 16 KiB in any case; then its
     * agent is slowed, and its requests are held. So where the clients of n connections read nothing, each has a part
     * of n + 1 of this, and one part is left for those that read. A connection whose agent is slowed so, and whose
     * client has taken nothing for twice {@link #stall()}, ends if the agent of another connection waits, too, or
     * nothing is left.
     *
     * <p>This may be exceeded by one message of each connection, by messages that are not requests, of which as much
     * again may wait for an agent, and by a megabyte for each client of an agent that others share, as long as it
     * reads. Before it, 64 KiB of what an agent says wait for each connection.
     */
    public long queuedBytesInAll() {
        return values.queuedBytesInAll;
    }

    /** Returns these limits with another limit for the waiting messages of all connections, in bytes; positive. */
    public ServerLimits withQueuedBytesInAll(long bytes) {
        return with(copy -> copy.queuedBytesInAll = positive("queuedBytesInAll", bytes));
    }

    /** Returns how many connections there may be. A further {@code initialize} is answered 503. */
    public int connections() {
        return values.connections;
    }

    /** Returns how many connections one principal may have. A further {@code initialize} is answered 429. */
    public int connectionsOfPrincipal() {
        return values.connectionsOfPrincipal;
    }

    /** Returns these limits with other limits for connections, in all and of one principal; positive. */
    public ServerLimits withConnections(int inAll, int ofPrincipal) {
        return with(copy -> {
            copy.connections = (int) positive("connections", inAll);
            copy.connectionsOfPrincipal = (int) positive("connections of a principal", ofPrincipal);
        });
    }

    /**
     * Returns how many connections of the network there may be of one address, other than that of a trusted proxy; 0
     * for a quarter of all that there may be, which is at least 4,096.
     */
    public int connectionsOfAddress() {
        return values.connectionsOfAddress;
    }

    /**
     * Returns these limits with another one for connections of the network of one address; positive. A further one is
     * closed at once. Over HTTP/1.1 each stream has a connection of its own.
     */
    public ServerLimits withConnectionsOfAddress(int number) {
        return with(copy -> copy.connectionsOfAddress = (int) positive("connections of an address", number));
    }

    /** Returns how many streams of a connection there may be without a reader. */
    public int streams() {
        return values.streams;
    }

    /** Returns how many streams of a connection may be opened for sessions that the server does not know yet. */
    public int provisionalStreams() {
        return values.provisionalStreams;
    }

    /** Returns these limits with other limits for streams without a reader and without a session; positive. */
    public ServerLimits withStreams(int unread, int provisional) {
        return with(copy -> {
            copy.streams = (int) positive("streams", unread);
            copy.provisionalStreams = (int) positive("provisionalStreams", provisional);
        });
    }

    /** Returns how many bytes of a stream are kept after they were sent. */
    public long retainedBytes() {
        return values.retainedBytes;
    }

    /** Returns how many messages of a stream are kept after they were sent. */
    public int retainedMessages() {
        return values.retainedMessages;
    }

    /** Returns how long messages of a stream are kept after they were sent. */
    public Duration retention() {
        return values.retention;
    }

    /** Returns how many bytes of all streams of a principal are kept after they were sent. */
    public long retainedBytesOfPrincipal() {
        return values.retainedBytesOfPrincipal;
    }

    /**
     * Returns these limits with another one for what is kept of all streams of a principal after it was sent, in bytes;
     * positive. The streams that keep the most lose the most.
     */
    public ServerLimits withRetainedBytesOfPrincipal(long bytes) {
        return with(copy -> copy.retainedBytesOfPrincipal = positive("retained bytes of a principal", bytes));
    }

    /** Returns how many bytes of all streams are kept after they were sent; the oldest are dropped first. */
    public long retainedBytesInAll() {
        return values.retainedBytesInAll;
    }

    /** Returns these limits with others for what is kept of a stream after it was sent, and in all; positive. */
    public ServerLimits withRetention(long bytes, int messages, Duration time, long bytesInAll) {
        return with(copy -> {
            copy.retainedBytes = positive("retained bytes", bytes);
            copy.retainedMessages = (int) positive("retained messages", messages);
            copy.retention = positive("retention", time);
            copy.retainedBytesInAll = positive("retained bytes in all", bytesInAll);
        });
    }

    /** Returns how long a connection lives that no client reads from. */
    public Duration grace() {
        return values.grace;
    }

    /** Returns these limits with another time for clients to come back; positive. */
    public ServerLimits withGrace(Duration time) {
        return with(copy -> copy.grace = positive("grace", time));
    }

    /** Returns how often a silent stream gives a sign of life. */
    public Duration keepAlive() {
        return values.keepAlive;
    }

    /** Returns how long a client may take nothing of what it is sent, until its stream is dropped. */
    public Duration stall() {
        return values.stall;
    }

    /** Returns these limits with other times between signs of life and without progress; positive. */
    public ServerLimits withLiveness(Duration keepAlive, Duration stall) {
        return with(copy -> {
            copy.keepAlive = positive("keepAlive", keepAlive);
            copy.stall = positive("stall", stall);
        });
    }

    /** Returns how long the agent may take to answer {@code initialize}. */
    public Duration initializeTime() {
        return values.initializeTime;
    }

    /** Returns these limits with another time for the answer to {@code initialize}; positive. */
    public ServerLimits withInitializeTime(Duration time) {
        return with(copy -> copy.initializeTime = positive("initializeTime", time));
    }

    /** Returns how many requests a principal may send in a minute; 0 for any number. */
    public int requestsPerMinute() {
        return values.requestsPerMinute;
    }

    /**
     * Returns these limits with another number of requests that a principal may send in a minute. Beyond it a request
     * is answered 429 with {@code Retry-After}, or on a WebSocket with an error whose data has the reason
     * {@code too_many_requests}. Answers and notifications are always taken.
     *
     * @param number positive
     */
    public ServerLimits withRequestsPerMinute(int number) {
        return with(copy -> copy.requestsPerMinute = (int) positive("requestsPerMinute", number));
    }

    /** Returns how many bytes of messages a principal may send in a second; 0 for any number. */
    public long bytesPerSecond() {
        return values.bytesPerSecond;
    }

    /**
     * Returns these limits with another number of bytes that a principal may send in a second. Those of a minute may
     * come at once. Beyond it a request is refused like one too many of {@link #withRequestsPerMinute}; answers and
     * notifications are always taken, and count.
     *
     * @param number positive
     */
    public ServerLimits withBytesPerSecond(long number) {
        return with(copy -> copy.bytesPerSecond = positive("bytesPerSecond", number));
    }
}
