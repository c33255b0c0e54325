package dev.acp4j.agent;

import dev.acp4j.ClientFiles;
import dev.acp4j.rpc.PeerErrorException;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes files of the workspace: through the client where it offers that, because it knows what is changed
 * and not yet saved, and directly where it does not.
 */
final class FileAccess {
    /** Whether a change was made. */
    enum Written {
        DONE,
        /** The file is not any more what the change was made for. */
        CHANGED_MEANWHILE,
        /** The encoding of the file lacks a character of the new text. */
        NOT_ENCODABLE
    }

    private final ClientFiles client;

    FileAccess(ClientFiles client) {
        this.client = client;
    }

    /**
     * Returns the text of a file; null when it holds none.
     *
     * @throws IOException when it cannot be read, or the client refuses
     */
    @Nullable
    String read(WorkspaceFile file) throws InterruptedException, IOException {
        if (!client.canRead()) {
            TextFile text = TextFile.read(file.path());
            return text == null ? null : text.text();
        }
        try {
            return client.readText(file.path());
        } catch (PeerErrorException e) {
            throw new IOException(file.name() + ": " + e.getMessage(), e);
        }
    }

    /** Returns the text of a file as the client has it, or as it is on the disk when the client has nothing to say. */
    @Nullable
    String readForDisplay(WorkspaceFile file) throws InterruptedException {
        try {
            return read(file);
        } catch (IOException e) {
            return TextFile.textOf(file);
        }
    }

    /**
     * Makes a change, unless the file has another text now than the one that was shown to the user.
     *
     * @throws IOException when the file cannot be read or written, or the client refuses
     */
    Written write(FileChange change) throws InterruptedException, IOException {
        if (!change.oldText().equals(read(change.file()))) {
            return Written.CHANGED_MEANWHILE;
        }
        if (!client.canWrite()) {
            return writeToDisk(change);
        }
        try {
            client.writeText(change.file().path(), change.newText());
            return Written.DONE;
        } catch (PeerErrorException e) {
            throw new IOException(change.file().name() + ": " + e.getMessage(), e);
        }
    }

    private static Written writeToDisk(FileChange change) throws InterruptedException, IOException {
        Path path = change.file().path();
        byte[] bytes = Files.readAllBytes(path);
        TextFile now = TextFile.of(bytes);
        if (now == null || !now.text().equals(change.oldText())) {
            return Written.CHANGED_MEANWHILE;
        }
        try {
            boolean written = AtomicFile.replace(path, bytes, now.encode(change.newText()));
            return written ? Written.DONE : Written.CHANGED_MEANWHILE;
        } catch (CharacterCodingException e) {
            return Written.NOT_ENCODABLE;
        } catch (ClosedByInterruptException e) {
            Thread.interrupted(); // the exception says it from here on
            throw new InterruptedException();
        }
    }
}
