package dev.acp4j.http.gateway;

import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.schema.Unstable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Where questions are reported to that an agent asks: a POST of JSON with title and kind, nothing else of the question,
 * unless {@link #withLink}.
 *
 * <p>{@code Acp-Webhook-Signature} is {@code v1=} and the HMAC-SHA256, in hex, of {@code Acp-Webhook-Timestamp}, a dot
 * and the body, with the secret as key. Attempts that fail are made again twice, with the same {@code Acp-Webhook-Id}.
 * Redirects are not followed. Nothing waits for the receiver. Immutable.
 */
@Unstable
public final class Webhook {
    private static final int SHORTEST_SECRET = 16;
    private static final int AT_ONCE = 64;
    private static final Duration PATIENCE = Duration.ofSeconds(10);
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

    /** Reports a question in the background. */
    void send(OpenQuestion question, ApprovalLinks links, Consumer<String> onFailure) {
        if (!permits.tryAcquire()) {
            onFailure.accept("too many reports are under way");
            return;
        }
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
        attempt(question.name(), json, 0, onFailure);
    }

    private void attempt(String id, String json, int number, Consumer<String> onFailure) {
        Thread unused = Thread.ofVirtual().name("acp4j-gateway-webhook").start(() -> {
            String failure;
            try {
                failure = post(id, json);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                failure = "interrupted";
            }
            if (!failure.isEmpty() && number < PAUSES.length) {
                CompletableFuture.delayedExecutor(PAUSES[number].toMillis(), TimeUnit.MILLISECONDS)
                        .execute(() -> attempt(id, json, number + 1, onFailure));
                return;
            }
            permits.release();
            if (!failure.isEmpty()) {
                onFailure.accept(failure);
            }
        });
    }

    /** Returns why it failed; empty when it did not. */
    private String post(String id, String json) throws InterruptedException {
        try (HttpClient http = HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(PATIENCE)
                .build()) {
            requireAllowed();
            String time = Long.toString(Instant.now().getEpochSecond());
            HttpRequest request = HttpRequest.newBuilder(uri)
                    .timeout(PATIENCE)
                    .header("Content-Type", "application/json")
                    .header("Acp-Webhook-Id", id)
                    .header("Acp-Webhook-Timestamp", time)
                    .header("Acp-Webhook-Signature", "v1=" + signature(time, json))
                    .POST(HttpRequest.BodyPublishers.ofString(json))
                    .build();
            int status =
                    http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
            return status >= 200 && status < 300 ? "" : "status " + status;
        } catch (IOException e) {
            return e.getClass().getSimpleName();
        }
    }

    private void requireAllowed() throws IOException {
        if (allowsPrivate) {
            return;
        }
        boolean isPrivate = !"https".equalsIgnoreCase(uri.getScheme());
        for (InetAddress address : InetAddress.getAllByName(uri.getHost())) {
            isPrivate |= address.isLoopbackAddress()
                    || address.isAnyLocalAddress()
                    || address.isLinkLocalAddress()
                    || address.isSiteLocalAddress()
                    || address.isMulticastAddress()
                    || isUniqueLocal(address);
        }
        if (isPrivate) {
            throw new IOException("no public address with TLS");
        }
    }

    private static boolean isUniqueLocal(InetAddress address) {
        byte[] bytes = address.getAddress();
        return bytes.length == 16 && (bytes[0] & 0xfe) == 0xfc;
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
