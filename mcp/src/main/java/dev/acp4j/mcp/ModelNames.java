package dev.acp4j.mcp;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Names of tools for models. A name depends on server and tool only, so it is the same whatever else there is. Names
 * that can be read back in one way only stay as they are: {@code files__read}. All others end with a digest, and so do
 * those that look as if they did: two tools never share a name.
 */
final class ModelNames {
    private static final int LONGEST = 64;
    private static final int DIGEST = 12;
    private static final String BETWEEN = "__";

    private ModelNames() {}

    static String of(String server, String tool) {
        String whole = server + BETWEEN + tool;
        boolean isPlain = whole.length() <= LONGEST
                && isClean(server)
                && isClean(tool)
                && !server.contains(BETWEEN)
                && !server.endsWith("_")
                && !tool.startsWith("_")
                && !endsLikeDigest(whole);
        if (isPlain) {
            return whole;
        }
        String clean = cleaned(whole);
        String start = clean.substring(0, Math.min(clean.length(), LONGEST - DIGEST - 1));
        return start + "_" + digest(server, tool);
    }

    private static boolean isClean(String name) {
        return !name.isEmpty() && name.chars().allMatch(ModelNames::isAllowed);
    }

    private static boolean isAllowed(int c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    }

    private static boolean endsLikeDigest(String name) {
        int at = name.length() - DIGEST - 1;
        return at >= 0
                && name.charAt(at) == '_'
                && name.substring(at + 1).chars().allMatch(c -> (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'));
    }

    private static String cleaned(String name) {
        StringBuilder clean = new StringBuilder(name.length());
        name.chars().forEach(c -> clean.append(isAllowed(c) ? (char) c : '_'));
        return clean.toString();
    }

    private static String digest(String server, String tool) {
        try {
            // The length parts the two names, so that no other pair has the same text.
            byte[] text = (server.length() + ":" + server + tool).getBytes(StandardCharsets.UTF_8);
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text);
            return HexFormat.of().formatHex(hash).substring(0, DIGEST);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
