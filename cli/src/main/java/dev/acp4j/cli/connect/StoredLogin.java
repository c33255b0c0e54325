package dev.acp4j.cli.connect;

import dev.acp4j.cli.command.StateFolder;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonNumber;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What {@code acp login URL} has kept for one endpoint: a token, how it is renewed, and for which address it is. A file
 * that only the user may read, one for each endpoint, so a token goes nowhere else.
 */
final class StoredLogin {
    private static final String ENDPOINT = "endpoint";
    private static final String ACCESS_TOKEN = "accessToken";
    private static final String REFRESH_TOKEN = "refreshToken";
    private static final String EXPIRES_AT = "expiresAt";

    /** A token that ends so soon may have ended when it arrives. */
    private static final long MARGIN_SECONDS = 30;

    private final URI endpoint;
    private final Path file;
    private final AuthorizationServer server;

    private StoredLogin(URI endpoint, Path file, AuthorizationServer server) {
        this.endpoint = endpoint;
        this.file = file;
        this.server = server;
    }

    static StoredLogin of(URI endpoint, AuthorizationServer server) {
        String name = endpoint.getHost().replaceAll("[^A-Za-z0-9.-]", "_") + "-" + digest(endpoint.toString());
        return new StoredLogin(endpoint, folder().resolve(name + ".json"), server);
    }

    private static Path folder() {
        return StateFolder.path().resolve("logins");
    }

    private static String digest(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    boolean isThere() {
        return Files.exists(file);
    }

    Path file() {
        return file;
    }

    /**
     * Keeps what a token endpoint has answered.
     *
     * @param about what is needed to renew the token
     */
    void keep(JsonObject answer, Map<String, JsonValue> about) throws IOException {
        Map<String, JsonValue> members = new LinkedHashMap<>(about);
        members.put(ENDPOINT, new JsonString(endpoint.toString()));
        members.put(ACCESS_TOKEN, new JsonString(answer.text("access_token").orElseThrow()));
        answer.text("refresh_token").ifPresent(token -> members.put(REFRESH_TOKEN, new JsonString(token)));
        members.remove(EXPIRES_AT);
        if (answer.members().get("expires_in") instanceof JsonNumber seconds) {
            members.put(EXPIRES_AT, JsonNumber.of(Instant.now().getEpochSecond() + longValue(seconds)));
        }
        Path folder = StateFolder.createForUser(folder());
        Path written = Files.createTempFile(folder, "login", null, StateFolder.ofUser(folder));
        Files.writeString(written, JsonObject.of(members) + "\n");
        Files.move(written, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    static long longValue(JsonNumber number) {
        try {
            return RawJson.of(number).reader().int64();
        } catch (JsonException e) {
            return 0;
        }
    }

    /**
     * Returns what was kept.
     *
     * @throws UsageException when it cannot be used
     */
    JsonObject read() {
        Secret.OfFile.requirePrivate(file);
        try {
            JsonObject kept = RawJson.parse(Files.readString(file)).value() instanceof JsonObject object
                    ? object
                    : JsonObject.of(Map.of());
            if (kept.text(ENDPOINT).equals(Optional.of(endpoint.toString()))
                    && kept.text(ACCESS_TOKEN).isPresent()) {
                return kept;
            }
        } catch (NoSuchFileException e) {
            throw new UsageException("the login for " + endpoint + " is gone; acp login " + endpoint);
        } catch (IOException | JsonException e) {
            // Reported below.
        }
        throw new UsageException("the login in " + file + " cannot be read; acp login " + endpoint + " makes it anew");
    }

    /**
     * Returns the tokens: first the one that is kept, and whenever it is asked for another one, because the server has
     * refused the one before, a renewed one.
     */
    Supplier<String> tokens() {
        return new Supplier<>() {
            private final AtomicReference<@Nullable String> before = new AtomicReference<>();

            @Override
            public String get() {
                String token = token(before.get());
                before.set(token);
                return token;
            }
        };
    }

    /** Returns a token other than the refused one, if there is one. Several processes renew it one after another. */
    private String token(@Nullable String refused) {
        Path guard = file.resolveSibling(file.getFileName() + ".lock");
        try (FileChannel channel = FileChannel.open(guard, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = channel.lock()) {
            JsonObject kept = read();
            String token = kept.text(ACCESS_TOKEN).orElseThrow();
            boolean isGood = lock.isValid() && !token.equals(refused) && !isOver(kept);
            return isGood ? token : renewed(kept, token);
        } catch (IOException e) {
            throw new IllegalStateException("the login cannot be renewed: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the login was renewed", e);
        }
    }

    private static boolean isOver(JsonObject kept) {
        return kept.members().get(EXPIRES_AT) instanceof JsonNumber time
                && longValue(time) - MARGIN_SECONDS < Instant.now().getEpochSecond();
    }

    /** Renews the token. What cannot be renewed is used as it is, and then the server refuses it for good. */
    private String renewed(JsonObject kept, String token) throws IOException, InterruptedException {
        String refresh = kept.text(REFRESH_TOKEN).orElse("");
        String place = kept.text(DeviceLogin.TOKEN_ENDPOINT).orElse("");
        if (refresh.isEmpty() || place.isEmpty()) {
            return token;
        }
        Map<String, String> form = new LinkedHashMap<>();
        form.put("grant_type", "refresh_token");
        form.put("refresh_token", refresh);
        form.put("client_id", kept.text(DeviceLogin.CLIENT_ID).orElse(""));
        kept.text(DeviceLogin.RESOURCE).ifPresent(resource -> form.put("resource", resource));
        AuthorizationServer.Answer answer = server.post(AuthorizationServer.secure(place), form);
        if (answer.status() == 200 && answer.body().text("access_token").isPresent()) {
            keep(answer.body(), kept.members());
            return answer.body().text("access_token").get();
        }
        if (answer.status() >= 500 || answer.status() == 429) {
            throw new IOException("the authorization server answered " + answer.status());
        }
        return token;
    }

    /** Forgets the login, and has the authorization server forget it, if it can. Returns whether there was one. */
    boolean forget() throws IOException, InterruptedException {
        if (!isThere()) {
            return false;
        }
        JsonObject kept = JsonObject.of(Map.of());
        try {
            kept = read();
        } catch (UsageException e) {
            // Whatever it is, it is deleted.
        }
        Files.delete(file);
        boolean unused = Files.deleteIfExists(file.resolveSibling(file.getFileName() + ".lock"));
        String place = kept.text(DeviceLogin.REVOCATION_ENDPOINT).orElse("");
        String token = kept.text(REFRESH_TOKEN).orElse(kept.text(ACCESS_TOKEN).orElse(""));
        if (!place.isEmpty() && !token.isEmpty()) {
            AuthorizationServer.Answer unusedToo = server.post(
                    AuthorizationServer.secure(place),
                    Map.of(
                            "token",
                            token,
                            "client_id",
                            kept.text(DeviceLogin.CLIENT_ID).orElse("")));
        }
        return true;
    }
}
