package dev.acp4j.registry;

import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * One version of an agent on this machine: a folder with its files and a receipt, which says what they were when they
 * were installed.
 *
 * @param folder the folder
 * @param pin what was installed, with its digests; or the pin that starts it, which has the same bytes
 * @param program the program: a path below the folder, with slashes, or the name of an interpreter
 * @param args its arguments
 * @param env the variables that its entry sets
 */
public record Installation(Path folder, Pin pin, String program, List<String> args, Map<String, String> env) {
    static final String RECEIPT = "receipt.json";
    static final String TREE = "tree";
    private static final String PINS = "pins";

    /** Copies the collections. */
    public Installation {
        args = List.copyOf(args);
        env = Map.copyOf(env);
    }

    /** Returns the id of the agent. */
    public String id() {
        return pin.id();
    }

    /** Returns the version of the agent. */
    public String version() {
        return pin.version();
    }

    /** Returns the name of the folder for a pin: its version and the beginning of its digest. */
    static String folderName(String version, String digest) {
        return version + "-" + digest.substring(0, 16);
    }

    Path tree() {
        return folder.resolve(TREE);
    }

    /** Returns the file of the program, or the name of an interpreter. */
    String command() {
        return Interpreters.isOne(program) ? program : folder.resolve(program).toString();
    }

    /** Returns the arguments; those of an interpreter that name a file of the agent are its path. */
    List<String> arguments() {
        if (!Interpreters.isOne(program)) {
            return args;
        }
        List<String> resolved = new ArrayList<>();
        for (String argument : args) {
            resolved.add(resolved(argument));
        }
        return resolved;
    }

    private String resolved(String argument) {
        if (argument.startsWith("-") || argument.isEmpty()) {
            return argument;
        }
        try {
            Path file = tree().resolve(EntryPath.ofCommand(argument));
            return Files.exists(file) ? file.toString() : argument;
        } catch (IllegalArgumentException e) {
            return argument;
        }
    }

    /** Returns the size of its files in bytes. */
    public long size() throws IOException {
        long[] bytes = {0};
        Path unused = Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                bytes[0] += attributes.size();
                return FileVisitResult.CONTINUE;
            }
        });
        return bytes[0];
    }

    /** Writes the receipt of a folder that is finished. */
    static void writeReceipt(Path folder, Pin pin, String program, List<String> args, Map<String, String> env)
            throws IOException {
        Map<String, JsonValue> members = new TreeMap<>();
        members.put("id", JsonString.of(pin.id()));
        members.put("pin", pin.json());
        members.put("program", JsonString.of(program));
        members.put(
                "args",
                new JsonArray(args.stream().<JsonValue>map(JsonString::of).toList()));
        Map<String, JsonValue> variables = new TreeMap<>();
        env.forEach((name, value) -> variables.put(name, JsonString.of(value)));
        members.put("env", JsonObject.of(variables));
        Map<String, JsonValue> files = new TreeMap<>();
        contents(folder.resolve(TREE)).forEach((path, content) -> files.put(path, JsonString.of(content)));
        members.put("files", JsonObject.of(files));
        write(folder, members);
    }

    /** Reads a folder; null if it has no receipt of ours that can be read. */
    static @Nullable Installation read(Path folder) {
        JsonObject receipt = receipt(folder);
        if (receipt == null) {
            return null;
        }
        try {
            Pin pin = Pin.of(
                    Json.text(receipt, "id"),
                    receipt.get("pin").orElseThrow(() -> new IllegalArgumentException("pin")));
            return new Installation(
                    folder,
                    pin,
                    Json.text(receipt, "program"),
                    Json.texts(receipt, "args"),
                    Json.textMap(receipt, "env"));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static @Nullable JsonObject receipt(Path folder) {
        try {
            String text = Folders.text(folder.resolve(RECEIPT));
            return text == null ? null : Json.object(RawJson.parse(text).value(), RECEIPT);
        } catch (IOException | JsonException | IllegalArgumentException e) {
            return null;
        }
    }

    Installation with(Pin complete) {
        return new Installation(folder, complete, program, args, env);
    }

    /**
     * Keeps in the receipt how a lock file has pinned the version, with the digests of other platforms and what starts
     * it: going back to it pins the same there, and not what another lock file has. The lock of the agent must be held.
     */
    void keep(LockFile lock, Pin complete) throws IOException {
        JsonObject receipt = receipt(folder);
        if (receipt == null || complete.equals(kept(lock))) {
            return;
        }
        Map<String, JsonValue> pins = new TreeMap<>(pins(receipt));
        pins.put(lock.toString(), complete.json());
        Map<String, JsonValue> members = new TreeMap<>(receipt.members());
        members.put(PINS, JsonObject.of(pins));
        write(folder, members);
    }

    /** Returns how a lock file has pinned the version; null if it has not. */
    @Nullable
    Pin kept(LockFile lock) {
        JsonObject receipt = receipt(folder);
        JsonValue kept = receipt == null ? null : pins(receipt).get(lock.toString());
        try {
            return kept == null ? null : Pin.of(id(), kept);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static Map<String, JsonValue> pins(JsonObject receipt) {
        return receipt.get(PINS).orElse(null) instanceof JsonObject pins ? pins.members() : Map.of();
    }

    private static void write(Path folder, Map<String, JsonValue> members) throws IOException {
        Folders.write(
                folder.resolve(RECEIPT),
                Json.lines(JsonObject.of(members)).getBytes(StandardCharsets.UTF_8),
                "rw-------");
    }

    /**
     * Compares the files with the receipt.
     *
     * @return a sentence for each file that was changed, added or deleted
     */
    public List<String> verify() throws IOException {
        JsonObject receipt = receipt(folder);
        Map<String, String> expected;
        try {
            expected = receipt == null ? Map.of() : Json.textMap(receipt, "files");
        } catch (IllegalArgumentException e) {
            expected = Map.of();
        }
        if (expected.isEmpty()) {
            return List.of("the receipt is damaged: " + folder.resolve(RECEIPT));
        }
        Map<String, String> found = contents(tree());
        List<String> changes = new ArrayList<>();
        TreeSet<String> all = new TreeSet<>(expected.keySet());
        all.addAll(found.keySet());
        for (String path : all) {
            String before = expected.get(path);
            String now = found.get(path);
            if (before == null) {
                changes.add("added: " + path);
            } else if (now == null) {
                changes.add("deleted: " + path);
            } else if (!before.equals(now)) {
                changes.add("changed: " + path);
            }
        }
        return changes;
    }

    /** Returns what each file of a tree is: its digest and whether it is executable, or the end of a link. */
    private static Map<String, String> contents(Path tree) throws IOException {
        Map<String, String> contents = new TreeMap<>();
        if (!Files.isDirectory(tree)) {
            return contents;
        }
        Path unused = Files.walkFileTree(tree, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                String path = tree.relativize(file).toString().replace(File.separatorChar, '/');
                String content = attributes.isSymbolicLink()
                        ? "link " + Files.readSymbolicLink(file).toString().replace(File.separatorChar, '/')
                        : Digests.of(file) + (Folders.hasPosix(file) && Files.isExecutable(file) ? " x" : "");
                contents.put(path, content);
                return FileVisitResult.CONTINUE;
            }
        });
        return contents;
    }

    /** Returns the id, the version and the folder. */
    @Override
    public String toString() {
        return pin + " in " + folder;
    }
}
