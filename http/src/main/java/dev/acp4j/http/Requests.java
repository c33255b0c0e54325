package dev.acp4j.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.PasswordAuthentication;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * What all requests of a connection have in common: client, headers, cookies, how long they may take, and what a
 * failure means.
 *
 * <p>The lock guards the client, and which requests wait. Nothing is sent while it is held.
 */
final class Requests {
    private static final int MOST_BODY_BYTES = 8 * 1024;
    private static final Duration BODY_TIME = Duration.ofSeconds(20);

    /** A server may hold a message until there is room for it. */
    private static final Duration POST_TIME = Duration.ofMinutes(2);

    /** The slowest way that a message may take, in bytes a second. */
    private static final int SLOWEST = 32 * 1024;

    /** Somebody who waits for a response, or the rest of one. */
    private static final class Waiting {
        final long since;

        /** Why it waits no more; null while it does. */
        @Nullable
        HttpFailure givenUp;

        Waiting(long since) {
            this.since = since;
        }
    }

    /** What the JDK says when a connection ends in the middle of a handshake. */
    private static final Set<String> CUT_HANDSHAKE =
            Set.of("Remote host terminated the handshake", "Remote host closed the channel");

    /** What the JDK says of a request for which a connection of HTTP/2 has no stream left, before it sends anything. */
    private static final String FULL = "too many concurrent streams";

    /** How many clients that take nothing are believed, one after another. */
    private static final int MOST_CLIENTS = 16;

    /** Servers end a connection that is idle, some after five seconds, while a request may be on its way. */
    private static final long IDLE_NANOS = 4_000_000_000L;

    private final RemoteAgent.Settings settings;
    private final ResponseHeaders received = new ResponseHeaders();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private final List<Waiting> waiting = new ArrayList<>();

    @GuardedBy("lock")
    private @Nullable HttpClient client;

    /** Those that others have replaced, as long as something of them is open. */
    @GuardedBy("lock")
    private final List<HttpClient> replaced = new ArrayList<>();

    @GuardedBy("lock")
    private boolean closed;

    /** Whether somebody waits for the response that names the connection. */
    @GuardedBy("lock")
    private boolean begins;

    @GuardedBy("lock")
    private long lastUse;

    private volatile String connectionId = "";
    /** Held while the server is asked to end the connection; taken before the other one. */
    private final ReentrantLock ending = new ReentrantLock();

    @GuardedBy("ending")
    private boolean hasEnded;

    private volatile String version = "";
    private volatile boolean onlyHttp1;

    Requests(RemoteAgent.Settings settings) {
        this.settings = settings;
        this.onlyHttp1 = !settings.isSecure();
    }

    /** Returns the id that the last response with one had; null when there was none. */
    @Nullable
    String receivedConnectionId() {
        return received.connectionId();
    }

    /** From here on the requests belong to this connection, whose agent speaks this version. */
    void belongTo(String id, String protocolVersion) {
        connectionId = id;
        version = protocolVersion;
    }

    boolean belongsToConnection() {
        return !connectionId.isEmpty();
    }

    // ---- clients

    /** Returns a client that has not failed. */
    HttpClient client() throws HttpFailure {
        return clientAfter(null);
    }

    /**
     * Returns a client that has not failed. A client whose HTTP/2 connection is dead goes on using it, so what has
     * failed is never used again.
     *
     * @param failed the one that has failed; null for none
     */
    HttpClient clientAfter(@Nullable HttpClient failed) throws HttpFailure {
        HttpClient old;
        HttpClient fresh;
        lock.lock();
        try {
            if (closed) {
                throw new HttpFailure(HttpFailure.Kind.FINAL, "the connection was closed", null);
            }
            old = client;
            if (old != null && !old.equals(failed)) {
                return old;
            }
            fresh = newClient(onlyHttp1 ? HttpClient.Version.HTTP_1_1 : HttpClient.Version.HTTP_2);
            client = fresh;
            replaced.removeIf(HttpClient::isTerminated);
            if (old != null) {
                replaced.add(old);
            }
        } finally {
            lock.unlock();
        }
        if (old != null) {
            // Streams that are well go on.
            old.shutdown();
        }
        return fresh;
    }

    /**
     * Returns whether a request goes to another client at once. What the one that took it no more carries goes on
     * there.
     *
     * @param tries how many were tried: a server may allow no streams at all
     */
    static boolean goesElsewhere(HttpFailure why, int tries) {
        return why.kind() == HttpFailure.Kind.ELSEWHERE && tries <= MOST_CLIENTS;
    }

    /**
     * Returns a client whose connections a server has not just begun to close because they are idle: a request that
     * meets that end must not be sent again if it is not harmless.
     */
    HttpClient clientThatIsNotIdle() throws HttpFailure {
        HttpClient idle = null;
        lock.lock();
        try {
            if (onlyHttp1 && settings.time.nanoTime() - lastUse > IDLE_NANOS) {
                idle = client;
            }
        } finally {
            lock.unlock();
        }
        return clientAfter(idle);
    }

    private void used() {
        lock.lock();
        try {
            lastUse = settings.time.nanoTime();
        } finally {
            lock.unlock();
        }
    }

    /** Uses HTTP/1.1 from here on; returns false if that is used already. */
    boolean fallBackToHttp1() throws HttpFailure {
        HttpClient failed;
        lock.lock();
        try {
            if (onlyHttp1) {
                return false;
            }
            onlyHttp1 = true;
            failed = client;
        } finally {
            lock.unlock();
        }
        HttpClient unused = clientAfter(failed);
        return true;
    }

    HttpClient newClient(HttpClient.Version http) throws HttpFailure {
        HttpClient.Builder builder = HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(settings.connectTime)
                .cookieHandler(received)
                .executor(HttpThreads.EXECUTOR)
                .version(http);
        if (settings.ssl != null) {
            builder.sslContext(settings.ssl);
        }
        if (RemoteAgent.isLoopback(settings.endpoint.getHost())) {
            builder.proxy(HttpClient.Builder.NO_PROXY);
        } else if (settings.proxy != null) {
            builder.proxy(settings.proxy);
        }
        PasswordAuthentication credentials = settings.proxyCredentials;
        if (credentials != null) {
            builder.authenticator(new java.net.Authenticator() {
                @Override
                protected @Nullable PasswordAuthentication getPasswordAuthentication() {
                    return getRequestorType() == RequestorType.PROXY ? credentials : null;
                }
            });
        }
        try {
            return builder.build();
        } catch (UncheckedIOException e) {
            // There are too many open files, for example. There may be fewer later.
            throw new HttpFailure(HttpFailure.Kind.NOT_SENT, "no connection can be made: " + e.getMessage(), e);
        }
    }

    void close() {
        List<HttpClient> open;
        lock.lock();
        try {
            closed = true;
            open = new ArrayList<>(replaced);
            if (client != null && !begins) {
                open.add(client);
            }
            replaced.clear();
            client = null;
            for (Waiting each : waiting) {
                // What was sent may have arrived.
                each.givenUp = new HttpFailure(HttpFailure.Kind.UNKNOWN, "the connection was closed", null);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        open.forEach(HttpClient::shutdownNow);
    }

    // ---- requests

    HttpRequest.Builder request(String session) throws HttpFailure {
        HttpRequest.Builder request = HttpRequest.newBuilder(settings.endpoint);
        settings.userHeaders().forEach(request::setHeader);
        if (!connectionId.isEmpty()) {
            request.setHeader(Wire.CONNECTION_ID, connectionId);
        }
        if (!session.isEmpty()) {
            request.setHeader(Wire.SESSION_ID, session);
        }
        if (!version.isEmpty()) {
            request.setHeader(Wire.PROTOCOL_VERSION, version);
        }
        return request;
    }

    HttpRequest.Builder post(Message message, String session) throws HttpFailure {
        RawJson raw = message.raw();
        return request(session)
                .setHeader("Content-Type", Wire.JSON)
                .setHeader("Accept", Wire.JSON + ", " + Wire.EVENTS)
                .POST(HttpRequest.BodyPublishers.ofByteArray(raw.bytes(), raw.from(), raw.length()));
    }

    /** Notes that the credential of a request was refused, if it was. */
    void note(HttpResponse<?> response) {
        if (response.statusCode() == 401) {
            settings.onRefused.accept(
                    response.request().headers().firstValue("Authorization").orElse(null));
        }
    }

    /** Returns how long it may take until a message is answered, by its size. */
    static Duration timeFor(Message message) {
        return POST_TIME.plusSeconds(message.length() / SLOWEST);
    }

    /**
     * Sends a request, waits for the beginning of the response, and gives what goes wrong a kind. Without a limit, a
     * network that swallows packets is never noticed: what was sent is acknowledged by some machine on the way.
     *
     * @param limit how long to wait
     */
    HttpResponse<InputStream> exchange(HttpClient with, HttpRequest request, Duration limit)
            throws HttpFailure, InterruptedException {
        CompletableFuture<HttpResponse<InputStream>> response =
                with.sendAsync(request, HttpResponse.BodyHandlers.ofInputStream());
        try {
            HttpResponse<InputStream> begun = await(response, limit);
            used();
            return begun;
        } catch (HttpFailure e) {
            abandon(response);
            throw isRefusedBy(with, e)
                    ? new HttpFailure(HttpFailure.Kind.ELSEWHERE, String.valueOf(e.getMessage()), e)
                    : e;
        } catch (InterruptedException e) {
            abandon(response);
            throw e;
        }
    }

    /** Nobody waits for a response any more: it is closed, should it have come in the meantime. */
    private void abandon(CompletableFuture<HttpResponse<InputStream>> response) {
        if (!response.cancel(true)) {
            var unused = response.thenAccept(late -> {
                try {
                    discard(late);
                } catch (HttpFailure e) {
                    // It is cut already.
                }
            });
        }
    }

    /** Returns whether a client has not sent a request at all, since another one had just taken its place. */
    private boolean isRefusedBy(HttpClient with, HttpFailure why) {
        Throwable cause = why.getCause();
        lock.lock();
        try {
            return !with.equals(client) && cause != null && "closed".equals(cause.getMessage());
        } finally {
            lock.unlock();
        }
    }

    private <T> T await(CompletableFuture<T> coming, Duration limit) throws HttpFailure, InterruptedException {
        var unused = coming.whenComplete((value, failure) -> wake());
        Waiting mine = new Waiting(settings.time.nanoTime());
        lock.lockInterruptibly();
        try {
            if (closed) {
                throw new HttpFailure(HttpFailure.Kind.FINAL, "the connection was closed", null);
            }
            waiting.add(mine);
            try {
                awaitDone(coming, mine, limit);
            } finally {
                waiting.remove(mine);
            }
        } finally {
            lock.unlock();
        }
        try {
            return coming.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException io
                    ? failure(io)
                    : new HttpFailure(
                            HttpFailure.Kind.UNKNOWN, "a request to " + place() + " failed: " + e.getCause(), e);
        }
    }

    @GuardedBy("lock")
    private void awaitDone(CompletableFuture<?> coming, Waiting mine, Duration limit)
            throws HttpFailure, InterruptedException {
        long until = mine.since + limit.toNanos();
        while (!coming.isDone()) {
            HttpFailure why = mine.givenUp;
            if (why != null) {
                throw why;
            }
            long left = until - settings.time.nanoTime();
            if (left <= 0) {
                String late = place() + " did not answer within " + limit.toSeconds() + " s";
                throw new HttpFailure(HttpFailure.Kind.UNKNOWN, late, null);
            }
            settings.time.await(lock, changed, left);
        }
    }

    private void wake() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Nobody waits any longer for what was sent before some time: the network was away since. What was sent may have
     * arrived.
     */
    void giveUp(long sentBefore, String why) {
        lock.lock();
        try {
            for (Waiting each : waiting) {
                if (each.givenUp == null && each.since - sentBefore < 0) {
                    each.givenUp = new HttpFailure(HttpFailure.Kind.UNKNOWN, why, null);
                }
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Sends {@code initialize} and waits for the beginning of the response. If that comes when nobody waits for it any
     * longer, the connection that it names is ended: nobody else knows of it.
     */
    HttpResponse<InputStream> begin(HttpRequest initialize, Duration limit) throws HttpFailure, InterruptedException {
        HttpClient with = client();
        CompletableFuture<HttpResponse<InputStream>> coming =
                with.sendAsync(initialize, HttpResponse.BodyHandlers.ofInputStream());
        begins(true);
        try {
            HttpResponse<InputStream> begun = await(coming, limit);
            used();
            return begun;
        } finally {
            boolean isClosed = begins(false);
            if (!coming.isDone()) {
                HttpThreads.start("acp4j-http-abandoned", () -> endWhenBegun(with, coming, limit));
            } else if (isClosed) {
                with.shutdownNow();
            }
        }
    }

    /** Returns whether this is closed. */
    private boolean begins(boolean begins) {
        lock.lock();
        try {
            this.begins = begins;
            return closed;
        } finally {
            lock.unlock();
        }
    }

    private void endWhenBegun(HttpClient with, CompletableFuture<HttpResponse<InputStream>> coming, Duration limit) {
        try {
            HttpResponse<InputStream> late = coming.get(limit.toMillis(), TimeUnit.MILLISECONDS);
            discard(late);
            belongTo(late.headers().firstValue(Wire.CONNECTION_ID).orElse(""), "");
            if (belongsToConnection()) {
                HttpRequest delete =
                        request("").timeout(Line.FAREWELL_TIME).DELETE().build();
                discard(with.send(delete, HttpResponse.BodyHandlers.ofInputStream()));
            }
        } catch (IOException | ExecutionException | TimeoutException e) {
            // There is no connection, or the server ends it by itself later.
            boolean unused = coming.cancel(true);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            with.shutdownNow();
        }
    }

    /**
     * Asks the server to end the connection, whatever it is carried by; once more if the way there was cut. A second
     * call waits for the first, and does nothing.
     *
     * @param limit how long it takes at most
     */
    void endConnection(Duration limit) throws HttpFailure, InterruptedException {
        ending.lockInterruptibly();
        try {
            if (!hasEnded) {
                hasEnded = true;
                askForEnd(limit);
            }
        } finally {
            ending.unlock();
        }
    }

    private void askForEnd(Duration limit) throws HttpFailure, InterruptedException {
        long until = settings.time.nanoTime() + limit.toNanos();
        HttpRequest delete = request("").timeout(limit).DELETE().build();
        HttpClient first = client();
        try {
            discard(exchange(first, delete, limit));
        } catch (HttpFailure e) {
            long left = until - settings.time.nanoTime();
            boolean again = e.kind() == HttpFailure.Kind.UNKNOWN || e.kind() == HttpFailure.Kind.ELSEWHERE;
            if (!again || left <= 0) {
                throw e;
            }
            discard(exchange(clientAfter(first), delete, Duration.ofNanos(left)));
        }
    }

    /**
     * Reads the rest of a response, and closes it.
     *
     * @param most no more bytes than these are read
     */
    byte[] rest(HttpResponse<InputStream> response, int most) throws HttpFailure, InterruptedException {
        InputStream in = response.body();
        try {
            return await(
                    CompletableFuture.supplyAsync(
                            () -> {
                                try {
                                    return in.readNBytes(most);
                                } catch (IOException e) {
                                    throw new CompletionException(e);
                                }
                            },
                            HttpThreads.EXECUTOR),
                    BODY_TIME.plusSeconds(most / SLOWEST));
        } finally {
            close(in);
        }
    }

    /** Closes a response of which nothing more is of interest. */
    private void close(InputStream in) throws HttpFailure {
        try {
            in.close();
        } catch (IOException e) {
            throw failure(e);
        }
    }

    void discard(HttpResponse<InputStream> response) throws HttpFailure {
        close(response.body());
    }

    // ---- failures

    HttpFailure failure(IOException e) {
        if (e instanceof HttpFailure known) {
            return known;
        }
        String host = settings.endpoint.getHost();
        String place = place();
        boolean isUnknown = false;
        for (Throwable at = e; at != null; at = at.getCause()) {
            if (at instanceof SSLException && !isCut(at)) {
                String why = "TLS with " + place + " failed: " + at.getMessage();
                return new HttpFailure(HttpFailure.Kind.FINAL, Wire.TLS, why, e);
            }
            isUnknown |= at instanceof UnknownHostException || at instanceof UnresolvedAddressException;
        }
        if (isUnknown) {
            String why = "there is no host " + host + ": check the address and the network";
            return new HttpFailure(HttpFailure.Kind.NOT_SENT, why, e);
        }
        if (e instanceof HttpConnectTimeoutException) {
            String why = place + " does not answer: check the address, the network and the firewall";
            return new HttpFailure(HttpFailure.Kind.NOT_SENT, why, e);
        }
        if (e instanceof ConnectException) {
            String proxy = proxy();
            String why = proxy.isEmpty()
                    ? "nothing listens at " + place + ": is the server running?"
                    : "the proxy " + proxy + " on the way to " + place + " cannot be reached: check its address";
            return new HttpFailure(HttpFailure.Kind.NOT_SENT, why, e);
        }
        String what = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
        if (what.equals(FULL)) {
            String why = "the connection to " + place + " has as many streams as the server allows";
            return new HttpFailure(HttpFailure.Kind.ELSEWHERE, why, e);
        }
        return new HttpFailure(HttpFailure.Kind.UNKNOWN, "the connection to " + place + " was cut: " + what, e);
    }

    /** Returns the host and port of the proxy on the way; empty when there is none that is known here. */
    private String proxy() {
        ProxySelector selector = settings.proxy;
        if (selector == null || RemoteAgent.isLoopback(settings.endpoint.getHost())) {
            return "";
        }
        for (Proxy proxy : selector.select(settings.endpoint)) {
            if (proxy.address() instanceof InetSocketAddress address) {
                return address.getHostString() + ":" + address.getPort();
            }
        }
        return "";
    }

    private String place() {
        return settings.endpoint.getHost() + (settings.endpoint.getPort() < 0 ? "" : ":" + settings.endpoint.getPort());
    }

    /** Returns whether TLS failed because the connection ended, and not because of what the server has shown. */
    private static boolean isCut(Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof EOFException || at instanceof SocketException) {
                return true;
            }
            // The JDK's client says so without a cause.
            if (at instanceof SSLException && CUT_HANDSHAKE.contains(String.valueOf(at.getMessage()))) {
                return true;
            }
        }
        return false;
    }

    /** Returns what a response other than success means, and reads the beginning of its body. */
    HttpFailure refusal(String what, HttpResponse<InputStream> response) throws HttpFailure, InterruptedException {
        return refusal(what, response, new String(rest(response, MOST_BODY_BYTES), StandardCharsets.UTF_8));
    }

    /** Returns what a response other than success means. */
    HttpFailure refusal(String what, HttpResponse<?> response, String body) {
        int status = response.statusCode();
        HttpFailure.Kind kind = switch (status) {
            case 401, 403 -> HttpFailure.Kind.FINAL;
            case 404, 410 -> HttpFailure.Kind.GONE;
            case 429, 503 -> HttpFailure.Kind.LATER;
            default -> HttpFailure.Kind.REFUSED;
        };
        String reason = Wire.TRANSPORT_FAILED;
        StringBuilder message = new StringBuilder(what).append(" was answered ").append(status);
        // A page is for a browser.
        if (!body.isBlank() && !body.stripLeading().startsWith("<")) {
            message.append(": ").append(body.strip());
        }
        if (status == 401 || status == 403) {
            String wanted = header(response, "WWW-Authenticate").orElse("");
            reason = wanted.contains("resource_metadata") ? Wire.LOGIN_REQUIRED : Wire.NOT_ALLOWED;
            message.append(wanted.isEmpty() ? "" : " (" + wanted + ")");
            message.append("; check the credential");
            String proxy = proxy();
            if (status == 403 && !proxy.isEmpty()) {
                message.append(", and whether the proxy ").append(proxy).append(" allows this server");
            }
        } else if (status == 407) {
            message.append("; the proxy ")
                    .append(proxy().isEmpty() ? "" : proxy() + " ")
                    .append("wants a user and a password");
        } else if ((status == 404 || status == 405) && !body.stripLeading().startsWith("{")) {
            // Our server answers with an object that says what is missing.
            message.append("; check the path of the address: ").append(settings.endpoint.getPath());
        } else if (status >= 300 && status < 400) {
            message.append("; redirects are not followed, since credentials would go with them: use the address ")
                    .append(header(response, "Location").orElse("of the agent itself"));
        }
        long seconds = header(response, "Retry-After")
                .filter(value -> value.matches("\\d{1,6}"))
                .map(Long::parseLong)
                .orElse(0L);
        return new HttpFailure(kind, reason, message.toString(), status, body, seconds * 1_000_000_000L, false);
    }

    private static Optional<String> header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name);
    }
}
