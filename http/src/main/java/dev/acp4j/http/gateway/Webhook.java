package dev.acp4j.http.gateway;

import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.rpc.Time;
import dev.acp4j.schema.Unstable;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Where questions are reported to that an agent asks: a POST of JSON with title and kind, nothing else of the question,
 * unless {@link #withLink}.
 *
 * <p>{@code Acp-Webhook-Signature} is {@code v1=} and the HMAC-SHA256, in hex, of {@code Acp-Webhook-Timestamp}, a dot
 * and the body, with the secret as key. Attempts that fail are made again twice, with the same {@code Acp-Webhook-Id},
 * while the question is open. Each status of the class 2xx counts as success. Redirects are not followed. Nothing waits
 * for the receiver. Immutable.
 */
@Unstable
public final class Webhook {
    private static final int SHORTEST_SECRET = 16;
    private static final int AT_ONCE = 64;
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final String PRIVATE = "private_address";
    private static final System.Logger LOG = System.getLogger("dev.acp4j.http.gateway");
    private static final Duration[] PAUSES = {Duration.ofSeconds(5), Duration.ofSeconds(30)};

    private final URI uri;
    private final byte[] secret;
    private final boolean allowsPrivate;

    /** Where the server is reached; null when no link is sent. */
    private final @Nullable URI server;

    private final Semaphore permits = new Semaphore(AT_ONCE);

    private Webhook(URI uri, byte[] secret, boolean allowsPrivate, @Nullable URI server) {
        this.uri = uri;
        this.server = server;
        this.secret = secret;
        this.allowsPrivate = allowsPrivate;
    }

    /**
     * Reports to an address in the internet.
     *
     * @param uri the address, {@code https}
     * @param secret signs the reports; at least 16 characters
     * @throws IllegalArgumentException when the address or the secret will not do
     */
    public static Webhook to(URI uri, String secret) {
        return new Webhook(checked(uri), key(secret), false, null);
    }

    /** Returns the same for an address on this machine or in a private network, which may be without TLS. */
    public Webhook inPrivateNetwork() {
        return new Webhook(uri, secret, true, server);
    }

    /**
     * Returns the same with a {@code link} in each report: an address of the approval page at which this question is
     * allowed or rejected, or its input given, once, within 15 minutes, without another credential. So the receiver,
     * and to whom it passes the link on, may answer for the user. Opening the address answers nothing.
     *
     * @param server the address of the server as browsers reach it, such as {@code https://agents.example}
     * @throws IllegalArgumentException when that is no such address
     */
    public Webhook withLink(URI server) {
        return new Webhook(uri, secret, allowsPrivate, checked(server));
    }

    private static URI checked(URI uri) {
        String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
        if ((!scheme.equals("https") && !scheme.equals("http")) || uri.getHost() == null || uri.getUserInfo() != null) {
            throw new IllegalArgumentException("expected an address such as https://hooks.example/acp, got one with "
                    + "the scheme " + uri.getScheme());
        }
        return uri;
    }

    private static byte[] key(String secret) {
        if (secret.length() < SHORTEST_SECRET) {
            throw new IllegalArgumentException("the secret of a webhook must have at least " + SHORTEST_SECRET
                    + " characters, got " + secret.length());
        }
        return secret.getBytes(StandardCharsets.UTF_8);
    }

    /** @throws IllegalArgumentException when an address without TLS was not allowed by {@link #inPrivateNetwork} */
    void requireTls() {
        if (!allowsPrivate && !"https".equalsIgnoreCase(uri.getScheme())) {
            throw new IllegalArgumentException("a webhook in the internet needs https, got one with the scheme "
                    + uri.getScheme() + "; inPrivateNetwork() allows that");
        }
    }

    /** Reports a question in the background. */
    void send(OpenQuestion question, ApprovalLinks links, Time time, InstantSource clock, Consumer<String> onFailure) {
        QuestionText text = question.text();
        Map<String, JsonValue> body = new LinkedHashMap<>();
        body.put("event", JsonString.of("question.opened"));
        body.put("id", JsonString.of(question.name()));
        body.put("principal", JsonString.of(question.principal().name()));
        body.put("title", JsonString.of(text.title()));
        body.put("kind", JsonString.of(text.kind()));
        if (server != null) {
            body.put("link", JsonString.of(server.resolve(ApprovalPages.PATH) + "#link=" + links.issue(question)));
        }
        String json = JsonObject.of(body).toString();
        if (!permits.tryAcquire()) {
            onFailure.accept("too_many_reports");
            return;
        }
        Thread unused = Thread.ofVirtual().name("acp4j-gateway-webhook").start(() -> {
            String failure = "interrupted";
            try {
                failure = attempts(question, json, time, clock);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                permits.release();
            }
            if (!failure.isEmpty()) {
                onFailure.accept(failure);
            }
        });
    }

    /** Returns why the last attempt failed; empty when it did not. */
    private String attempts(OpenQuestion question, String json, Time time, InstantSource clock)
            throws InterruptedException {
        String failure = post(question.name(), json, clock);
        for (Duration pause : PAUSES) {
            // A report of a question that was answered meanwhile would lead its reader to nothing.
            if (failure.isEmpty() || failure.equals(PRIVATE) || question.awaitClosed(time, pause)) {
                break;
            }
            failure = post(question.name(), json, clock);
        }
        return failure;
    }

    /** Returns why it failed; empty when it did not. */
    private String post(String id, String json, InstantSource clock) throws InterruptedException {
        HttpClient http = null;
        try {
            if (!allowsPrivate && isPrivate()) {
                return PRIVATE;
            }
            http = HttpClient.newBuilder()
                    .followRedirects(HttpClient.Redirect.NEVER)
                    .connectTimeout(PATIENCE)
                    .build();
            String time = Long.toString(clock.instant().getEpochSecond());
            HttpRequest request = HttpRequest.newBuilder(uri)
                    .timeout(PATIENCE)
                    .header("Content-Type", "application/json")
                    .header("Acp-Webhook-Id", id)
                    .header("Acp-Webhook-Timestamp", time)
                    .header("Acp-Webhook-Signature", "v1=" + signature(time, json))
                    .POST(HttpRequest.BodyPublishers.ofString(json))
                    .build();
            // The body says nothing, and the time of a request does not bound it.
            HttpResponse<InputStream> response = http.send(request, HttpResponse.BodyHandlers.ofInputStream());
            response.body().close();
            int status = response.statusCode();
            return status >= 200 && status < 300 ? "" : "status_" + status;
        } catch (UnknownHostException e) {
            return "unknown_host";
        } catch (ConnectException | HttpConnectTimeoutException e) {
            return "no_connection";
        } catch (SSLException e) {
            return "tls";
        } catch (IOException e) {
            return "no_answer";
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "a question could not be reported", e);
            return "failed";
        } finally {
            if (http != null) {
                http.shutdownNow();
            }
        }
    }

    private boolean isPrivate() throws UnknownHostException {
        for (InetAddress address : InetAddress.getAllByName(uri.getHost())) {
            byte[] bytes = address.getAddress();
            if (address.isLoopbackAddress()
                    || address.isAnyLocalAddress()
                    || address.isLinkLocalAddress()
                    || address.isSiteLocalAddress()
                    || address.isMulticastAddress()
                    || (bytes.length == 4
                            ? isOfNoInternet(ByteBuffer.wrap(bytes).getInt())
                            : (bytes[0] & 0xfe) == 0xfc)) {
                return true;
            }
        }
        return false;
    }

    /** Networks of RFC 6890 beside those that the JDK knows: this one, carriers and VPNs, protocols, measurements. */
    private static boolean isOfNoInternet(int address) {
        return address >>> 24 == 0
                || address >>> 22 == (100 << 24 | 64 << 16) >>> 22
                || address >>> 8 == 192 << 16
                || address >>> 17 == (198 << 24 | 18 << 16) >>> 17;
    }

    private String signature(String time, String json) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret, "HmacSHA256"));
            return HexFormat.of().formatHex(mac.doFinal((time + "." + json).getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
