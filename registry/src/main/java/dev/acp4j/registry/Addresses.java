package dev.acp4j.registry;

import java.net.URI;

/** How addresses are shown and kept: passwords, tokens and signatures may be in them. */
final class Addresses {
    private Addresses() {}

    /** Returns an address without the user, the query and the fragment. */
    static String shown(URI address) {
        return shown(address.toString());
    }

    /** Returns a source of an index; of an address, however malformed, without the user, the query and the fragment. */
    static String shown(String source) {
        if (!IndexReader.isAddress(source)) {
            return source;
        }
        String plain = source.replaceFirst("(?s)[?#].*", "");
        int start = plain.indexOf("://") + 3;
        int slash = plain.indexOf('/', start);
        int at = plain.lastIndexOf('@', slash < 0 ? plain.length() : slash);
        return at < start ? plain : plain.substring(0, start) + plain.substring(at + 1);
    }
}
