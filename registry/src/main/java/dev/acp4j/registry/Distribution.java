package dev.acp4j.registry;

import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonNumber;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One way to get an agent's program and to start it. */
public sealed interface Distribution {
    /** Returns the kind. */
    Kind kind();

    /** The kinds, in the order in which they are chosen. */
    enum Kind {
        /** A program for each platform, in an archive or alone. */
        BINARY,
        /** A package of npm. */
        NPX,
        /** A package of Python, installed by uv. */
        UVX;

        /** Returns the name in entries. */
        public String id() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Returns the kind with this name; empty if there is none. */
        public static Optional<Kind> named(String id) {
            for (Kind kind : values()) {
                if (kind.id().equals(id)) {
                    return Optional.of(kind);
                }
            }
            return Optional.empty();
        }
    }

    /**
     * Programs by platform.
     *
     * @param archives what to download for each platform
     */
    record Binary(Map<Platform, Archive> archives) implements Distribution {
        /** Copies the map, in the order of the platforms. */
        public Binary {
            archives = Collections.unmodifiableMap(new TreeMap<>(archives));
        }

        @Override
        public Kind kind() {
            return Kind.BINARY;
        }
    }

    /**
     * A download.
     *
     * @param uri where it is
     * @param command the program in it, as the entry writes it
     * @param args its arguments
     * @param env variables that it is started with
     * @param sha256 the SHA-256 of the download in lower-case hexadecimal digits, or null if nobody has said it
     * @param size its size in bytes, or -1 if nobody has said it
     */
    record Archive(
            URI uri,
            String command,
            List<String> args,
            Map<String, String> env,
            @Nullable String sha256,
            long size) {
        private static final Pattern SHA256 = Pattern.compile("[0-9a-f]{64}");

        /** Copies the lists and checks the digest. */
        public Archive {
            args = List.copyOf(args);
            env = Collections.unmodifiableMap(new TreeMap<>(env));
            sha256 = sha256 == null ? null : sha256.toLowerCase(Locale.ROOT);
            if (sha256 != null && !SHA256.matcher(sha256).matches()) {
                throw new IllegalArgumentException("sha256: expected 64 hexadecimal digits");
            }
        }

        Archive with(String digest, long bytes) {
            return new Archive(uri, command, args, env, digest, bytes);
        }
    }

    /**
     * A package of npm or Python.
     *
     * @param kind {@link Kind#NPX} or {@link Kind#UVX}
     * @param name the name of the package, with its extras
     * @param version the exact version
     * @param command the program of the package, or null for its only one
     * @param args its arguments
     * @param env variables that it is started with
     */
    record Packaged(
            Kind kind,
            String name,
            String version,
            @Nullable String command,
            List<String> args,
            Map<String, String> env)
            implements Distribution {
        private static final Pattern NPM =
                Pattern.compile("((?:@[a-z0-9~][a-z0-9._~-]*/)?[A-Za-z0-9~][A-Za-z0-9._~-]*)(?:@(.*))?");
        private static final Pattern PYTHON = Pattern.compile(
                "([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?(?:\\[[A-Za-z0-9._, -]+])?)(?:(?:==|@)(.*))?");
        private static final Pattern EXACT =
                Pattern.compile("[0-9]+(?:\\.[0-9]+)*(?:[.+-]?[0-9A-Za-z][0-9A-Za-z.+-]*)?");

        /** Copies the lists. */
        public Packaged {
            args = List.copyOf(args);
            env = Collections.unmodifiableMap(new TreeMap<>(env));
        }

        /** Returns the package with its version, as its package manager writes it. */
        public String text() {
            return name + (kind == Kind.NPX ? "@" : "==") + version;
        }

        /**
         * Reads a package as entries write it.
         *
         * @param version the version of the entry, for a package without one
         * @throws IllegalArgumentException if it has no exact version: tags, ranges, addresses and files
         */
        static Packaged parse(Kind kind, String text, String version, JsonObject rest) {
            Matcher matcher = (kind == Kind.NPX ? NPM : PYTHON).matcher(text);
            if (!matcher.matches()) {
                throw new IllegalArgumentException("package: expected a name with an exact version, got " + text);
            }
            String given = matcher.group(2);
            String exact = given == null ? version : given;
            boolean isExact = kind == Kind.NPX
                    ? Versions.isExact(exact)
                    : EXACT.matcher(exact).matches();
            if (!isExact) {
                throw new IllegalArgumentException("package: expected an exact version, got " + text);
            }
            return new Packaged(
                    kind,
                    matcher.group(1),
                    exact,
                    Json.optionalText(rest, "cmd"),
                    Json.texts(rest, "args"),
                    Json.textMap(rest, "env"));
        }
    }

    /**
     * Reads the member {@code distribution} of an entry or a pin.
     *
     * @param version the version of the entry
     * @throws IllegalArgumentException if a part of it cannot be used; the message says which
     */
    static List<Distribution> read(JsonObject object, String version) {
        List<Distribution> all = new ArrayList<>();
        for (Map.Entry<String, JsonValue> member : object.members().entrySet()) {
            Kind kind = Kind.named(member.getKey())
                    .orElseThrow(() -> new IllegalArgumentException("distribution: unknown kind " + member.getKey()));
            if (!(member.getValue() instanceof JsonObject parts)) {
                throw new IllegalArgumentException("distribution." + kind.id() + ": expected an object");
            }
            try {
                all.add(
                        kind == Kind.BINARY
                                ? binary(parts)
                                : Packaged.parse(kind, Json.text(parts, "package"), version, parts));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("distribution." + kind.id() + "." + e.getMessage(), e);
            }
        }
        if (all.isEmpty()) {
            throw new IllegalArgumentException("distribution: expected binary, npx or uvx");
        }
        all.sort((one, other) -> one.kind().compareTo(other.kind()));
        return List.copyOf(all);
    }

    private static Binary binary(JsonObject platforms) {
        Map<Platform, Archive> archives = new TreeMap<>();
        platforms.members().forEach((id, value) -> {
            Platform platform = Platform.named(id)
                    .orElseThrow(() -> new IllegalArgumentException(id + ": not one of the six platforms"));
            if (!(value instanceof JsonObject archive)) {
                throw new IllegalArgumentException(id + ": expected an object");
            }
            try {
                archives.put(platform, archive(archive));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(id + "." + e.getMessage(), e);
            }
        });
        if (archives.isEmpty()) {
            throw new IllegalArgumentException("expected a platform");
        }
        return new Binary(archives);
    }

    private static Archive archive(JsonObject object) {
        String command = Json.text(object, "cmd");
        if (!Interpreters.isOne(command)) {
            String unused = EntryPath.ofCommand(command); // throws if it leads out
        }
        URI uri;
        try {
            uri = URI.create(Json.text(object, "archive"));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("archive: not an address", e);
        }
        return new Archive(
                uri,
                command,
                Json.texts(object, "args"),
                Json.textMap(object, "env"),
                Json.optionalText(object, "sha256"),
                object.get("size").orElse(null) instanceof JsonNumber number ? number.longValue() : -1);
    }

    /** Returns the member {@code distribution} with this as its only kind. */
    default JsonObject json() {
        Map<String, JsonValue> parts = new TreeMap<>();
        switch (this) {
            case Binary binary ->
                binary.archives.forEach((platform, archive) -> parts.put(platform.id(), json(archive)));
            case Packaged named -> {
                parts.put("package", JsonString.of(named.text()));
                put(parts, named.command, named.args, named.env);
            }
        }
        return JsonObject.of(Map.of(kind().id(), JsonObject.of(parts)));
    }

    private static JsonObject json(Archive archive) {
        Map<String, JsonValue> members = new TreeMap<>();
        members.put("archive", JsonString.of(archive.uri.toString()));
        put(members, archive.command, archive.args, archive.env);
        if (archive.sha256 != null) {
            members.put("sha256", JsonString.of(archive.sha256));
        }
        if (archive.size >= 0) {
            members.put("size", JsonNumber.of(archive.size));
        }
        return JsonObject.of(members);
    }

    private static void put(
            Map<String, JsonValue> members, @Nullable String command, List<String> args, Map<String, String> env) {
        if (command != null) {
            members.put("cmd", JsonString.of(command));
        }
        if (!args.isEmpty()) {
            members.put(
                    "args",
                    new JsonArray(args.stream().<JsonValue>map(JsonString::of).toList()));
        }
        if (!env.isEmpty()) {
            Map<String, JsonValue> values = new LinkedHashMap<>();
            env.forEach((name, value) -> values.put(name, JsonString.of(value)));
            members.put("env", JsonObject.of(values));
        }
    }
}
