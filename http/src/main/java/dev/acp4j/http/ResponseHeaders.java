package dev.acp4j.http;

import java.io.IOException;
import java.net.CookieHandler;
import java.net.CookieManager;
import java.net.CookiePolicy;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The cookies of one connection, which outlive its HTTP clients. The JDK gives a cookie handler all headers of every
 * response, the one that upgrades to WebSocket included, which it shows to nobody else: the connection's id is read
 * here.
 */
final class ResponseHeaders extends CookieHandler {
    private final CookieManager cookies = new CookieManager(null, CookiePolicy.ACCEPT_ORIGINAL_SERVER);
    private volatile @Nullable String connectionId;

    @Override
    public Map<String, List<String>> get(URI uri, Map<String, List<String>> headers) throws IOException {
        return cookies.get(uri, headers);
    }

    @Override
    public void put(URI uri, Map<String, List<String>> headers) throws IOException {
        headers.forEach((name, values) -> {
            if (name.equalsIgnoreCase(Wire.CONNECTION_ID) && !values.isEmpty()) {
                connectionId = values.getFirst();
            }
        });
        cookies.put(uri, headers);
    }

    /** Returns the id that the last response with one had; null when there was none. */
    @Nullable
    String connectionId() {
        return connectionId;
    }
}
