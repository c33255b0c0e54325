package dev.acp4j.cli.connect;

import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.json.JsonBoolean;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A server that has a name in the user's file of servers, and how it is reached. The file refers to secrets and has
 * none.
 *
 * @param file the file, to whose folder paths are relative
 * @param members what the file says of the server
 * @param headers the headers of each request, with where their values come from
 */
record NamedServer(Path file, Map<String, String> members, Map<String, Secret> headers) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]*");
    private static final Set<String> KEYS =
            Set.of("url", "over", "ca", "pin", "clientCertificate", "proxy", "tokenEnv", "tokenFile", "tokenCommand");
    private static final String HEADERS = "headers";

    /** Whether the agent over ssh outlives the line. */
    static final String ATTACH = "attach";

    static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    /** Returns the user's file of servers. */
    static Path file(Map<String, String> environment) {
        String configuration = environment.getOrDefault("XDG_CONFIG_HOME", "");
        Path folder =
                configuration.isBlank() ? Path.of(System.getProperty("user.home"), ".config") : Path.of(configuration);
        return folder.resolve("acp").resolve("servers.json");
    }

    /** Returns whether there is a server of this name. */
    static boolean isThere(Path file, String name) {
        return Files.exists(file)
                && read(file, SafeText.line(file.toString()), name).containsKey(name);
    }

    /** Finds a server. */
    static NamedServer find(Path file, String name) {
        String place = SafeText.line(file.toString());
        Map<String, JsonValue> servers = read(file, place, name);
        JsonValue found = servers.get(name);
        if (!(found instanceof JsonObject server)) {
            throw new UsageException("there is no server " + SafeText.line(name) + " in " + place + ", which has "
                    + SafeText.line(String.join(", ", new TreeMap<>(servers).keySet())));
        }
        String subject = "the server " + SafeText.line(name) + " in " + place;
        Map<String, String> members = new TreeMap<>();
        Map<String, Secret> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        server.members().forEach((key, value) -> {
            if (key.equals(HEADERS) && value instanceof JsonObject object) {
                object.members().forEach((header, from) -> headers.put(header, reference(file, subject, header, from)));
                return;
            }
            if (key.equals(ATTACH) && value instanceof JsonBoolean attaches) {
                members.put(key, Boolean.toString(attaches.value()));
                return;
            }
            if (!KEYS.contains(key) || !(value instanceof JsonString text)) {
                throw new UsageException(subject + " has " + SafeText.line(key) + "; expected "
                        + String.join(", ", new TreeSet<>(KEYS)) + ", each a string, " + ATTACH + ", true or false, or "
                        + HEADERS + ", an object");
            }
            members.put(key, text.value());
        });
        if (!members.containsKey("url")) {
            throw new UsageException(subject + " has no url");
        }
        return new NamedServer(file, members, headers);
    }

    /** Returns where the value of a header comes from: the file has no secrets. */
    private static Secret reference(Path file, String subject, String header, JsonValue value) {
        if (value instanceof JsonObject from && from.members().size() == 1) {
            Map.Entry<String, JsonValue> only =
                    from.members().entrySet().iterator().next();
            if (only.getValue() instanceof JsonString text) {
                switch (only.getKey()) {
                    case "env" -> {
                        return new Secret.Variable(text.value());
                    }
                    case "file" -> {
                        return new Secret.OfFile(file.resolveSibling(text.value()));
                    }
                    case "command" -> {
                        return new Secret.Command(text.value());
                    }
                    default -> {
                        // Reported below.
                    }
                }
            }
        }
        throw new UsageException(subject + " has a header " + SafeText.line(header)
                + " without a reference; expected {\"env\": NAME}, {\"file\": PATH} or {\"command\": COMMAND}");
    }

    private static Map<String, JsonValue> read(Path file, String place, String name) {
        try {
            if (!Files.exists(file)) {
                throw new UsageException("expected the URL of an agent, such as https://agents.example/acp, or the name"
                        + " of a server in " + place + ", which is not there; got " + SafeText.line(name));
            }
            if (file.getFileSystem().supportedFileAttributeViews().contains("posix")
                    && Files.getPosixFilePermissions(file).stream()
                            .anyMatch(
                                    Set.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE)
                                            ::contains)) {
                throw new UsageException(
                        place + " can be written by others, and its commands would be run; run: chmod go-w " + place);
            }
            if (RawJson.parse(Files.readString(file)).value() instanceof JsonObject whole
                    && whole.members().get("servers") instanceof JsonObject servers) {
                return servers.members();
            }
            throw new UsageException("expected an object with the member servers in " + place);
        } catch (JsonException e) {
            throw new UsageException(place + " is not JSON: " + e.getMessage());
        } catch (IOException e) {
            throw new UsageException(place + " cannot be read: " + e.getClass().getSimpleName());
        }
    }

    @Nullable
    String get(String key) {
        return members.get(key);
    }

    /** Returns a path of the file; null for none. */
    @Nullable
    Path path(String key) {
        String value = members.get(key);
        return value == null ? null : file.resolveSibling(value);
    }
}
