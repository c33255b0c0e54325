package shop.auth;

import java.time.Duration;

/** Signs what the browser brings back with each request. */
record SessionCookie(String customer, String signature) {
    static final Duration LIFETIME = Duration.ofHours(8);

    boolean isExpired(Duration age) {
        return age.compareTo(LIFETIME) > 0;
    }
}
