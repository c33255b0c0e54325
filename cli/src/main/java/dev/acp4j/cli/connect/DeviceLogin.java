package dev.acp4j.cli.connect;

import dev.acp4j.cli.command.CommandFailedException;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.command.NotOfferedException;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonNumber;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A login with a server by its authorization server: the server says which one that is, and the user enters a code in a
 * browser, on whatever machine there is one.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9728">OAuth 2.0 Protected Resource Metadata</a>
 * @see <a href="https://www.rfc-editor.org/rfc/rfc8414">OAuth 2.0 Authorization Server Metadata</a>
 * @see <a href="https://www.rfc-editor.org/rfc/rfc8628">OAuth 2.0 Device Authorization Grant</a>
 */
public final class DeviceLogin {
    // What is kept beside the token.
    static final String TOKEN_ENDPOINT = "tokenEndpoint";
    static final String REVOCATION_ENDPOINT = "revocationEndpoint";
    static final String CLIENT_ID = "clientId";
    static final String RESOURCE = "resource";

    private static final String DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
    private static final Duration STANDARD_INTERVAL = Duration.ofSeconds(5);
    private static final Duration STANDARD_TIME = Duration.ofMinutes(10);
    private static final Pattern PARAMETER = Pattern.compile("([A-Za-z0-9_-]+)\\s*=\\s*(?:\"([^\"]*)\"|([^\\s,]+))");

    private final URI endpoint;
    private final AuthorizationServer server;
    private final StoredLogin login;
    private final Consumer<String> tell;

    DeviceLogin(URI endpoint, AuthorizationServer server, Consumer<String> tell) {
        this.endpoint = endpoint;
        this.server = server;
        this.login = StoredLogin.of(endpoint, server);
        this.tell = tell;
    }

    /** Forgets the login; returns whether there was one. */
    public boolean logOut() throws InterruptedException {
        try {
            return login.forget();
        } catch (IOException e) {
            throw failed("the login is forgotten here, and perhaps not there: " + e.getMessage());
        }
    }

    /**
     * Logs in, and waits for the user.
     *
     * @param clientId the id of this program there; null to register it
     * @param scope what the token may be used for; null for what the server names
     */
    public void logIn(@Nullable String clientId, @Nullable String scope) throws InterruptedException {
        try {
            AuthorizationServer.Answer asked = server.get(endpoint);
            if (asked.status() != 401) {
                throw new NotOfferedException(
                        "the server asks for no login: a request without a token was answered " + asked.status());
            }
            JsonObject resource = resource(asked.challenge());
            AuthorizationServer.Answer issuer = issuer(resource);
            URI device = issuer.address("device_authorization_endpoint")
                    .orElseThrow(() -> new NotOfferedException(
                            "the authorization server offers no login with a code; get a token another way, and use"
                                    + " --token-command or --token-file"));
            URI tokens = issuer.address("token_endpoint")
                    .orElseThrow(() -> new IOException("the authorization server has no token endpoint"));
            Map<String, String> form = new LinkedHashMap<>();
            form.put("client_id", clientId == null ? registered(issuer) : clientId);
            String wanted = scope == null ? scope(asked.challenge(), resource) : scope;
            if (!wanted.isEmpty()) {
                form.put("scope", wanted);
            }
            form.put(RESOURCE, resource.text(RESOURCE).orElse(endpoint.toString()));
            JsonObject token = token(device, tokens, form);
            Map<String, JsonValue> about = new LinkedHashMap<>();
            about.put(TOKEN_ENDPOINT, new JsonString(tokens.toString()));
            issuer.address("revocation_endpoint")
                    .ifPresent(uri -> about.put(REVOCATION_ENDPOINT, new JsonString(uri.toString())));
            about.put(CLIENT_ID, new JsonString(form.getOrDefault("client_id", "")));
            about.put(RESOURCE, new JsonString(form.getOrDefault(RESOURCE, "")));
            login.keep(token, about);
        } catch (IOException e) {
            throw failed("the login failed: " + e.getMessage());
        }
    }

    /** Returns where the token is kept. */
    public String place() {
        return login.file().toString();
    }

    private static CommandFailedException failed(String text) {
        return new CommandFailedException(Failure.agent(SafeText.line(text)));
    }

    // ---- who gives tokens

    /** Returns what the server says of itself. A document about another server is none about this one. */
    private JsonObject resource(String challenge) throws IOException, InterruptedException {
        String named = parameter(challenge, "resource_metadata");
        URI place =
                named.isEmpty() ? wellKnown(endpoint, "oauth-protected-resource") : AuthorizationServer.secure(named);
        AuthorizationServer.Answer answer = server.get(place);
        if (answer.status() != 200) {
            throw new NotOfferedException("the server does not say where tokens come from: " + place
                    + " was answered " + answer.status()
                    + "; get a token another way, and use --token-command or --token-file");
        }
        URI about = AuthorizationServer.secure(answer.body().text(RESOURCE).orElse(""));
        boolean isOurs = origin(about).equals(origin(endpoint))
                && endpoint.getPath().startsWith(about.getPath().equals("/") ? "" : about.getPath());
        if (!isOurs) {
            throw new IOException("what " + place + " describes is " + about + ", and not " + endpoint);
        }
        return answer.body();
    }

    private AuthorizationServer.Answer issuer(JsonObject resource) throws IOException, InterruptedException {
        String name = resource.members().get("authorization_servers") instanceof JsonArray all
                        && !all.elements().isEmpty()
                        && all.elements().getFirst() instanceof JsonString first
                ? first.value()
                : "";
        if (name.isEmpty()) {
            throw new NotOfferedException("the server names no authorization server");
        }
        URI issuer = AuthorizationServer.secure(name);
        URI place = wellKnown(issuer, "oauth-authorization-server");
        AuthorizationServer.Answer answer = server.get(place);
        if (answer.status() == 404) {
            // Those of OpenID Connect have the same document behind their path.
            place = URI.create(name.replaceFirst("/$", "") + "/.well-known/openid-configuration");
            answer = server.get(place);
        }
        if (answer.status() != 200) {
            throw new IOException(
                    "the authorization server does not describe itself: " + place + " was answered " + answer.status());
        }
        if (!answer.body().text("issuer").equals(Optional.of(name))) {
            throw new IOException("what " + place + " describes is "
                    + answer.body().text("issuer").orElse("nobody") + ", and not " + name);
        }
        return answer;
    }

    private static URI wellKnown(URI of, String name) {
        String path = of.getRawPath() == null || of.getRawPath().equals("/") ? "" : of.getRawPath();
        return URI.create(origin(of) + "/.well-known/" + name + path);
    }

    private static String origin(URI uri) {
        return uri.getScheme() + "://" + uri.getRawAuthority();
    }

    /** Registers this program, for servers that take programs which nobody has told them of. */
    private String registered(AuthorizationServer.Answer issuer) throws IOException, InterruptedException {
        URI place = issuer.address("registration_endpoint")
                .orElseThrow(
                        () -> new UsageException("the authorization server wants to know this program: ask who runs"
                                + " it for a client id, and use --client-id ID"));
        Map<String, JsonValue> members = new LinkedHashMap<>();
        members.put("client_name", new JsonString("acp"));
        members.put("grant_types", JsonArray.of(new JsonString(DEVICE_GRANT), new JsonString("refresh_token")));
        members.put("token_endpoint_auth_method", new JsonString("none"));
        AuthorizationServer.Answer answer = server.post(place, JsonObject.of(members));
        return answer.body()
                .text("client_id")
                .orElseThrow(() -> new IOException(
                        "the registration was answered " + answer.status() + error(answer) + "; use --client-id ID"));
    }

    private static String scope(String challenge, JsonObject resource) {
        String named = parameter(challenge, "scope");
        if (!named.isEmpty() || !(resource.members().get("scopes_supported") instanceof JsonArray all)) {
            return named;
        }
        StringBuilder scope = new StringBuilder();
        for (JsonValue one : all.elements()) {
            if (one instanceof JsonString text) {
                scope.append(scope.isEmpty() ? "" : " ").append(text.value());
            }
        }
        return scope.toString();
    }

    private static String parameter(String challenge, String name) {
        Matcher found = PARAMETER.matcher(challenge);
        while (found.find()) {
            if (found.group(1).equalsIgnoreCase(name)) {
                return found.group(2) == null ? found.group(3) : found.group(2);
            }
        }
        return "";
    }

    // ---- the code

    private JsonObject token(URI device, URI tokens, Map<String, String> form)
            throws IOException, InterruptedException {
        AuthorizationServer.Answer begun = server.post(device, form);
        JsonObject body = begun.body();
        String code = body.text("device_code").orElse("");
        String userCode = body.text("user_code").orElse("");
        // Some servers call it by its older name.
        String page = body.text("verification_uri")
                .or(() -> body.text("verification_url"))
                .orElse("");
        if (begun.status() != 200 || code.isEmpty() || userCode.isEmpty() || page.isEmpty()) {
            throw new IOException("the request for a code was answered " + begun.status() + error(begun));
        }
        tell.accept("Open " + SafeText.line(page) + " in a browser, on any machine, and enter the code "
                + SafeText.line(userCode));
        body.text("verification_uri_complete").ifPresent(whole -> tell.accept("Or open " + SafeText.line(whole)));
        Duration interval = seconds(body, "interval", STANDARD_INTERVAL);
        Instant until = Instant.now().plus(seconds(body, "expires_in", STANDARD_TIME));
        Map<String, String> question = new LinkedHashMap<>();
        question.put("grant_type", DEVICE_GRANT);
        question.put("device_code", code);
        question.put("client_id", form.getOrDefault("client_id", ""));
        question.put(RESOURCE, form.getOrDefault(RESOURCE, ""));
        CountDownLatch never = new CountDownLatch(1);
        while (Instant.now().isBefore(until)) {
            boolean unused = never.await(interval.toMillis(), TimeUnit.MILLISECONDS);
            AuthorizationServer.Answer answer = server.post(tokens, question);
            if (answer.status() == 200
                    && answer.body().text("access_token").isPresent()
                    && "bearer"
                            .equalsIgnoreCase(answer.body().text("token_type").orElse("bearer"))) {
                return answer.body();
            }
            switch (answer.body().text("error").orElse("")) {
                case "authorization_pending" -> {}
                case "slow_down" -> interval = interval.plus(STANDARD_INTERVAL);
                case "access_denied" -> throw new IOException("it was refused in the browser");
                case "expired_token" -> until = Instant.now();
                default ->
                    throw new IOException("the request for a token was answered " + answer.status() + error(answer));
            }
        }
        throw new IOException("the code has expired before it was entered");
    }

    private static Duration seconds(JsonObject body, String name, Duration otherwise) {
        return body.members().get(name) instanceof JsonNumber number
                ? Duration.ofSeconds(Math.clamp(StoredLogin.longValue(number), 1, 3600))
                : otherwise;
    }

    private static String error(AuthorizationServer.Answer answer) {
        return answer.body().text("error").map(error -> ": " + error).orElse("")
                + answer.body()
                        .text("error_description")
                        .map(text -> ", " + text)
                        .orElse("");
    }
}
