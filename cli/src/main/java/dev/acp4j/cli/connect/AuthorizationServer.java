package dev.acp4j.cli.connect;

import dev.acp4j.http.Http;
import dev.acp4j.http.RemoteAgent;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Requests to authorization servers, and for the documents that name them: small JSON, by TLS or on this machine only.
 * Redirects are not followed, so what is sent goes to the address that was given and no other.
 */
final class AuthorizationServer {
    private static final Duration TIME = Duration.ofSeconds(20);
    private static final int MOST_BYTES = 256 * 1024;

    private final UnaryOperator<RemoteAgent> equipped;

    /** @param equipped adds the certificates and proxies of this side, and no credential */
    AuthorizationServer(UnaryOperator<RemoteAgent> equipped) {
        this.equipped = equipped;
    }

    /**
     * An answer.
     *
     * @param challenge the header {@code WWW-Authenticate}; empty when there is none
     * @param body an empty object when it is no JSON object
     */
    record Answer(int status, String challenge, JsonObject body) {
        /** Returns a member that is the address of an endpoint. */
        Optional<URI> address(String name) throws IOException {
            Optional<String> text = body.text(name);
            return text.isEmpty() ? Optional.empty() : Optional.of(secure(text.get()));
        }
    }

    /** Returns an address, which must be one of TLS or of this machine. */
    static URI secure(String text) throws IOException {
        try {
            URI uri = URI.create(text);
            boolean isTls = "https".equalsIgnoreCase(uri.getScheme());
            if (uri.getHost() != null && (isTls || ProxyVariables.isLoopback(uri.getHost()))) {
                return uri;
            }
        } catch (IllegalArgumentException e) {
            // Reported below.
        }
        throw new IOException("the address is not one of TLS: " + text);
    }

    Answer get(URI uri) throws IOException, InterruptedException {
        return send(uri, HttpRequest.newBuilder(uri).setHeader("Accept", "application/json"));
    }

    /** Sends a form. */
    Answer post(URI uri, Map<String, String> form) throws IOException, InterruptedException {
        String body = form.entrySet().stream()
                .map(entry -> encoded(entry.getKey()) + "=" + encoded(entry.getValue()))
                .collect(Collectors.joining("&"));
        return send(
                uri,
                HttpRequest.newBuilder(uri)
                        .setHeader("Accept", "application/json")
                        .setHeader("Content-Type", "application/x-www-form-urlencoded")
                        .POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    Answer post(URI uri, JsonObject json) throws IOException, InterruptedException {
        return send(
                uri,
                HttpRequest.newBuilder(uri)
                        .setHeader("Accept", "application/json")
                        .setHeader("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(json.toString())));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private Answer send(URI uri, HttpRequest.Builder request) throws IOException, InterruptedException {
        URI origin = URI.create(uri.getScheme() + "://" + uri.getRawAuthority() + "/");
        HttpClient client = equipped.apply(Http.to(origin))
                .client(
                        "https".equalsIgnoreCase(uri.getScheme())
                                ? HttpClient.Version.HTTP_2
                                : HttpClient.Version.HTTP_1_1);
        CompletableFuture<HttpResponse<InputStream>> coming =
                client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofInputStream());
        try {
            HttpResponse<InputStream> response = coming.get(TIME.toMillis(), TimeUnit.MILLISECONDS);
            String type = response.headers().firstValue("Content-Type").orElse("");
            byte[] bytes = new byte[0];
            // A stream of events may have no end.
            if (type.startsWith("application/") && type.contains("json")) {
                try (InputStream in = response.body()) {
                    bytes = in.readNBytes(MOST_BYTES);
                }
            }
            return new Answer(
                    response.statusCode(),
                    String.join(", ", response.headers().allValues("WWW-Authenticate")),
                    object(bytes));
        } catch (ExecutionException e) {
            throw new IOException(uri.getHost() + " cannot be reached: " + e.getCause(), e);
        } catch (TimeoutException e) {
            throw new IOException(uri.getHost() + " did not answer within " + TIME.toSeconds() + " s", e);
        } finally {
            client.shutdownNow();
        }
    }

    private static JsonObject object(byte[] bytes) {
        try {
            if (bytes.length > 0 && RawJson.parse(bytes).value() instanceof JsonObject object) {
                return object;
            }
        } catch (JsonException e) {
            // As nothing.
        }
        return JsonObject.of(Map.of());
    }
}
