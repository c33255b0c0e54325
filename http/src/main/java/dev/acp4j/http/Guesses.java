package dev.acp4j.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.rpc.Time;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * How many wrong credentials may come from a {@link Network}: some at once, and then so many a minute. Beyond that,
 * credentials from there that were not accepted before are not even looked at. A credential that was is not slowed,
 * also beside a guesser behind the same proxy.
 *
 * <p>The lock guards both maps. Nothing is called while it is held.
 */
final class Guesses {
    static final int A_MINUTE = 20;
    private static final long NANOS_EACH = Duration.ofMinutes(1).toNanos() / A_MINUTE;
    private static final int MOST_REMEMBERED = 10_000;

    private static final class Recent<V> extends LinkedHashMap<String, V> {
        private static final long serialVersionUID = 1L;

        Recent() {
            super(16, 0.75f, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
            return size() > MOST_REMEMBERED;
        }
    }

    private final Time time;
    private final ReentrantLock lock = new ReentrantLock();

    /** By network, when all its wrong credentials will be forgotten. */
    @GuardedBy("lock")
    private final Recent<Long> wrong = new Recent<>();

    /** Digests of credentials that were good the last time. */
    @GuardedBy("lock")
    private final Recent<Boolean> good = new Recent<>();

    Guesses(Time time) {
        this.time = time;
    }

    /** Returns a name for the credential of a request that tells nothing of it; null when it has none. */
    static @Nullable String digest(Credentials credentials) {
        String header = credentials.header("Authorization");
        if (header == null && credentials.certificates().isEmpty()) {
            return null;
        }
        try {
            MessageDigest digest = sha256();
            digest.update(String.valueOf(header).getBytes(StandardCharsets.UTF_8));
            for (X509Certificate certificate : credentials.certificates()) {
                digest.update(certificate.getEncoded());
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns a name for a secret that tells nothing of it. */
    static String digest(String secret) {
        return HexFormat.of().formatHex(sha256().digest(secret.getBytes(StandardCharsets.UTF_8)));
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns after how many seconds a credential from an address is looked at; 0 for now. */
    long waitSeconds(String address, @Nullable String digest) {
        String network = Network.of(address);
        lock.lock();
        try {
            Long until = wrong.get(network);
            if (until == null || digest == null || good.get(digest) != null) {
                return 0;
            }
            long excess = until - time.nanoTime() - (A_MINUTE - 1) * NANOS_EACH;
            return excess <= 0 ? 0 : (excess + 999_999_999) / 1_000_000_000;
        } finally {
            lock.unlock();
        }
    }

    /** Notes that a credential was wrong. */
    void wrong(String address, @Nullable String digest) {
        if (digest == null) {
            return;
        }
        String network = Network.of(address);
        lock.lock();
        try {
            Boolean unused = good.remove(digest);
            long now = time.nanoTime();
            Long until = wrong.get(network);
            long from = until == null || until - now < 0 ? now : until;
            Long unusedToo = wrong.put(network, from + NANOS_EACH);
        } finally {
            lock.unlock();
        }
    }

    /** Notes that a credential was good. */
    void good(@Nullable String digest) {
        if (digest == null) {
            return;
        }
        lock.lock();
        try {
            Boolean unused = good.put(digest, true);
        } finally {
            lock.unlock();
        }
    }
}
