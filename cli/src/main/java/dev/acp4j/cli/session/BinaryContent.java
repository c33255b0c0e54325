package dev.acp4j.cli.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.Entry;
import dev.acp4j.cli.command.IoProblem;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.ResourceContents;
import dev.acp4j.schema.ToolCallContent;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Images, audio and other binary content of an agent, which a terminal does not show: each is described in a line, with
 * the way to a file. A chat numbers and keeps the last ones for the user to save; {@code acp prompt} saves them in a
 * folder if the user has named one. What is sent again has the same number.
 *
 * <p>The lock guards the numbers and the kept content. Files are written while holding it.
 */
public final class BinaryContent {
    /** How much is kept, in characters of Base64; the newest one is always kept. */
    private static final long MOST_KEPT = 16 << 20;

    private static final int MOST_ITEMS = 100;

    /** What to do with content. */
    private enum Use {
        DESCRIBE,
        KEEP,
        SAVE
    }

    /** Content without its data: equal data of equal types is the same. */
    private record Key(String what, String mimeType, int length, int hash) {}

    private record Item(int number, String what, String mimeType, String data) {
        Key key() {
            return new Key(what, mimeType, data.length(), data.hashCode());
        }

        /** Returns the name of its file, without anything that the agent could choose freely. */
        String fileName(int count) {
            return what + "-" + count + extension(mimeType);
        }
    }

    private final Use use;
    private final Path folder;
    private final String hint;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<Key, Integer> numbers = new HashMap<>();

    /** Kept content by its number, the oldest one first. */
    @GuardedBy("lock")
    private final Map<Integer, Item> kept = new LinkedHashMap<>();

    /** What became of saved content, by its number. */
    @GuardedBy("lock")
    private final Map<Integer, String> saved = new HashMap<>();

    @GuardedBy("lock")
    private long size;

    @GuardedBy("lock")
    private int last;

    @GuardedBy("lock")
    private boolean hasFailed;

    private BinaryContent(Use use, Path folder, String hint) {
        this.use = use;
        this.folder = folder;
        this.hint = hint;
    }

    /** Describes content only. */
    static BinaryContent described() {
        return new BinaryContent(Use.DESCRIBE, Path.of(""), "");
    }

    /**
     * Keeps content for {@link #save}.
     *
     * @param cwd where files are saved whose names are relative
     */
    static BinaryContent kept(Path cwd) {
        return new BinaryContent(Use.KEEP, cwd, "");
    }

    /**
     * Saves content when it comes.
     *
     * @param folder an existing folder; null to name the option that saves
     */
    static BinaryContent savedIn(@Nullable Path folder) {
        return folder == null
                ? new BinaryContent(Use.DESCRIBE, Path.of(""), "; --save-content FOLDER saves it")
                : new BinaryContent(Use.SAVE, folder, "");
    }

    /** Returns content as text: text unchanged, a description of other content. */
    public String text(ContentBlock content) {
        Item item = item(content);
        return ContentText.text(content, item == null ? "" : hint(item));
    }

    /** Saves the content of a tool call, which need not be shown, if content is saved on arrival. */
    public void take(Entry.ToolCall call) {
        if (use != Use.SAVE) {
            return;
        }
        for (ToolCallContent content : call.content()) {
            if (content instanceof ToolCallContent.Content block && ContentText.isForUser(block.content())) {
                String unused = text(block.content());
            }
        }
    }

    /** Returns whether content could not be saved on arrival. */
    public boolean hasFailed() {
        lock.lock();
        try {
            return hasFailed;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the kept content, a line each, the oldest one first. */
    public List<String> list() {
        lock.lock();
        try {
            List<String> lines = new ArrayList<>();
            for (Item item : kept.values()) {
                lines.add(item.number + "  " + item.what + " " + SafeText.line(item.mimeType) + ", "
                        + ContentText.size(item.data));
            }
            return lines;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Saves kept content in a new file.
     *
     * @param number the number in its line
     * @param name the name of the file, or of a folder; empty for a name in the folder of the session
     * @return the file
     * @throws IOException if it cannot be saved, with a message for the user
     */
    public Path save(int number, String name) throws IOException {
        Item item;
        lock.lock();
        try {
            item = kept.get(number);
        } finally {
            lock.unlock();
        }
        if (item == null) {
            throw new IOException("there is no content " + number + " to save");
        }
        String home = System.getProperty("user.home", "");
        Path file = folder.resolve(name.startsWith("~/") ? home + name.substring(1) : name)
                .normalize();
        if (name.isEmpty() || Files.isDirectory(file)) {
            return saveIn(file, item);
        }
        try {
            return write(file, item);
        } catch (FileAlreadyExistsException e) {
            throw new IOException(SafeText.line(file.toString()) + " exists; choose another name");
        }
    }

    private String hint(Item item) {
        if (use == Use.DESCRIBE) {
            return hint;
        }
        lock.lock();
        try {
            Key key = item.key();
            Integer known = numbers.get(key);
            if (known == null) {
                known = ++last;
                numbers.put(key, known);
                take(new Item(known, item.what, item.mimeType, item.data));
            }
            return use == Use.KEEP ? "; :save " + known : Objects.requireNonNull(saved.get(known));
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void take(Item item) {
        if (use == Use.KEEP) {
            kept.put(item.number, item);
            size += item.data.length();
            while (kept.size() > 1 && (kept.size() > MOST_ITEMS || size > MOST_KEPT)) {
                Item oldest = Objects.requireNonNull(
                        kept.remove(kept.keySet().iterator().next()));
                numbers.remove(oldest.key());
                size -= oldest.data.length();
            }
            return;
        }
        try {
            saved.put(item.number, ": " + SafeText.line(saveIn(folder, item).toString()));
        } catch (IOException e) {
            hasFailed = true;
            saved.put(item.number, "; not saved: " + SafeText.line(IoProblem.text(e)));
        }
    }

    /** Saves content in a folder, beside the files that are there. */
    private static Path saveIn(Path folder, Item item) throws IOException {
        int count = item.number;
        while (true) {
            try {
                return write(folder.resolve(item.fileName(count)), item);
            } catch (FileAlreadyExistsException e) {
                count++;
            }
        }
    }

    private static Path write(Path file, Item item) throws IOException {
        byte[] bytes;
        try {
            bytes = Base64.getDecoder().decode(item.data);
        } catch (IllegalArgumentException e) {
            throw new IOException("the agent's data is not Base64");
        }
        return Files.write(file, bytes, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    private static @Nullable Item item(ContentBlock content) {
        return switch (content) {
            case ContentBlock.Image image -> new Item(0, "image", image.mimeType(), image.data());
            case ContentBlock.Audio audio -> new Item(0, "audio", audio.mimeType(), audio.data());
            case ContentBlock.Resource resource ->
                resource.resource() instanceof ResourceContents.Blob blob
                        ? new Item(0, "resource", Objects.requireNonNullElse(blob.mimeType(), ""), blob.blob())
                        : null;
            case ContentBlock.Text text -> null;
            case ContentBlock.ResourceLink link -> null;
            case ContentBlock.Unknown unknown -> null;
        };
    }

    private static String extension(String mimeType) {
        return switch (mimeType) {
            case "image/png" -> ".png";
            case "image/jpeg" -> ".jpg";
            case "image/gif" -> ".gif";
            case "image/webp" -> ".webp";
            case "image/svg+xml" -> ".svg";
            case "audio/mpeg", "audio/mp3" -> ".mp3";
            case "audio/wav", "audio/x-wav" -> ".wav";
            case "audio/ogg" -> ".ogg";
            case "audio/flac" -> ".flac";
            case "application/pdf" -> ".pdf";
            default -> ".bin";
        };
    }
}
