package dev.acp4j.registry;

import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads indexes from files, folders and hosts; a copy of what a host sent is kept, and is never replaced by worse. */
final class IndexReader {
    /** The time in which a host is not asked again. */
    static final Duration FRESH = Duration.ofHours(1);

    private final RegistrySettings settings;
    private final Downloads downloads;

    /** A copy: what is known of it, and its bytes. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Copy(
            Instant checked, Instant asOf, @Nullable String etag, byte[] body) {}

    IndexReader(RegistrySettings settings, Downloads downloads) {
        this.settings = settings;
        this.downloads = downloads;
    }

    static boolean isAddress(String source) {
        return source.startsWith("https://") || source.startsWith("http://");
    }

    /**
     * Reads an index.
     *
     * @param refresh whether a copy is not enough, however young
     */
    Index read(String source, boolean refresh) throws IOException, InterruptedException {
        if (isAddress(source)) {
            return fetched(source, refresh);
        }
        Path path = Path.of(source).toAbsolutePath().normalize();
        Path file = Files.isDirectory(path) ? path.resolve("registry.json") : path;
        if (Files.isRegularFile(file)) {
            if (Files.size(file) > settings.limits().index()) {
                throw new RegistryException(
                        file + " has more than " + settings.limits().index() + " bytes");
            }
            return local(
                    Index.parse(
                            Files.readAllBytes(file), source, settings.clock().instant()),
                    path);
        }
        if (!Files.isDirectory(path)) {
            throw new RegistryException("there is no index " + path);
        }
        return local(folder(path, source), path);
    }

    /** Paths of this machine are not kept in lock files. */
    private static Index local(Index index, Path path) {
        return index.origin().equals(index.source())
                ? new Index(
                        index.source(),
                        "file:" + path.getFileName(),
                        index.asOf(),
                        "",
                        index.agents(),
                        index.problems())
                : index;
    }

    private Index folder(Path folder, String source) throws IOException {
        List<JsonValue> entries = new ArrayList<>();
        List<Index.Problem> broken = new ArrayList<>();
        try (Stream<Path> children = Files.list(folder)) {
            for (Path child : children.sorted().toList()) {
                Path file = child.resolve("agent.json");
                if (Files.isRegularFile(file)) {
                    try {
                        entries.add(RawJson.parse(Files.readAllBytes(file)).value());
                    } catch (IOException | JsonException e) {
                        // The folder of an entry has its id.
                        broken.add(
                                new Index.Problem(String.valueOf(child.getFileName()), String.valueOf(e.getMessage())));
                    }
                }
            }
        }
        Index index = Index.of(source, source, settings.clock().instant(), entries);
        broken.addAll(index.problems());
        return new Index(source, source, index.asOf(), "", index.agents(), broken);
    }

    private Index fetched(String source, boolean refresh) throws IOException, InterruptedException {
        Path file = settings.cache().resolve("index-" + Digests.of(source).substring(0, 32));
        String shown = Addresses.shown(source);
        Copy copy = copy(file);
        Instant now = settings.clock().instant();
        if (copy != null && (settings.isOffline() || (!refresh && isFresh(copy, now)))) {
            Index index = Index.parse(copy.body, shown, copy.asOf);
            return settings.isOffline() && !isFresh(copy, now) ? index.stale("offline") : index;
        }
        if (copy == null && settings.isOffline()) {
            throw new RegistryException(
                    "offline, and there is no copy of " + shown + ". Run 'acp agents list' online once");
        }
        try {
            Downloads.Reply reply = downloads.fetch(address(source), copy == null ? null : copy.etag);
            byte[] body = reply.status() == 304 && copy != null ? copy.body : reply.body();
            Index index = Index.parse(body, shown, now);
            keep(file, new Copy(now, now, reply.etag(), body));
            return index;
        } catch (IOException | IllegalArgumentException e) {
            if (copy == null) {
                throw new RegistryException("cannot read the index " + shown + ": " + e.getMessage(), e);
            }
            return Index.parse(copy.body, shown, copy.asOf).stale(String.valueOf(e.getMessage()));
        }
    }

    private static URI address(String source) throws RegistryException {
        try {
            return new URI(source);
        } catch (URISyntaxException e) {
            // Its message has the whole text.
            throw new RegistryException("not an address: " + e.getReason());
        }
    }

    private static boolean isFresh(Copy copy, Instant now) {
        return !copy.checked.isAfter(now) && copy.checked.plus(FRESH).isAfter(now);
    }

    private @Nullable Copy copy(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            return null;
        }
        byte[] bytes = Files.readAllBytes(file);
        int end = 0;
        while (end < bytes.length && bytes[end] != '\n') {
            end++;
        }
        try {
            JsonObject head =
                    Json.object(RawJson.parse(Arrays.copyOf(bytes, end)).value(), "copy");
            byte[] body = Arrays.copyOfRange(bytes, Math.min(bytes.length, end + 1), bytes.length);
            Index unused = Index.parse(body, "copy", Instant.EPOCH); // whatever happened to the file
            return new Copy(
                    Instant.parse(Json.text(head, "checked")),
                    Instant.parse(Json.text(head, "asOf")),
                    head.text("etag").orElse(null),
                    body);
        } catch (JsonException | IllegalArgumentException | DateTimeException | RegistryException e) {
            return null;
        }
    }

    private void keep(Path file, Copy copy) {
        Map<String, JsonValue> head = new TreeMap<>();
        head.put("checked", JsonString.of(copy.checked.toString()));
        head.put("asOf", JsonString.of(copy.asOf.toString()));
        if (copy.etag != null) {
            head.put("etag", JsonString.of(copy.etag));
        }
        byte[] line = (JsonObject.of(head) + "\n").getBytes(StandardCharsets.UTF_8);
        byte[] all = Arrays.copyOf(line, line.length + copy.body.length);
        System.arraycopy(copy.body, 0, all, line.length, copy.body.length);
        try {
            Folders.write(Folders.create(settings.cache()).resolve(file.getFileName()), all, "rw-------");
        } catch (IOException e) {
            // Without a copy, the host is asked again next time.
        }
    }
}
