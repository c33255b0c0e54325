package dev.acp4j.cli.editors;

import dev.acp4j.cli.command.StateFolder;
import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What acp has written into the files of editors, and what was there before: a file for each of them, and the former
 * contents beside it as long as they can be restored, in a folder that only the user can read.
 */
final class Receipts {
    private static final int KEPT = 20;

    private final Path folder;

    Receipts(Path folder) {
        this.folder = folder;
    }

    /** Returns those of this user. */
    static Receipts ofUser() {
        return new Receipts(StateFolder.path().resolve("editors"));
    }

    /**
     * One change of a file.
     *
     * @param entries the agents that were put in, as they were written
     * @param former the digest of the former content; empty if there was no file
     * @param after the digest of the content that was written
     * @param folders the folders that were made for the file, the outermost first
     */
    record Change(List<AgentEntry> entries, String former, String after, List<Path> folders) {
        List<String> names() {
            return entries.stream().map(AgentEntry::name).toList();
        }

        /** Returns this change and the next as one. */
        Change and(Change next) {
            List<AgentEntry> all = new ArrayList<>(entries);
            all.removeIf(entry -> next.names().contains(entry.name()));
            all.addAll(next.entries);
            return new Change(all, former, next.after, folders);
        }
    }

    /** Returns the changes of a file, the oldest first. A receipt that cannot be read is none. */
    List<Change> of(Path file) throws IOException {
        List<Change> changes = new ArrayList<>();
        try {
            JsonValue value = JsonValue.parse(Files.readString(receipt(file)));
            for (JsonValue element : elements((JsonObject) value, "changes")) {
                changes.add(change((JsonObject) element));
            }
        } catch (NoSuchFileException e) {
            return changes;
        } catch (JsonException | ClassCastException | UnreadableTextException e) {
            return new ArrayList<>();
        }
        return changes;
    }

    private static Change change(JsonObject object) throws UnreadableTextException {
        List<AgentEntry> entries = new ArrayList<>();
        for (JsonValue element : elements(object, "entries")) {
            AgentEntry entry = AgentEntry.parse(element.toString());
            if (entry != null) {
                entries.add(entry);
            }
        }
        List<Path> folders = new ArrayList<>();
        for (JsonValue element : elements(object, "folders")) {
            folders.add(Path.of(((JsonString) element).value()));
        }
        return new Change(
                entries, object.text("former").orElse(""), object.text("after").orElse(""), folders);
    }

    private static List<JsonValue> elements(JsonObject object, String name) {
        return object.members().get(name) instanceof JsonArray array ? array.elements() : List.of();
    }

    /** Keeps the content of a file, so that a change can be undone; returns its digest, or an empty text for none. */
    String keep(Path file, byte @Nullable [] content) throws IOException {
        if (content == null) {
            return "";
        }
        StateFolder.createForUser(folder);
        String digest = digest(content);
        write(kept(file, digest), content);
        return digest;
    }

    /** Returns a content that was kept; null if there was none, or it is lost. */
    byte @Nullable [] former(Path file, String digest) throws IOException {
        try {
            byte[] content = digest.isEmpty() ? null : Files.readAllBytes(kept(file, digest));
            return content != null && digest(content).equals(digest) ? content : null;
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** Sets the changes of a file. Of many, the oldest become one, so that what was there before acp is not lost. */
    void set(Path file, List<Change> changes) throws IOException {
        if (changes.isEmpty()) {
            Files.deleteIfExists(receipt(file));
            return;
        }
        StateFolder.createForUser(folder);
        List<Change> kept = new ArrayList<>(changes);
        while (kept.size() > KEPT) {
            kept.addFirst(kept.removeFirst().and(kept.removeFirst()));
        }
        write(receipt(file), json(file, kept).getBytes(StandardCharsets.UTF_8));
    }

    /** Deletes the former contents of a file that none of its changes needs any more: they may have secrets. */
    void forgetOthers(Path file) throws IOException {
        if (!Files.isDirectory(folder)) {
            return;
        }
        List<Path> needed =
                of(file).stream().map(change -> kept(file, change.former())).toList();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(folder, id(file) + "-*")) {
            for (Path kept : all) {
                if (!needed.contains(kept)) {
                    Files.deleteIfExists(kept);
                }
            }
        }
    }

    private static String json(Path file, List<Change> changes) {
        List<JsonValue> elements = new ArrayList<>();
        for (Change change : changes) {
            Map<String, JsonValue> members = new LinkedHashMap<>();
            members.put(
                    "entries",
                    new JsonArray(change.entries().stream()
                            .map(entry -> JsonValue.parse(entry.json()))
                            .toList()));
            members.put("former", JsonString.of(change.former()));
            members.put("after", JsonString.of(change.after()));
            members.put(
                    "folders",
                    AgentEntry.strings(
                            change.folders().stream().map(Path::toString).toList()));
            elements.add(JsonObject.of(members));
        }
        Map<String, JsonValue> all = new LinkedHashMap<>();
        all.put("file", JsonString.of(file.toString()));
        all.put("changes", new JsonArray(elements));
        return JsonObject.of(all).toString();
    }

    private void write(Path file, byte[] content) throws IOException {
        Path written = Files.createTempFile(folder, "new-", null);
        Files.write(written, content);
        Files.move(written, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private Path receipt(Path file) {
        return folder.resolve(id(file) + ".json");
    }

    private Path kept(Path file, String digest) {
        return folder.resolve(id(file) + "-" + digest);
    }

    private static String id(Path file) {
        return digest(file.toString().getBytes(StandardCharsets.UTF_8)).substring(0, 16);
    }

    static String digest(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
