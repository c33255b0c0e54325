package dev.acp4j.http;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What counts as one machine: a machine with an address of IPv6 has a whole network of them. */
final class Network {
    private static final int NETWORK_BYTES = 8;

    /** No name, so that nothing is looked up. */
    private static final Pattern LITERAL = Pattern.compile("\\[?[0-9a-fA-F:][0-9a-fA-F:.]*(%[\\w.-]+)?]?");

    private Network() {}

    /** Returns the address, for IPv6 the first one of its network of 64 bits. */
    static InetAddress of(InetAddress address) {
        if (!(address instanceof Inet6Address)) {
            return address;
        }
        byte[] bytes = address.getAddress();
        Arrays.fill(bytes, NETWORK_BYTES, bytes.length, (byte) 0);
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e); // It has as many bytes as it had.
        }
    }

    /** Returns the same of an address as text; the text itself if it is none, such as a name that a proxy gives. */
    static String of(String address) {
        InetAddress parsed = parse(address);
        return parsed == null ? address : of(parsed).getHostAddress();
    }

    /** Returns the address that a text is; null if it is none. */
    static @Nullable InetAddress parse(String text) {
        boolean isAddress = LITERAL.matcher(text).matches() && (text.contains(":") || text.split("\\.").length == 4);
        try {
            return isAddress ? InetAddress.getByName(text) : null;
        } catch (UnknownHostException e) {
            return null;
        }
    }
}
