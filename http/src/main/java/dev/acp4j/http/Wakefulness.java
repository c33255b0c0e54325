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
    private boolean hasWoken;
    private long woken;

    Wakefulness(RemoteAgent.Settings settings) {
        this.settings = settings;
        this.wall = settings.wallMillis.getAsLong();
        this.time = settings.time.nanoTime();
    }

    /**
     * Looks at both clocks. Returns whether the machine was asleep since the last call, or somebody has put its clock
     * forward, which looks the same.
     */
    boolean hasSlept() {
        long wallNow = settings.wallMillis.getAsLong();
        long timeNow = settings.time.nanoTime();
        boolean slept = wallNow - wall - (timeNow - time) / 1_000_000 > JUMP_MILLIS;
        wall = wallNow;
        time = timeNow;
        if (slept) {
            hasWoken = true;
            woken = timeNow;
        }
        return slept;
    }

    /**
     * Returns the time up to which something must have been heard last to count as dead now. After a sleep that is all
     * of it if nothing is lost by opening it again, and else what then says nothing for two of the five intervals.
     *
     * @param silence what otherwise counts as dead, five intervals
     */
    long deadBefore(boolean slept, boolean resumes, long silence) {
        long now = settings.time.nanoTime();
        if (slept && resumes) {
            return now;
        }
        if (hasWoken && !resumes && now - woken > silence / 5 * 2) {
            return Math.max(woken, now - silence);
        }
        return now - silence;
    }
}
