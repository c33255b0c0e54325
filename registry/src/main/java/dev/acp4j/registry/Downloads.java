package dev.acp4j.registry;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads from other machines: over TLS or from this machine, with limits, and with tokens that go to their host only.
 * Blocking; interruption ends it.
 */
final class Downloads implements AutoCloseable {
    private static final int REDIRECTS = 5;
    private static final int BUFFER = 1 << 16;
    private static final Set<Integer> MOVED = Set.of(301, 302, 303, 307, 308);
    private static final int ATTEMPTS = 3;
    private static final Set<Integer> NO_HEAD = Set.of(403, 405);
    private static final Set<Integer> PASSING = Set.of(429, 500, 502, 503, 504);
    private static final Duration CONNECT_TIME = Duration.ofSeconds(15);

    private final RegistrySettings settings;
    private @Nullable HttpClient client;

    /**
     * An answer.
     *
     * @param status the status, 200 or 304
     * @param etag the tag of the version, or null
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Reply(int status, byte[] body, @Nullable String etag) {}

    /** A file that has come. */
    record Fetched(String sha256, long size) {}

    /** A failure that another try may not have. */
    private static final class Broken extends IOException {
        private static final long serialVersionUID = 1L;

        Broken(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    Downloads(RegistrySettings settings) {
        this.settings = settings;
    }

    @Override
    public void close() {
        if (client != null) {
            client.shutdownNow();
        }
    }

    static boolean isLoopback(URI uri) {
        String host = String.valueOf(uri.getHost()).toLowerCase(Locale.ROOT);
        return host.equals("localhost") || host.equals("[::1]") || host.matches("127(\\.[0-9]{1,3}){3}");
    }

    private static void requireSafe(URI uri) throws RegistryException {
        String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
        boolean isSafe = scheme.equals("https") || (scheme.equals("http") && isLoopback(uri));
        if (!isSafe || uri.getHost() == null) {
            throw new RegistryException("only https is fetched: " + Addresses.shown(uri));
        }
        if (uri.getUserInfo() != null) {
            throw new RegistryException(
                    "an address with a password is not fetched; set a token for the host " + uri.getHost());
        }
    }

    private void requireOnline(URI uri) throws RegistryException {
        if (settings.isOffline()) {
            throw new RegistryException("offline: " + uri.getHost() + " is not asked. Do this online once");
        }
    }

    /** Fetches a small file, or learns that it is still the version with the tag. */
    Reply fetch(URI address, @Nullable String etag) throws IOException, InterruptedException {
        requireOnline(address);
        try (Watch watch = new Watch(settings.limits().indexTime(), false)) {
            HttpResponse<InputStream> response = send(settings.mirrored(address), etag, 0, null, untilLate());
            try (InputStream in = response.body()) {
                watch.over(in);
                int status = response.statusCode();
                if (status == 304) {
                    return new Reply(status, new byte[0], etag);
                }
                requireOk(status, response.uri());
                byte[] body = whole(in, watch, address);
                if (body.length > settings.limits().index()) {
                    throw new RegistryException(Addresses.shown(address) + " has more than "
                            + settings.limits().index() + " bytes");
                }
                return new Reply(
                        status, body, response.headers().firstValue("etag").orElse(null));
            }
        }
    }

    /** What is left of the time for an index, whose redirects have it together. */
    private Supplier<Duration> untilLate() {
        long end = System.nanoTime() + settings.limits().indexTime().toNanos();
        return () -> Duration.ofNanos(Math.max(1, end - System.nanoTime()));
    }

    private byte[] whole(InputStream in, Watch watch, URI address) throws IOException {
        try {
            byte[] body = in.readNBytes(settings.limits().index() + 1);
            watch.requireInTime(address);
            return body;
        } catch (RegistryException e) {
            throw e;
        } catch (IOException e) {
            watch.requireInTime(address);
            throw new Broken("the connection to " + address.getHost() + " broke", e);
        }
    }

    private static void requireOk(int status, URI uri) throws IOException {
        if (status >= 500 || status == 429 || status == 408) {
            throw new Broken(uri.getHost() + " answered " + status, null);
        }
        if (status != 200 && status != 206) {
            String hint = status == 401 || status == 403 ? ": a token may be missing" : "";
            throw new RegistryException(uri.getHost() + " answered " + status + hint + ": " + Addresses.shown(uri));
        }
    }

    /**
     * Fetches a file. A broken connection is continued where it broke, if the host can.
     *
     * @param file a file to create
     */
    Fetched fetch(URI address, Path file, Progress progress) throws IOException, InterruptedException {
        requireOnline(address);
        URI uri = settings.mirrored(address);
        MessageDigest digest = Digests.sha256();
        Partial partial = new Partial();
        Duration pause = settings.limits().pause();
        try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (int retry = 0; ; retry++) {
                try {
                    partial.read(uri, out, digest, progress);
                    return new Fetched(Digests.text(digest), partial.done);
                } catch (RegistryException e) {
                    throw e;
                } catch (IOException e) {
                    if (retry == settings.limits().retries()) {
                        throw new RegistryException(
                                "cannot fetch " + Addresses.shown(address) + ": " + e.getMessage(), e);
                    }
                }
                pause(pause);
                pause = pause.multipliedBy(2);
                if (partial.mustRestart) {
                    throw new RegistryException("cannot fetch " + Addresses.shown(address)
                            + ": it changed while it was fetched, or its" + " host cannot continue. Try again");
                }
            }
        }
    }

    private static void pause(Duration time) throws InterruptedException {
        ReentrantLock lock = new ReentrantLock();
        Condition never = lock.newCondition();
        lock.lockInterruptibly();
        try {
            long left = time.toNanos();
            while (left > 0) {
                left = never.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    /** What has come of a file. */
    private final class Partial {
        long done;
        boolean mustRestart;
        private @Nullable String etag;

        void read(URI uri, OutputStream out, MessageDigest digest, Progress progress)
                throws IOException, InterruptedException {
            try (Watch watch = new Watch(settings.limits().silence(), true)) {
                HttpResponse<InputStream> response = send(uri, null, done, etag, settings.limits()::silence);
                try (InputStream in = response.body()) {
                    watch.over(in);
                    requireOk(response.statusCode(), response.uri());
                    boolean continues = response.statusCode() == 206 && done > 0;
                    if (done > 0 && !continues) {
                        skip(in, watch, digest);
                    }
                    if (etag == null) {
                        etag = response.headers()
                                .firstValue("etag")
                                .filter(tag -> !tag.startsWith("W/"))
                                .orElse(null);
                    }
                    long rest = response.headers()
                            .firstValueAsLong("content-length")
                            .orElse(-1);
                    long total = rest < 0 ? -1 : continues ? done + rest : rest;
                    copy(in, out, digest, watch, name(uri), total, progress);
                }
            }
        }

        /** The host begins anew: the bytes that are here are read again, and must be the same. */
        private void skip(InputStream in, Watch watch, MessageDigest before) throws IOException {
            MessageDigest again = Digests.sha256();
            byte[] buffer = new byte[BUFFER];
            long left = done;
            while (left > 0) {
                int n = in.read(buffer, 0, (int) Math.min(buffer.length, left));
                if (n < 0) {
                    throw new Broken("the connection was closed early", null);
                }
                watch.tick();
                again.update(buffer, 0, n);
                left -= n;
            }
            if (!Digests.text(again).equals(Digests.text(copy(before)))) {
                mustRestart = true;
                throw new Broken("it changed", null);
            }
        }

        private static MessageDigest copy(MessageDigest digest) {
            try {
                return (MessageDigest) digest.clone();
            } catch (CloneNotSupportedException e) {
                throw new IllegalStateException(e); // that of the JDK can
            }
        }

        private void copy(
                InputStream in,
                OutputStream out,
                MessageDigest digest,
                Watch watch,
                String name,
                long total,
                Progress progress)
                throws IOException {
            long limit = settings.limits().archive();
            if (total > limit) {
                throw new RegistryException(name + " has " + total + " bytes, more than " + limit);
            }
            byte[] buffer = new byte[BUFFER];
            progress.bytes(name, done, total);
            try {
                for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                    watch.tick();
                    done += n;
                    if (done > limit) {
                        throw new RegistryException(name + " has more than " + limit + " bytes");
                    }
                    out.write(buffer, 0, n);
                    digest.update(buffer, 0, n);
                    progress.bytes(name, done, total);
                }
            } catch (RegistryException e) {
                throw e;
            } catch (IOException e) {
                throw new Broken(watch.isLate() ? "the host sends nothing any more" : "the connection broke", e);
            }
            if (total >= 0 && done != total) {
                throw new Broken("the connection was closed early", null);
            }
        }
    }

    private static String name(URI uri) {
        String path = String.valueOf(uri.getPath());
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /** Sends a request along redirects, each of which has some time to answer. The body must be closed. */
    private HttpResponse<InputStream> send(
            URI address, @Nullable String known, long from, @Nullable String etag, Supplier<Duration> time)
            throws IOException, InterruptedException {
        URI uri = address;
        for (int i = 0; i <= REDIRECTS; i++) {
            requireSafe(uri);
            HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                    .timeout(time.get())
                    .header("User-Agent", "acp4j")
                    .GET();
            if (known != null) {
                request.header("If-None-Match", known);
            }
            if (from > 0 && etag != null) {
                request.header("Range", "bytes=" + from + "-").header("If-Range", etag);
            }
            Optional<String> token = settings.token(uri);
            token.ifPresent(value -> request.header("Authorization", "Bearer " + value));
            HttpResponse<InputStream> response = exchange(request.build());
            if (!MOVED.contains(response.statusCode())) {
                return response;
            }
            response.body().close();
            String location = response.headers().firstValue("location").orElse("");
            try {
                uri = uri.resolve(location);
            } catch (IllegalArgumentException e) {
                throw new RegistryException(Addresses.shown(uri) + " leads to something that is no address", e);
            }
        }
        throw new RegistryException(Addresses.shown(address) + " leads on more than " + REDIRECTS + " times");
    }

    private static String reason(IOException e) {
        for (Throwable at = e; at != null; at = at.getCause()) {
            if (at instanceof UnknownHostException || at instanceof UnresolvedAddressException) {
                return "its name is unknown here; check the address and the network";
            }
        }
        if (e instanceof HttpConnectTimeoutException) {
            return "it does not answer; check the network and the firewall";
        }
        String message = e.getMessage();
        if (e instanceof ConnectException && (message == null || message.isEmpty())) {
            return "nothing listens there";
        }
        return message == null || message.isEmpty() ? e.getClass().getSimpleName() : message;
    }

    /**
     * Asks for the status alone: {@code HEAD}, and {@code GET} of a host that does not allow that. What may pass is
     * tried three times.
     *
     * @return the status
     */
    int status(URI address) throws IOException, InterruptedException {
        String method = "HEAD";
        Duration pause = settings.limits().pause();
        for (int attempt = 1; ; attempt++) {
            try {
                int status = status(address, method);
                if (method.equals("HEAD") && NO_HEAD.contains(status)) {
                    method = "GET";
                    status = status(address, method);
                }
                if (attempt == ATTEMPTS || !PASSING.contains(status)) {
                    return status;
                }
            } catch (RegistryException e) {
                throw e;
            } catch (IOException e) {
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
            pause(pause);
            pause = pause.multipliedBy(2);
        }
    }

    private int status(URI address, String method) throws IOException, InterruptedException {
        requireOnline(address);
        requireSafe(address);
        Supplier<Duration> time = untilLate();
        URI uri = address;
        for (int i = 0; i <= REDIRECTS; i++) {
            HttpResponse<InputStream> response = exchange(HttpRequest.newBuilder(uri)
                    .timeout(time.get())
                    .header("User-Agent", "acp4j")
                    .method(method, HttpRequest.BodyPublishers.noBody())
                    .build());
            response.body().close();
            if (!MOVED.contains(response.statusCode())) {
                return response.statusCode();
            }
            uri = uri.resolve(response.headers().firstValue("location").orElse(""));
            requireSafe(uri);
        }
        return 310;
    }

    private HttpResponse<InputStream> exchange(HttpRequest request) throws IOException, InterruptedException {
        try {
            return client().send(request, BodyHandlers.ofInputStream());
        } catch (UncheckedIOException e) {
            // The proxy cannot be used.
            throw e.getCause();
        } catch (IOException e) {
            throw new Broken(request.uri().getHost() + " cannot be reached: " + reason(e), e);
        }
    }

    private HttpClient client() {
        if (client == null) {
            HttpClient.Builder builder = HttpClient.newBuilder()
                    .followRedirects(HttpClient.Redirect.NEVER)
                    .connectTimeout(CONNECT_TIME);
            if (settings.proxy() != null) {
                builder.proxy(settings.proxy());
            }
            client = builder.build();
        }
        return client;
    }

    /** Closes a stream when its time is over: that of the whole, or that since the last byte. */
    private static final class Watch implements AutoCloseable {
        private final Semaphore ticks = new Semaphore(0);
        private final Thread thread;
        private volatile @Nullable InputStream watched;
        private volatile boolean isLate;

        Watch(Duration time, boolean restarts) {
            thread = Thread.ofVirtual().name("acp-download-watch").start(() -> {
                try {
                    boolean ticked = true;
                    while (ticked) {
                        ticked = ticks.tryAcquire(time.toNanos(), TimeUnit.NANOSECONDS) && restarts;
                        ticks.drainPermits();
                    }
                    isLate = true;
                    InputStream in = watched;
                    if (in != null) {
                        in.close();
                    }
                } catch (InterruptedException | IOException e) {
                    // It is over, or closed.
                }
            });
        }

        void over(InputStream in) throws IOException {
            watched = in;
            if (isLate) {
                in.close();
            }
        }

        void tick() {
            ticks.release();
        }

        boolean isLate() {
            return isLate;
        }

        void requireInTime(URI address) throws IOException {
            if (isLate) {
                throw new RegistryException(Addresses.shown(address) + " did not come in time");
            }
        }

        @Override
        public void close() {
            thread.interrupt();
        }
    }
}
