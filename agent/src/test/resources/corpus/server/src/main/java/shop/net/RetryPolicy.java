package shop.net;

/** When to try again, and how long to wait before. */
public interface RetryPolicy {
    boolean allows(int attempt);

    default long waitMillis(int attempt) {
        return 100L << attempt;
    }

    /** Doubles the wait after each failed attempt. */
    static RetryPolicy exponential(int attempts) {
        return attempt -> attempt < attempts;
    }
}
