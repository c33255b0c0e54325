package dev.acp4j.proxies;

import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionInfo;
import dev.acp4j.sessions.JsonLines;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The records of the sessions of one agent, in a folder that other agents may use, too. */
final class Recordings {
    private static final String SUFFIX = ".jsonl";

    /**
     * Those that are open in this program: a file must not be opened twice, since closing one of the two unlocks it.
     */
    private static final Map<Path, SessionRecording> OPEN = new ConcurrentHashMap<>();

    private final Path folder;
    private final String agent;
    private final Consumer<String> onNotice;

    /** The records that cannot be read, each of which is reported once. */
    private final Set<Path> said = ConcurrentHashMap.newKeySet();

    /**
     * Creates the records of an agent.
     *
     * @param agent its name
     */
    Recordings(Path folder, String agent, Consumer<String> onNotice) {
        this.folder = folder;
        this.agent = agent;
        this.onNotice = onNotice;
    }

    /**
     * Requires that records can be written.
     *
     * @throws IOException when they cannot
     */
    void requireWritable() throws IOException {
        boolean isPosix = folder.getFileSystem().supportedFileAttributeViews().contains("posix");
        FileAttribute<?>[] access = isPosix
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
                }
                : new FileAttribute<?>[0];
        Files.createDirectories(folder, access);
        Files.delete(Files.createTempFile(folder, "writable", null));
    }

    /** Begins the record of a new session. One of an earlier session with the same id is kept beside it. */
    SessionRecording begin(SessionId session, RawJson opening) throws IOException {
        Path path = path(session);
        requireNotOpen(path, session);
        if (Files.exists(path)) {
            Files.move(path, earlier(path), StandardCopyOption.REPLACE_EXISTING);
        }
        return opened(path, SessionRecording.begin(session, JsonLines.create(path), first(session, opening), onNotice));
    }

    /**
     * Goes on with the record of a session; empty if there is none.
     *
     * @throws JsonLines.InUseException when it is open elsewhere
     */
    Optional<SessionRecording> resume(SessionId session) throws IOException {
        Path path = path(session);
        requireNotOpen(path, session);
        Optional<JsonLines> file = JsonLines.open(path);
        return file.isEmpty()
                ? Optional.empty()
                : Optional.of(opened(path, SessionRecording.resume(session, file.get(), onNotice)));
    }

    private static SessionRecording opened(Path path, SessionRecording recording) {
        OPEN.put(path, recording);
        return recording;
    }

    private static void requireNotOpen(Path path, SessionId session) throws IOException {
        if (OPEN.containsKey(path)) {
            throw new IOException("the record of the session " + session + " is in use by another connection");
        }
    }

    /** Ends the use of a record. */
    void close(SessionRecording recording) {
        OPEN.remove(path(recording.session()), recording);
        recording.close();
    }

    /** Returns where the record of an earlier session with the same id is kept. */
    private static Path earlier(Path path) {
        return path.resolveSibling(path.getFileName() + ".old");
    }

    /** Deletes the record of a session, if there is one, and that of an earlier one with the same id. */
    void delete(SessionId session) throws IOException {
        boolean unused = Files.deleteIfExists(earlier(path(session)));
        SessionRecording open = OPEN.remove(path(session));
        if (open != null) {
            open.delete();
            return;
        }
        Optional<JsonLines> file = JsonLines.open(path(session));
        if (file.isPresent()) {
            file.get().delete();
        }
    }

    /** The file of a session: any text may be an id, so its name is a digest. */
    private Path path(SessionId session) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest((agent + "\0" + session).getBytes(StandardCharsets.UTF_8));
            return folder.toAbsolutePath().resolve(HexFormat.of().formatHex(digest, 0, 16) + SUFFIX);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private RawJson first(SessionId session, RawJson opening) {
        JsonWriter out = new JsonWriter();
        out.beginObject();
        out.name("session");
        out.string(session.value());
        out.name("agent");
        out.string(agent);
        for (String member : List.of("cwd", "additionalDirectories")) {
            RawJson value = Members.get(opening, member);
            if (value != null) {
                out.name(member);
                out.raw(value);
            }
        }
        out.endObject();
        return out.toRawJson();
    }

    // ---- the list

    /** Returns the sessions of the agent, the one that was used last first. */
    List<SessionInfo> list() throws IOException {
        List<Listed> all = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*" + SUFFIX)) {
            for (Path file : files) {
                Listed listed = listed(file);
                if (listed != null) {
                    all.add(listed);
                }
            }
        }
        all.sort(Comparator.comparing(Listed::used)
                .reversed()
                .thenComparing(listed -> listed.info.sessionId().value()));
        return all.stream().map(Listed::info).toList();
    }

    private record Listed(Instant used, SessionInfo info) {}

    /** Returns null for a file that is no record of this agent, was deleted meanwhile, or cannot be read. */
    private @Nullable Listed listed(Path file) {
        try {
            Instant used = Files.getLastModifiedTime(file).toInstant();
            SessionRecording open = OPEN.get(file.toAbsolutePath());
            SessionRecording found = open == null ? SessionRecording.head(file) : open;
            String id = Members.text(found.first(), "session");
            String cwd = Members.text(found.first(), "cwd");
            return id == null || cwd == null || !agent.equals(Members.text(found.first(), "agent"))
                    ? null
                    : new Listed(
                            used,
                            SessionInfo.builder(SessionId.of(id), cwd)
                                    .additionalDirectories(texts(Members.get(found.first(), "additionalDirectories")))
                                    .title(found.title())
                                    .updatedAt(used.toString())
                                    .build());
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException e) {
            if (said.add(file)) {
                onNotice.accept("The record " + file + " cannot be read, so its session is not listed: " + e);
            }
            return null;
        }
    }

    private static List<String> texts(@Nullable RawJson array) {
        List<String> texts = new ArrayList<>();
        if (array != null && array.reader().kind() == JsonReader.Kind.ARRAY) {
            JsonReader in = array.reader();
            in.beginArray();
            while (in.nextElement()) {
                if (in.kind() == JsonReader.Kind.STRING) {
                    texts.add(in.string());
                } else {
                    in.skip();
                }
            }
        }
        return texts;
    }
}
