package dev.acp4j.agent;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionInfo;
import dev.acp4j.sessions.JsonLines;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Keeps conversations in a folder, a {@link SessionFile} each, so that they survive the process. A conversation without
 * a turn has no file. While a process holds a conversation, no other process can.
 *
 * <p>The lock guards the held conversations, and is kept while a file is opened or deleted: two threads must not open
 * the same one.
 */
final class FileStore implements SessionStore {
    private static final String SUFFIX = ".jsonl";
    private static final int LONGEST_ID = 100;

    private final Path folder;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<SessionId, Held> held = new HashMap<>();

    /** A conversation in use. */
    private static final class Held {
        final Conversation conversation;
        final SessionFile file;
        int users = 1;

        Held(Conversation conversation, SessionFile file) {
            this.conversation = conversation;
            this.file = file;
        }
    }

    /** @param folder where the files are; created when it is needed */
    FileStore(Path folder) {
        this.folder = folder;
    }

    @Override
    public Conversation begin(SessionId id, Path cwd, List<Path> additionalDirectories) {
        SessionFile file = SessionFile.create(
                folder.resolve(id.value() + SUFFIX), new SessionRecord.Begun(id, cwd, additionalDirectories));
        Conversation conversation = new Conversation(id, cwd, additionalDirectories, file);
        lock.lock();
        try {
            held.put(id, new Held(conversation, file));
        } finally {
            lock.unlock();
        }
        return conversation;
    }

    @Override
    public @Nullable Conversation hold(SessionId id) {
        lock.lock();
        try {
            Held known = held.get(id);
            if (known != null) {
                known.users++;
                return known.conversation;
            }
            SessionFile.Opened opened = isFileName(id) ? SessionFile.open(folder.resolve(id.value() + SUFFIX)) : null;
            return opened == null ? null : hold(id, opened);
        } catch (JsonLines.InUseException e) {
            throw RpcError.invalidRequest("Session " + id + " is open in another process; end that one first");
        } catch (IOException e) {
            throw new RpcError(RpcError.INTERNAL_ERROR, "Session " + id + " cannot be read: " + reason(e));
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private @Nullable Conversation hold(SessionId id, SessionFile.Opened opened) throws IOException {
        SessionFile file = opened.file();
        boolean isHeld = false;
        try {
            if (!(opened.first() instanceof SessionRecord.Begun begun)) {
                return null;
            }
            Conversation conversation = new Conversation(id, begun.cwd(), begun.additionalDirectories(), file);
            file.read(conversation::restore);
            held.put(id, new Held(conversation, file));
            isHeld = true;
            return conversation;
        } finally {
            if (!isHeld) {
                file.close();
            }
        }
    }

    @Override
    public void release(Conversation conversation) {
        lock.lock();
        try {
            Held known = held.get(conversation.id());
            if (known != null && known.conversation == conversation && --known.users == 0) {
                held.remove(conversation.id());
                known.file.close();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void delete(SessionId id) {
        lock.lock();
        try {
            Held known = held.remove(id);
            if (known != null) {
                known.file.delete();
                return;
            }
            SessionFile.Opened opened = isFileName(id) ? SessionFile.open(folder.resolve(id.value() + SUFFIX)) : null;
            if (opened != null) {
                opened.file().delete();
            }
        } catch (JsonLines.InUseException e) {
            throw RpcError.invalidRequest("Session " + id + " is open in another process; end that one first");
        } catch (IOException e) {
            throw new RpcError(RpcError.INTERNAL_ERROR, "Session " + id + " cannot be deleted: " + reason(e));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public List<SessionInfo> list() {
        List<Listed> all = new ArrayList<>();
        Set<String> open = new HashSet<>();
        lock.lock();
        try {
            // Not from their files: closing a file that this process has locked would unlock it.
            for (Held each : held.values()) {
                open.add(each.conversation.id().value() + SUFFIX);
                all.add(new Listed(each.conversation.updatedAt(), each.conversation.info()));
            }
            stored(open, all);
        } catch (IOException e) {
            throw new RpcError(RpcError.INTERNAL_ERROR, "The sessions cannot be listed: " + reason(e));
        } finally {
            lock.unlock();
        }
        all.sort((a, b) -> b.used.compareTo(a.used));
        List<SessionInfo> infos = new ArrayList<>();
        for (Listed each : all) {
            infos.add(each.info);
        }
        return infos;
    }

    /** Writes a file as those of conversations, and deletes it. */
    @Override
    public void check() {
        JsonLines file = JsonLines.create(folder.resolve("check-" + UUID.randomUUID()));
        try {
            try {
                file.append(List.of(RawJson.parse("{}")));
            } finally {
                file.delete();
            }
        } catch (IOException e) {
            throw new RpcError(RpcError.INTERNAL_ERROR, "Conversations cannot be kept in " + folder + ": " + reason(e));
        }
    }

    private record Listed(Instant used, SessionInfo info) {}

    private void stored(Set<String> open, List<Listed> all) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*" + SUFFIX)) {
            for (Path file : files) {
                if (!open.contains(file.getFileName().toString())) {
                    Listed listed = listed(file);
                    if (listed != null) {
                        all.add(listed);
                    }
                }
            }
        }
    }

    /** Returns null for a file that is no conversation, or was deleted meanwhile. */
    private static @Nullable Listed listed(Path file) throws IOException {
        try {
            List<SessionRecord> head = SessionFile.head(file);
            if (head.isEmpty() || !(head.getFirst() instanceof SessionRecord.Begun begun)) {
                return null;
            }
            Instant used = Files.getLastModifiedTime(file).toInstant();
            Conversation conversation =
                    new Conversation(begun.id(), begun.cwd(), begun.additionalDirectories(), Journal.NONE);
            head.forEach(conversation::restore);
            return new Listed(
                    used,
                    conversation.info().toBuilder().updatedAt(used.toString()).build());
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** Ids come from clients: one that is not the name of a file in the folder is of no conversation. */
    private static boolean isFileName(SessionId id) {
        String name = id.value();
        boolean plain = !name.isEmpty() && name.length() <= LONGEST_ID && name.charAt(0) != '.';
        for (int i = 0; plain && i < name.length(); i++) {
            char c = name.charAt(i);
            plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || "-_.".indexOf(c) >= 0;
        }
        return plain;
    }

    private static String reason(IOException e) {
        return e instanceof NotDirectoryException ? "not a folder: " + e.getMessage() : String.valueOf(e.getMessage());
    }
}
