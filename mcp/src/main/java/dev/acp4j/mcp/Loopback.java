package dev.acp4j.mcp;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** The address at which tools are served to programs on this machine, in each JVM the same, whatever it prefers. */
final class Loopback {
    static final InetAddress ADDRESS = address();

    private Loopback() {}

    private static InetAddress address() {
        try {
            return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }
}
