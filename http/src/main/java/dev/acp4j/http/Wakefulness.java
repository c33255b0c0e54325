package dev.acp4j.http;

/**
 * Notices that the machine was asleep, or the process stopped: the time of day has gone on by more than the time that
 * passed. Connections are then dead more often than not, and nothing says so. For one thread.
 */
final class Wakefulness {
    /** How often is looked. */
    static final long TICK_NANOS = 3_000_000_000L;

    private static final long JUMP_MILLIS = 5_000;

    private final RemoteAgent.Settings settings;
    private long wall;
    private long time;

    Wakefulness(RemoteAgent.Settings settings) {
        this.settings = settings;
        this.wall = settings.wallMillis.getAsLong();
        this.time = settings.time.nanoTime();
    }

    /** Returns whether it was asleep since the last call. */
    boolean hasSlept() {
        long wallNow = settings.wallMillis.getAsLong();
        long timeNow = settings.time.nanoTime();
        boolean slept = wallNow - wall - (timeNow - time) / 1_000_000 > JUMP_MILLIS;
        wall = wallNow;
        time = timeNow;
        return slept;
    }
}
