package dev.acp4j.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.schema.Unstable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates by secret tokens in the header {@code Authorization: Bearer}. Only digests of the tokens are kept, and
 * each is compared in a time that does not depend on where it differs.
 *
 * <p>A file has a line for each token: a name, the token, and optionally the moment at which it expires. Empty lines
 * and those that begin with {@code #} are skipped:
 *
 * <pre>
 * # name  token                             expires
 * alice   wq8s2DkQmXn4r0bYtKfVz7LhPc3JgE1u
 * ci      9vTzR5yH2aLxMd8UoKb3NcWq7SfJpG4e  2027-01-31T00:00:00Z
 * </pre>
 *
 * <p>A changed file takes effect within five seconds. A token that is gone or has expired ends the streams that were
 * opened with it.
 *
 * <p>The lock guards the tokens that were read last; the file is read while holding it.
 */
@Unstable
public final class BearerTokens implements Authenticator {
    private static final int SHORTEST = 16;
    private static final Refused REFUSED = new Refused("Bearer");

    private record Entry(
            String name, Digest digest, @Nullable Instant expires) {}

    private final @Nullable Path file;
    private final InstantSource clock;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private List<Entry> entries;

    @GuardedBy("lock")
    private @Nullable FileTime modified;

    @GuardedBy("lock")
    private Instant checked;

    private BearerTokens(@Nullable Path file, List<Entry> entries, InstantSource clock) {
        this.file = file;
        this.entries = entries;
        this.clock = clock;
        this.checked = clock.instant();
    }

    /**
     * Accepts one token that does not expire.
     *
     * @param name the name of the principal
     * @param token the token; at least 16 characters
     */
    public static BearerTokens of(String name, String token) {
        return new BearerTokens(null, List.of(entry(name, token, null)), InstantSource.system());
    }

    /**
     * Reads tokens from a file that nobody else may read.
     *
     * @throws IOException when the file cannot be read, others may read it, or a line is wrong; the message names the
     *     line, and no token
     */
    public static BearerTokens read(Path file) throws IOException {
        return read(file, InstantSource.system());
    }

    static BearerTokens read(Path file, InstantSource clock) throws IOException {
        BearerTokens tokens = new BearerTokens(file, List.of(), clock);
        tokens.lock.lock();
        try {
            tokens.modified = Files.getLastModifiedTime(file);
            tokens.entries = parse(file);
        } finally {
            tokens.lock.unlock();
        }
        return tokens;
    }

    @Override
    public Outcome authenticate(Credentials credentials) {
        String token = credentials.bearerToken().orElse(null);
        if (token == null) {
            return REFUSED;
        }
        Digest digest = Digest.of(token);
        Entry found = find(digest);
        return found == null
                ? REFUSED
                : new Allowed(Principal.of(found.name), () -> {
                    Entry now = find(digest);
                    return now != null && now.name.equals(found.name);
                });
    }

    private @Nullable Entry find(Digest digest) {
        Instant now = clock.instant();
        Entry found = null;
        for (Entry entry : current(now)) {
            boolean fits = entry.digest.isSame(digest);
            if (fits && (entry.expires == null || now.isBefore(entry.expires))) {
                found = entry;
            }
        }
        return found;
    }

    /** Returns the tokens, read again when the file has changed. While it cannot be read, none is valid. */
    private List<Entry> current(Instant now) {
        lock.lock();
        try {
            // A clock that was set back is no reason to wait until it is where it was.
            if (file != null && (now.isBefore(checked) || now.isAfter(checked.plusSeconds(1)))) {
                checked = now;
                refresh(file);
            }
            return entries;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void refresh(Path from) {
        try {
            FileTime changed = Files.getLastModifiedTime(from);
            if (!changed.equals(modified)) {
                entries = parse(from);
                modified = changed;
            }
        } catch (IOException e) {
            System.getLogger("dev.acp4j.http")
                    .log(System.Logger.Level.WARNING, "no token is accepted any more: " + e.getMessage());
            entries = List.of();
            modified = null;
        }
    }

    private static List<Entry> parse(Path file) throws IOException {
        requirePrivate(file);
        List<Entry> entries = new ArrayList<>();
        int number = 0;
        for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
            number++;
            String text = line.strip();
            if (!text.isEmpty() && !text.startsWith("#")) {
                entries.add(parse(file, number, text.split("\\s+")));
            }
        }
        return List.copyOf(entries);
    }

    private static Entry parse(Path file, int number, String[] words) throws IOException {
        try {
            if (words.length < 2 || words.length > 3) {
                throw new IllegalArgumentException("expected a name, a token and perhaps a time, got " + words.length
                        + (words.length == 1 ? " word" : " words"));
            }
            return entry(words[0], words[1], words.length == 3 ? Instant.parse(words[2]) : null);
        } catch (DateTimeException e) {
            throw new IOException(
                    file + ":" + number + ": expected a time such as 2027-01-31T00:00:00Z, got " + words[2]);
        } catch (IllegalArgumentException e) {
            throw new IOException(file + ":" + number + ": " + e.getMessage());
        }
    }

    private static Entry entry(String name, String token, @Nullable Instant expires) {
        if (token.length() < SHORTEST) {
            throw new IllegalArgumentException("a token must have at least " + SHORTEST + " characters, the one of "
                    + name + " has " + token.length());
        }
        return new Entry(name, Digest.of(token), expires);
    }

    private static void requirePrivate(Path file) throws IOException {
        Set<PosixFilePermission> allowed = EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
        try {
            Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
            if (!allowed.containsAll(permissions)) {
                throw new IOException(
                        file + " has tokens, so nobody but its owner may read or write it: chmod 600 " + file);
            }
        } catch (UnsupportedOperationException e) {
            // A file system without such permissions, as on Windows: the folder decides.
        }
    }

    /** The digest of a token. */
    private static final class Digest {
        private final byte[] bytes;

        private Digest(byte[] bytes) {
            this.bytes = bytes;
        }

        static Digest of(String token) {
            try {
                return new Digest(MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(e);
            }
        }

        boolean isSame(Digest other) {
            return MessageDigest.isEqual(bytes, other.bytes);
        }
    }
}
