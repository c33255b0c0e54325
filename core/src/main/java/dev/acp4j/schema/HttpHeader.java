package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * An HTTP request header. Values are often secret, so {@link #toString()} omits them.
 *
 * @param name the name
 * @param value the value
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-setup#http-transport">HTTP transport</a>
 */
@Codable
public record HttpHeader(String name, String value, Rest rest) implements Extensible {
    @Evolving
    public HttpHeader {
        Objects.requireNonNull(name, "name is null");
        Objects.requireNonNull(value, "value is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the http header with these members. */
    public static HttpHeader of(String name, String value) {
        return new HttpHeader(name, value, Rest.NONE);
    }

    /** Returns the name, without the value. */
    @Override
    public String toString() {
        return "HttpHeader[name=" + name + "]";
    }

    /** Returns a copy with other extension data. */
    public HttpHeader withMeta(Meta meta) {
        return new HttpHeader(name, value, rest.withMeta(meta));
    }
}
