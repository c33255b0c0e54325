package dev.acp4j.http;

import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What tells a client without a credential who issues them.
 *
 * @param path the path of the endpoint; empty when the server answers at no other path, and so names nobody
 * @param issuers who issues tokens; empty for nobody
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9728">RFC 9728</a>
 */
record ProtectedResource(String path, List<URI> issuers) {
    private static final String WELL_KNOWN = "/.well-known/oauth-protected-resource";

    /** Returns whether a request asks for this. */
    boolean isAsked(Exchange exchange) {
        return isNamed() && exchange.path().equals(WELL_KNOWN + path);
    }

    private boolean isNamed() {
        return !issuers.isEmpty() && !path.isEmpty();
    }

    Answer answer(Exchange exchange) {
        if (!exchange.method().equals("GET")) {
            return Answer.refusal(405, "method_not_allowed", "GET is").with("Allow", "GET");
        }
        Map<String, JsonValue> metadata = new LinkedHashMap<>();
        metadata.put("resource", JsonString.of(origin(exchange) + path));
        metadata.put(
                "authorization_servers",
                new JsonArray(issuers.stream()
                        .map(issuer -> (JsonValue) JsonString.of(issuer.toString()))
                        .toList()));
        metadata.put("bearer_methods_supported", JsonArray.of(JsonString.of("header")));
        return Answer.json(200, RawJson.of(JsonObject.of(metadata)));
    }

    /** Returns the challenge with the address where this is. */
    String named(String challenge, Exchange exchange) {
        return isNamed()
                ? challenge + " resource_metadata=\"" + origin(exchange) + WELL_KNOWN + path + "\""
                : challenge;
    }

    /** The host was checked before, so that no client is led elsewhere. */
    private static String origin(Exchange exchange) {
        return (exchange.isSecure() ? "https://" : "http://") + exchange.authority();
    }
}
