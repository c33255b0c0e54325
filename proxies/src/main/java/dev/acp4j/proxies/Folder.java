package dev.acp4j.proxies;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An absolute place in the files of some machine, which need not be this one.
 *
 * @param kind how it begins
 * @param names its names, with the drive first if it has one; the last one is empty in front of a separator at the end
 * @param encoded the same as they stand in an address
 */
record Folder(Kind kind, List<String> names, List<String> encoded) {
    private static final Pattern DRIVE = Pattern.compile("[A-Za-z]:([\\\\/].*)?", Pattern.DOTALL);
    private static final String PLAIN = "-._~!$&'()*+,;=:@";

    /** How a path begins. */
    enum Kind {
        /** With a slash. */
        ROOT("/", "/"),
        /** With the letter of a drive. */
        DRIVE("", "\\"),
        /** With the name of a server. */
        SERVER("\\\\", "\\");

        private final String start;
        private final String separator;

        Kind(String start, String separator) {
            this.start = start;
            this.separator = separator;
        }

        private boolean equal(String one, String other) {
            return this == ROOT ? one.equals(other) : one.equalsIgnoreCase(other);
        }
    }

    private Folder(Kind kind, List<String> names) {
        this(kind, List.copyOf(names), names.stream().map(Folder::encode).toList());
    }

    /** Returns what a path means; null if it is relative. */
    static @Nullable Folder ofPath(String path) {
        if (path.startsWith("\\\\")) {
            return new Folder(Kind.SERVER, List.of(path.substring(2).split("[\\\\/]", -1)));
        }
        if (DRIVE.matcher(path).matches()) {
            return new Folder(Kind.DRIVE, List.of(path.split("[\\\\/]", -1)));
        }
        return path.startsWith("/")
                ? new Folder(Kind.ROOT, List.of(path.substring(1).split("/", -1)))
                : null;
    }

    /** Returns what the address of a file means, without what follows a question mark or a hash; null for others. */
    static @Nullable Folder ofAddress(String uri) {
        if (!uri.toLowerCase(Locale.ROOT).startsWith("file:/")) {
            return null;
        }
        String place = uri.substring("file:".length());
        String host = "";
        if (place.startsWith("//")) {
            int end = place.indexOf('/', 2);
            host = place.substring(2, end < 0 ? place.length() : end);
            place = end < 0 ? "/" : place.substring(end);
        }
        List<String> encoded = new ArrayList<>(List.of(place.substring(1).split("/", -1)));
        Kind kind = DRIVE.matcher(decode(encoded.get(0))).matches() ? Kind.DRIVE : Kind.ROOT;
        if (!host.isEmpty() && !host.equalsIgnoreCase("localhost")) {
            kind = Kind.SERVER;
            encoded.add(0, host);
        }
        List<String> names = encoded.stream().map(Folder::decode).toList();
        boolean isSimple = names.stream().noneMatch(name -> name.equals("..") || name.equals("."));
        return isSimple ? new Folder(kind, names, List.copyOf(encoded)) : new Folder(kind, names).normalized();
    }

    /** Whether no name has a separator or a null character in it, as an encoded one in an address can. */
    boolean isOfPlainNames() {
        return names.stream().noneMatch(name -> name.chars().anyMatch(c -> c == '/' || c == '\\' || c == 0));
    }

    /** Returns the same place without empty names, dots and double dots. */
    Folder normalized() {
        List<String> left = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            boolean isLast = i == names.size() - 1;
            if (name.equals("..")) {
                if (!left.isEmpty() && !(kind != Kind.ROOT && left.size() == 1)) {
                    left.remove(left.size() - 1);
                }
            } else if (!name.equals(".") && (isLast || !name.isEmpty())) {
                left.add(name);
            }
        }
        return left.equals(names) ? this : new Folder(kind, left);
    }

    /** Returns the same place without a separator at the end. */
    Folder withoutEnd() {
        boolean hasEnd = !names.isEmpty() && names.get(names.size() - 1).isEmpty();
        return hasEnd ? new Folder(kind, names.subList(0, names.size() - 1)) : this;
    }

    int depth() {
        return names.size();
    }

    /** Whether this is a folder, or in it. */
    boolean isIn(Folder folder) {
        if (kind != folder.kind || names.size() < folder.names.size()) {
            return false;
        }
        for (int i = 0; i < folder.names.size(); i++) {
            if (!kind.equal(names.get(i), folder.names.get(i))) {
                return false;
            }
        }
        return true;
    }

    /** Returns what is at this place in one folder as it is in another; null if that cannot have such a name. */
    @Nullable
    Folder moved(Folder from, Folder to) {
        List<String> rest = names.subList(from.depth(), names.size());
        if (to.kind != Kind.ROOT && rest.stream().anyMatch(name -> name.indexOf('\\') >= 0)) {
            return null;
        }
        List<String> moved = new ArrayList<>(to.names);
        moved.addAll(rest);
        List<String> same = new ArrayList<>(to.encoded);
        same.addAll(encoded.subList(from.depth(), encoded.size()));
        return new Folder(to.kind, moved, same);
    }

    /** Returns it as a path. */
    String path() {
        String path = kind.start + String.join(kind.separator, names);
        return kind == Kind.DRIVE && names.size() == 1 ? path + "\\" : path;
    }

    /** Returns it as an address. */
    String address() {
        String place = String.join("/", encoded);
        return (kind == Kind.SERVER ? "file://" : "file:///") + place + (kind == Kind.DRIVE && depth() == 1 ? "/" : "");
    }

    private static String decode(String name) {
        try {
            return URLDecoder.decode(name.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return name;
        }
    }

    private static String encode(String name) {
        StringBuilder out = new StringBuilder();
        for (byte b : name.getBytes(StandardCharsets.UTF_8)) {
            int c = b & 0xff;
            boolean isPlain = c < 128 && (Character.isLetterOrDigit(c) || PLAIN.indexOf(c) >= 0);
            out.append(isPlain ? Character.toString(c) : String.format("%%%02X", c));
        }
        return out.toString();
    }
}
