package dev.acp4j.lsp;

import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.RawJson;
import dev.acp4j.mcp.McpConfig;
import dev.acp4j.process.Launch;
import dev.acp4j.schema.Unstable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The language servers that a user has configured in a file:
 *
 * <pre>{@code
 * {"languageServers": {
 *   "python": {"command": "pylsp"},
 *   "typescript": {"command": "typescript-language-server", "args": ["--stdio"], "env": {"MODE": "fast"}},
 *   "nix": {"command": "nil", "extensions": {".nix": "nix"}, "settings": {"nil": {}}, "initializationOptions": {}}}}
 * }</pre>
 *
 * <p><code>${NAME}</code> and <code>${NAME:-default}</code> stand for variables of the environment. Reading starts
 * nothing. A file of a project that was cloned names commands that would run: read one only when the user asks for it.
 */
@Unstable
public final class LanguageServerConfig {
    private static final Set<String> MEMBERS =
            Set.of("command", "args", "env", "extensions", "settings", "initializationOptions");

    private LanguageServerConfig() {}

    /**
     * Reads a file.
     *
     * @throws IOException when it cannot be read
     * @throws IllegalArgumentException when it is no configuration, or mentions a variable that does not exist; the
     *     message names the file and the place
     */
    public static List<LanguageServer> read(Path file) throws IOException {
        String text = Files.readString(file);
        try {
            return parse(text, System.getenv());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
        }
    }

    /**
     * Reads a configuration.
     *
     * @param text the JSON
     * @param environment the variables that it may mention
     * @throws IllegalArgumentException when it is no configuration, or mentions a variable that does not exist
     */
    public static List<LanguageServer> parse(String text, Map<String, String> environment) {
        List<LanguageServer> servers = new ArrayList<>();
        try {
            RawJson all = Lsp.member(RawJson.parse(text), "languageServers");
            for (Map.Entry<String, RawJson> one :
                    members(all, "languageServers").entrySet()) {
                servers.add(server(one.getKey(), one.getValue(), environment));
            }
        } catch (JsonException e) {
            throw new IllegalArgumentException("at byte " + e.offset() + ": " + e.messageWithoutValue(), e);
        }
        if (servers.isEmpty()) {
            throw new IllegalArgumentException("languageServers: expected at least one server");
        }
        return servers;
    }

    private static LanguageServer server(String language, RawJson json, Map<String, String> environment) {
        String place = "languageServers." + language;
        Map<String, RawJson> members = members(json, place);
        for (String name : members.keySet()) {
            if (!MEMBERS.contains(name)) {
                throw new IllegalArgumentException(place + ": there is no member " + name + ", but "
                        + String.join(", ", MEMBERS.stream().sorted().toList()));
            }
        }
        Launch launch = Launch.of(
                McpConfig.expanded(text(members.get("command"), place + ".command"), environment),
                arguments(members.get("args"), place + ".args", environment));
        if (members.containsKey("env")) {
            for (Map.Entry<String, RawJson> variable :
                    members(members.get("env"), place + ".env").entrySet()) {
                String value = text(variable.getValue(), place + ".env." + variable.getKey());
                launch = launch.env(variable.getKey(), McpConfig.expanded(value, environment));
            }
        }
        LanguageServer server = extensions(language, launch, members.get("extensions"), place);
        RawJson settings = members.get("settings");
        RawJson options = members.get("initializationOptions");
        server = settings == null ? server : server.settings(settings.copy());
        return options == null ? server : server.initializationOptions(options.copy());
    }

    private static LanguageServer extensions(
            String language, Launch launch, @Nullable RawJson extensions, String place) {
        if (extensions == null) {
            return LanguageServer.of(language, launch);
        }
        Map<String, String> all = new LinkedHashMap<>();
        members(extensions, place + ".extensions")
                .forEach((end, identifier) -> all.put(end, text(identifier, place + ".extensions." + end)));
        return LanguageServer.of(language, launch, all);
    }

    private static List<String> arguments(@Nullable RawJson json, String place, Map<String, String> environment) {
        List<String> arguments = new ArrayList<>();
        if (json != null) {
            if (json.reader().kind() != JsonReader.Kind.ARRAY) {
                throw new IllegalArgumentException(place + ": expected a list of texts");
            }
            JsonReader in = json.reader();
            in.beginArray();
            while (in.nextElement()) {
                arguments.add(McpConfig.expanded(text(in.raw(), place), environment));
            }
        }
        return arguments;
    }

    private static Map<String, RawJson> members(@Nullable RawJson json, String place) {
        if (json == null || json.reader().kind() != JsonReader.Kind.OBJECT) {
            throw new IllegalArgumentException(place + ": expected an object");
        }
        Map<String, RawJson> members = new LinkedHashMap<>();
        JsonReader in = json.reader();
        in.beginObject();
        while (in.nextMember()) {
            members.put(in.name(), in.raw());
        }
        return members;
    }

    private static String text(@Nullable RawJson json, String place) {
        if (json == null || json.reader().kind() != JsonReader.Kind.STRING) {
            throw new IllegalArgumentException(place + ": expected a text");
        }
        return json.reader().string();
    }
}
