package dev.acp4j.registry;

import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Judges an entry as the registry does before it lists one: {@code ID/agent.json} with {@code ID/icon.svg}. It repeats
 * the rules of the registry's schema and checks; {@link LoginCheck} plays its handshake.
 */
public final class EntryCheck {
    private static final Set<String> KINDS = Set.of("binary", "npx", "uvx");
    private static final Set<String> TARGET = Set.of("archive", "cmd", "args", "env", "sha256");
    private static final Set<String> PACKAGE = Set.of("package", "args", "env");
    private static final List<String> SYSTEMS = List.of("darwin", "linux", "windows");
    private static final List<String> INSTALLERS = List.of(".dmg", ".pkg", ".deb", ".rpm", ".msi", ".appimage");
    private static final Pattern IN_RELEASE = Pattern.compile("/(?:download|releases)/v?([0-9.]+)/");
    private static final Pattern IN_TARBALL = Pattern.compile("/-/[^/]+-([0-9]+\\.[0-9]+\\.[0-9]+)\\.tgz");
    private static final Pattern IN_PYTHON = Pattern.compile("[=@]+([0-9.]+)");
    private static final Pattern VERSION = Pattern.compile("[0-9]+\\.[0-9]+\\.[0-9]+(?:\\..*)?", Pattern.DOTALL);
    private static final Pattern AFTER_PYTHON_NAME = Pattern.compile("[<>=!@].*", Pattern.DOTALL);
    private static final Pattern PREVIEW = Pattern.compile("[0-9]+\\.[0-9]+\\.[0-9]+(-preview\\.[0-9]+)?");

    private final List<Finding> findings = new ArrayList<>();

    /** How bad a finding is. */
    public enum Severity {
        /** The entry would not be listed. */
        ERROR,
        /** The entry would be listed. */
        WARNING
    }

    /**
     * Something that the registry would say.
     *
     * @param severity how bad it is
     * @param rule the name of the rule: {@code schema}, {@code id}, {@code version}, {@code url}, {@code platforms},
     *     {@code icon}, {@code preview} or {@code login}
     * @param text a sentence
     */
    public record Finding(Severity severity, String rule, String text) {}

    private EntryCheck() {}

    /**
     * Checks the files of an entry. Nothing is fetched.
     *
     * @param folder the folder, whose name is the id
     * @return what was found; empty if the entry is good
     */
    public static List<Finding> files(Path folder) throws IOException {
        EntryCheck check = new EntryCheck();
        check.folder(folder.toAbsolutePath().normalize());
        return List.copyOf(check.findings);
    }

    /**
     * Checks that the archives of an entry are where it says, and that npm and PyPI have its packages. Says nothing
     * offline.
     *
     * @param agents what asks the hosts
     */
    public static List<Finding> addresses(Path folder, Agents agents) throws IOException, InterruptedException {
        if (agents.settings().isOffline()) {
            return List.of();
        }
        JsonObject entry = new EntryCheck().entry(folder.resolve("agent.json"));
        EntryCheck check = new EntryCheck();
        // What cannot be read is said by files.
        if (entry != null && entry.get("distribution").orElse(null) instanceof JsonObject kinds) {
            for (Map.Entry<String, JsonValue> kind : kinds.members().entrySet()) {
                if (kind.getValue() instanceof JsonObject parts) {
                    check.addresses(kind.getKey(), parts, agents);
                }
            }
        }
        return List.copyOf(check.findings);
    }

    private void addresses(String kind, JsonObject parts, Agents agents) throws InterruptedException {
        if (kind.equals("binary")) {
            for (Map.Entry<String, JsonValue> each : parts.members().entrySet()) {
                String archive = each.getValue() instanceof JsonObject target
                        ? target.text("archive").orElse("")
                        : "";
                String problem = isAddress(archive) ? problem(URI.create(archive), agents) : null;
                if (problem != null) {
                    error("url", each.getKey() + ": " + problem);
                }
            }
            return;
        }
        String text = parts.text("package").orElse("");
        boolean isNpm = kind.equals("npx");
        String name = isNpm ? nodeName(text) : AFTER_PYTHON_NAME.matcher(text).replaceFirst("");
        if (isNpm && name.isEmpty()) {
            return;
        }
        URI original =
                isNpm ? address("registry.npmjs.org", "/" + name) : address("pypi.org", "/pypi/" + name + "/json");
        String problem = problem(agents.settings().mirrored(original), agents);
        if (problem != null) {
            error("url", kind + ": the package " + name + " is not found: " + problem);
        }
    }

    /** Without the version, which begins with the first @ that does not begin a scope. */
    private static String nodeName(String text) {
        int at = text.indexOf('@', text.startsWith("@") ? 1 : 0);
        return at < 0 ? text : text.substring(0, at);
    }

    private static URI address(String host, String path) {
        try {
            return new URI("https", host, path, null);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e); // the path is absolute, and is quoted
        }
    }

    private static @Nullable String problem(URI uri, Agents agents) throws InterruptedException {
        try {
            int status = agents.status(uri);
            return status == 200 ? null : uri + " answers " + status;
        } catch (IOException e) {
            return uri + ": " + e.getMessage();
        }
    }

    private void error(String rule, String text) {
        findings.add(new Finding(Severity.ERROR, rule, text));
    }

    private void warning(String rule, String text) {
        findings.add(new Finding(Severity.WARNING, rule, text));
    }

    private void folder(Path folder) throws IOException {
        JsonObject entry = entry(folder.resolve("agent.json"));
        if (entry == null) {
            return;
        }
        schema(entry);
        if (findings.stream().noneMatch(each -> each.severity() == Severity.ERROR)) {
            id(entry, String.valueOf(folder.getFileName()));
            version(entry);
            JsonObject distribution = (JsonObject) entry.members().get("distribution");
            if (distribution != null) {
                distribution(distribution, entry.text("version").orElse(""), "");
            }
            preview(entry);
        }
        Path icon = folder.resolve("icon.svg");
        try {
            String svg = Files.isRegularFile(icon) ? Folders.text(icon) : null;
            (svg == null ? List.of("there is no icon.svg") : IconCheck.problems(svg))
                    .forEach(problem -> error("icon", problem));
        } catch (IOException e) {
            error("icon", "icon.svg cannot be read: " + e.getMessage());
        }
    }

    private @Nullable JsonObject entry(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            error("schema", "there is no " + file);
            return null;
        }
        try {
            return Json.object(RawJson.parse(Files.readAllBytes(file)).value(), "agent.json");
        } catch (JsonException | IllegalArgumentException e) {
            error("schema", "agent.json: " + e.getMessage());
            return null;
        }
    }

    // ---- the schema

    private void schema(JsonObject entry) {
        for (String name : List.of("id", "name", "version", "description")) {
            requireText(entry, name, "");
        }
        for (String name : List.of("repository", "website", "license", "license_url", "icon")) {
            if (entry.get(name).isPresent() && entry.text(name).isEmpty()) {
                error("schema", name + ": expected a string");
            }
        }
        for (String name : List.of("repository", "website", "license_url")) {
            // The schema says so, and the script does not look.
            if (!isAddress(entry.text(name).orElse("https:/"))) {
                warning("url", name + ": expected an address");
            }
        }
        if (entry.get("authors").isPresent()) {
            requireTexts(entry, "authors", "");
        }
        JsonValue distribution = entry.get("distribution").orElse(null);
        if (distribution instanceof JsonObject kinds) {
            schemaOfDistribution(kinds, "distribution");
        } else {
            error("schema", "distribution: expected an object");
        }
        if (entry.text("version")
                .filter(text -> !text.matches("(?s)[0-9]+\\.[0-9]+\\.[0-9]+.*"))
                .isPresent()) {
            error("schema", "version: expected x.y.z");
        }
        if (entry.text("id").filter(text -> !text.matches("[a-z][a-z0-9-]*")).isPresent()) {
            error("schema", "id: expected lower-case letters, digits and hyphens, beginning with a letter");
        }
    }

    private void schemaOfDistribution(JsonObject kinds, String path) {
        if (kinds.members().isEmpty()) {
            error("schema", path + ": expected binary, npx or uvx");
        }
        kinds.members().forEach((kind, value) -> {
            String here = path + "." + kind;
            if (!KINDS.contains(kind)) {
                error("schema", here + ": unknown kind");
            } else if (!(value instanceof JsonObject parts)) {
                error("schema", here + ": expected an object");
            } else if (kind.equals("binary")) {
                schemaOfBinary(parts, here);
            } else {
                requireText(parts, "package", here + ".");
                schemaOfStart(parts, PACKAGE, here);
            }
        });
    }

    private void schemaOfBinary(JsonObject targets, String path) {
        if (targets.members().isEmpty()) {
            error("schema", path + ": expected a platform");
        }
        targets.members().forEach((platform, value) -> {
            String here = path + "." + platform;
            if (Platform.named(platform).isEmpty()) {
                error("schema", here + ": unknown platform");
            } else if (!(value instanceof JsonObject target)) {
                error("schema", here + ": expected an object");
            } else {
                requireText(target, "archive", here + ".");
                requireText(target, "cmd", here + ".");
                if (!isAddress(target.text("archive").orElse("https:/"))) {
                    error("schema", here + ".archive: expected an address");
                }
                JsonValue digest = target.get("sha256").orElse(null);
                if (digest != null
                        && !(digest instanceof JsonString text && text.value().matches("[0-9a-fA-F]{64}"))) {
                    error("schema", here + ".sha256: expected 64 hexadecimal digits");
                }
                schemaOfStart(target, TARGET, here);
            }
        });
    }

    private void schemaOfStart(JsonObject parts, Set<String> known, String path) {
        Set<String> unknown = new TreeSet<>(parts.members().keySet());
        unknown.removeAll(known);
        unknown.forEach(name -> error("schema", path + "." + name + ": unknown member"));
        if (parts.get("args").isPresent()) {
            requireTexts(parts, "args", path + ".");
        }
        JsonValue env = parts.get("env").orElse(null);
        boolean isGood = env == null
                || (env instanceof JsonObject variables
                        && variables.members().values().stream().allMatch(JsonString.class::isInstance));
        if (!isGood) {
            error("schema", path + ".env: expected an object of strings");
        }
    }

    private void requireText(JsonObject object, String name, String path) {
        if (object.text(name).filter(text -> !text.isEmpty()).isEmpty()) {
            error("schema", path + name + ": expected a string");
        }
    }

    private void requireTexts(JsonObject object, String name, String path) {
        boolean isGood = object.get(name).orElse(null) instanceof JsonArray array
                && array.elements().stream().allMatch(JsonString.class::isInstance);
        if (!isGood) {
            error("schema", path + name + ": expected an array of strings");
        }
    }

    private static boolean isAddress(String text) {
        try {
            return new URI(text).getScheme() != null;
        } catch (URISyntaxException e) {
            return false;
        }
    }

    // ---- what the schema does not say

    private void id(JsonObject entry, String folder) {
        String id = entry.text("id").orElse("");
        if (!id.equals(folder)) {
            error("id", "the id " + id + " is not the name of the folder, " + folder);
        }
    }

    private void version(JsonObject entry) {
        String version = entry.text("version").orElse("");
        if (!VERSION.matcher(version).matches()) {
            error("version", "the version " + version + " does not begin with the three numbers x.y.z");
        }
    }

    private void distribution(JsonObject distribution, String version, String where) {
        distribution.members().forEach((kind, value) -> {
            JsonObject parts = (JsonObject) value;
            if (kind.equals("binary")) {
                binary(parts, version);
            } else {
                packageVersion(kind, parts.text("package").orElse(""), version, where);
            }
        });
    }

    private void binary(JsonObject targets, String version) {
        Set<String> systems = new TreeSet<>(SYSTEMS);
        targets.members().forEach((platform, value) -> {
            systems.remove(platform.substring(0, platform.indexOf('-')));
            JsonObject target = (JsonObject) value;
            String archive = target.text("archive").orElse("");
            if (INSTALLERS.stream().anyMatch(archive.toLowerCase(Locale.ROOT)::endsWith)) {
                error("url", platform + ": installers are not supported: " + archive);
            }
            if (archive.contains("/latest/")) {
                error("version", platform + ": the address has /latest/ instead of the version");
                return;
            }
            String found = versionIn(archive);
            if (found != null && !found.equals(version)) {
                error("version", platform + ": the address has the version " + found + ", and the entry " + version);
            }
            try {
                String command = target.text("cmd").orElse("");
                String unused = Interpreters.isOne(command) ? command : EntryPath.ofCommand(command);
            } catch (IllegalArgumentException e) {
                error("platforms", platform + "." + e.getMessage());
            }
        });
        if (!systems.isEmpty()) {
            warning("platforms", "there is no program for " + String.join(", ", systems));
        }
    }

    private static @Nullable String versionIn(String address) {
        Matcher release = IN_RELEASE.matcher(address);
        if (release.find()) {
            List<String> parts = new ArrayList<>(List.of(release.group(1).split("\\.", -1)));
            while (parts.size() < 3) {
                parts.add("0");
            }
            return String.join(".", parts.subList(0, 3));
        }
        Matcher tarball = IN_TARBALL.matcher(address);
        return tarball.find() ? tarball.group(1) : null;
    }

    private void packageVersion(String kind, String text, String version, String where) {
        String name = where + kind;
        if (text.toLowerCase(Locale.ROOT).contains("@latest")) {
            error("version", name + ": the package has @latest instead of the version: " + text);
            return;
        }
        String found = null;
        if (kind.equals("npx")) {
            String rest = text.substring(nodeName(text).length());
            found = rest.isEmpty() ? null : text.startsWith("@") ? rest.substring(1) : rest.split("@", -1)[1];
        } else {
            Matcher matcher = IN_PYTHON.matcher(text);
            found = matcher.find() ? matcher.group(1) : null;
        }
        if (found != null && !found.isEmpty() && !found.equals(version)) {
            error("version", name + ": the package has the version " + found + ", and the entry " + version);
        }
    }

    private void preview(JsonObject entry) {
        JsonValue value = entry.get("preview").orElse(null);
        if (value == null) {
            return;
        }
        if (!(value instanceof JsonObject preview)
                || !preview.members().keySet().equals(Set.of("version", "distribution"))
                || !(preview.get("distribution").orElse(null) instanceof JsonObject kinds)) {
            error("preview", "preview: expected exactly version and distribution");
            return;
        }
        String version = preview.text("version").orElse("");
        if (!PREVIEW.matcher(version).matches()) {
            error("preview", "preview.version: expected x.y.z-preview.N or x.y.z, got " + version);
        }
        if (kinds.get("binary").isPresent()) {
            error("preview", "preview.distribution: only packages, no binaries");
            return;
        }
        int before = findings.size();
        schemaOfDistribution(kinds, "preview.distribution");
        if (findings.size() == before) {
            kinds.members().forEach((kind, parts) -> {
                String text = ((JsonObject) parts).text("package").orElse("");
                if (!text.endsWith("@" + version) && !text.endsWith("==" + version)) {
                    error(
                            "preview",
                            "preview." + kind + ": the version of the package is not " + version + ": " + text);
                }
            });
        }
    }
}
