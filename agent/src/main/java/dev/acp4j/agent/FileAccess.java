package dev.acp4j.agent;

import dev.acp4j.RemoteFiles;
import dev.acp4j.rpc.RpcError;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes files of the workspace: through the client if it offers that, because it has unsaved changes, and
 * otherwise directly. The messages of its exceptions name the file and are for the user.
 */
final class FileAccess {
    private final RemoteFiles client;

    FileAccess(RemoteFiles client) {
        this.client = client;
    }

    /**
     * Returns the text of a file; null if it is not text.
     *
     * @throws IOException if it cannot be read, or the client refuses
     */
    @Nullable
    String read(WorkspaceFile file) throws InterruptedException, IOException {
        try {
            return client.canRead() ? client.readText(file.path()) : textOf(TextFile.read(file.path()));
        } catch (RpcError | IOException e) {
            throw new IOException(message(file, e), e);
        }
    }

    /**
     * Returns the text of a file for display; null if it is not text. A file in another encoding than UTF-8 is read
     * from the disk if the client refuses it, because clients need not support other encodings.
     *
     * @throws IOException if it cannot be read, or the client refuses
     */
    @Nullable
    String readToShow(WorkspaceFile file) throws InterruptedException, IOException {
        try {
            return read(file);
        } catch (IOException e) {
            TextFile disk = onDisk(file);
            if (disk == null || isUtf8(disk)) {
                throw e;
            }
            return disk.text();
        }
    }

    /** Returns the text of a file from the client, or from the disk if the client has none. */
    @Nullable
    String readForDisplay(WorkspaceFile file) throws InterruptedException {
        try {
            return read(file);
        } catch (IOException e) {
            return textOf(onDisk(file));
        }
    }

    /**
     * Checks in advance, best effort, that a change can be written.
     *
     * @throws IOException when it cannot
     */
    void check(FileChange change) throws IOException {
        WorkspaceFile file = change.file();
        TextFile disk = TextFile.read(file.path());
        if (disk == null || isUtf8(disk)) {
            return;
        }
        if (!client.canWrite()) {
            encode(disk, change);
        } else if (!client.canRead()) {
            throw new IOException(file.name() + ": it is " + disk.charset() + ", and the client would write UTF-8");
        }
    }

    /**
     * Makes a change, unless the text of the file differs from the one shown to the user.
     *
     * @return whether it was made
     * @throws IOException when the file cannot be read or written, or the client refuses
     */
    boolean write(FileChange change) throws InterruptedException, IOException {
        if (!hasOldText(change)) {
            return false;
        }
        try {
            if (!client.canWrite()) {
                return writeToDisk(change);
            }
            client.writeText(change.file().path(), change.newText());
            return true;
        } catch (RpcError e) {
            String state = isAsItWas(change) ? "" : "; it may have been changed";
            throw new IOException(message(change.file(), e) + state, e);
        } catch (ClosedByInterruptException e) {
            Thread.interrupted(); // the exception replaces the interrupt flag
            throw new InterruptedException();
        } catch (IOException e) {
            throw new IOException(message(change.file(), e), e);
        }
    }

    private boolean hasOldText(FileChange change) throws InterruptedException, IOException {
        return change.oldText().equals(read(change.file()));
    }

    private boolean isAsItWas(FileChange change) throws InterruptedException {
        try {
            return hasOldText(change);
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean writeToDisk(FileChange change) throws IOException {
        Path path = change.file().path();
        byte[] bytes = Files.readAllBytes(path);
        TextFile now = TextFile.of(bytes);
        return now != null
                && now.text().equals(change.oldText())
                && AtomicFile.replace(path, bytes, encode(now, change));
    }

    private static byte[] encode(TextFile file, FileChange change) throws IOException {
        try {
            return file.encode(change.newText());
        } catch (CharacterCodingException e) {
            throw new IOException(
                    change.file().name() + ": its encoding, " + file.charset() + ", lacks a character of the new text",
                    e);
        }
    }

    private static boolean isUtf8(TextFile file) {
        return file.charset().equals(StandardCharsets.UTF_8);
    }

    private static @Nullable String textOf(@Nullable TextFile file) {
        return file == null ? null : file.text();
    }

    private static @Nullable TextFile onDisk(WorkspaceFile file) {
        try {
            return TextFile.read(file.path());
        } catch (IOException e) {
            return null;
        }
    }

    /** Names the file once, by the name known to the user. */
    private static String message(WorkspaceFile file, Exception e) {
        String text = reason(e).replace(file.path().toString(), file.name());
        return text.startsWith(file.name()) ? text : file.name() + ": " + text;
    }

    private static String reason(Exception e) {
        String message = String.valueOf(e.getMessage());
        return switch (e) {
            case RpcError refused -> refused.message();
            case AccessDeniedException denied -> "access denied";
            case NoSuchFileException gone -> "it no longer exists";
            case FileSystemException failed -> failed.getReason() == null ? message : failed.getReason();
            default -> message;
        };
    }
}
