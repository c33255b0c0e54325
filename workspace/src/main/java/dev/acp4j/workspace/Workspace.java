package dev.acp4j.workspace;

import dev.acp4j.Client;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Access to the files inside a session's folders only.
 *
 * <p>All symbolic links of a path are resolved first, and a target outside is rejected; so is a path that cannot be
 * resolved, such as a dangling link. On systems where Java can hold folders open (Linux, macOS) the file is reached
 * from the root one folder at a time, never through a link, so that replacing a folder by a link in between makes the
 * access fail. Elsewhere the path is checked again once the file is open. A hard link cannot be distinguished from the
 * file: it is inside if its name is inside. Writing replaces the name and does not affect other links.
 *
 * <p>Text is UTF-8. A byte order mark and line ends are preserved in both directions.
 *
 * <p>Thread-safe. Methods hold no lock: of two that write the same file, the later wins. They block until the file
 * system has responded, with a timeout of a minute, on threads of the workspace; if several requests hang at once,
 * further ones fail. All fail with a {@link WorkspaceException}.
 */
public final class Workspace {
    /** The default size limit for text read or written at once: 64 MiB. */
    public static final int DEFAULT_MAX_BYTES = 64 << 20;

    private static final String READ = "read";
    private static final String WRITE = "write";
    private static final String CHANGED = "was changed while it was being opened";

    private final Roots roots;
    private final int maxBytes;

    /** Opens a root; replaced in tests to cover the implementation for other systems. */
    private final Opener opener;

    private final FileThreads threads;

    /** Null when no editor has documents. */
    private final @Nullable OpenDocuments documents;

    interface Opener {
        Folder open(Root root) throws IOException;
    }

    Workspace(Roots roots, int maxBytes, Opener opener, FileThreads threads) {
        this(roots, maxBytes, opener, threads, null);
    }

    private Workspace(
            Roots roots, int maxBytes, Opener opener, FileThreads threads, @Nullable OpenDocuments documents) {
        this.roots = roots;
        this.maxBytes = maxBytes;
        this.opener = opener;
        this.threads = threads;
        this.documents = documents;
    }

    /**
     * Returns the workspace of these folders. Each is resolved now: it may be a link, but a folder replaced by a link
     * later is no longer a root.
     *
     * @throws IllegalArgumentException if one is not absolute or not an existing folder
     */
    public static Workspace of(Path root, Path... more) {
        List<Path> given = new ArrayList<>();
        given.add(root);
        given.addAll(List.of(more));
        return of(given);
    }

    /** Returns the workspace of these folders, of which there is at least one. */
    public static Workspace of(List<Path> roots) {
        if (roots.isEmpty()) {
            throw new IllegalArgumentException("a workspace needs a root");
        }
        return new Workspace(Roots.of(roots), DEFAULT_MAX_BYTES, Folder::openRoot, new FileThreads());
    }

    /**
     * Allows agents to read and write the text files in the folders of their session: its working folder and the
     * additional ones.
     *
     * @param client the client being built
     * @return the same builder
     */
    public static Client.Builder offerFilesTo(Client.Builder client) {
        return files(client, new SessionWorkspaces(null));
    }

    /**
     * Allows agents to read and write text files like {@link #offerFilesTo(Client.Builder)}, in the state that they
     * have in an editor.
     */
    public static Client.Builder offerFilesTo(Client.Builder client, OpenDocuments documents) {
        return files(client, new SessionWorkspaces(Objects.requireNonNull(documents, "documents")));
    }

    private static Client.Builder files(Client.Builder client, SessionWorkspaces workspaces) {
        return client.onReadTextFile(workspaces::read).onWriteTextFile(workspaces::write);
    }

    /**
     * Allows agents to read the text files in the folders of their session, and nothing more: for unattended use.
     *
     * @param client the client being built
     * @return the same builder
     */
    public static Client.Builder offerReadingTo(Client.Builder client) {
        return client.onReadTextFile(new SessionWorkspaces(null)::read);
    }

    /**
     * Allows agents to read text files like {@link #offerReadingTo(Client.Builder)}, in the state that they have in an
     * editor.
     */
    public static Client.Builder offerReadingTo(Client.Builder client, OpenDocuments documents) {
        return client.onReadTextFile(new SessionWorkspaces(Objects.requireNonNull(documents, "documents"))::read);
    }

    /**
     * Allows agents to read and write the text files in the folders of their session and to run commands there, with
     * the default {@link TerminalOptions}.
     *
     * @param client the client being built
     * @return the same builder
     */
    public static Client.Builder offerTo(Client.Builder client) {
        return offerTo(client, TerminalOptions.DEFAULTS);
    }

    /**
     * Allows agents to use files and terminals like {@link #offerTo(Client.Builder)}, with other options for terminals.
     */
    public static Client.Builder offerTo(Client.Builder client, TerminalOptions options) {
        return filesAndTerminals(client, options, new SessionWorkspaces(null));
    }

    /**
     * Allows agents to use files and terminals like {@link #offerTo(Client.Builder, TerminalOptions)}, with text files
     * in the state that they have in an editor. Commands see what is saved.
     */
    public static Client.Builder offerTo(Client.Builder client, TerminalOptions options, OpenDocuments documents) {
        return filesAndTerminals(
                client, options, new SessionWorkspaces(Objects.requireNonNull(documents, "documents")));
    }

    private static Client.Builder filesAndTerminals(
            Client.Builder client, TerminalOptions options, SessionWorkspaces workspaces) {
        return files(client, workspaces).terminals(new SessionTerminals(workspaces, options));
    }

    /** Returns the same workspace with the open documents of an editor, which are read and replaced first. */
    public Workspace withDocuments(OpenDocuments open) {
        return new Workspace(roots, maxBytes, opener, threads, Objects.requireNonNull(open, "open"));
    }

    /** Returns the same workspace with another limit for the text read or written at once, in bytes. */
    public Workspace withMaxBytes(int limit) {
        if (limit < 0 || limit == Integer.MAX_VALUE) {
            throw new IllegalArgumentException("the limit must be positive, got " + limit);
        }
        return new Workspace(roots, limit, opener, threads, documents);
    }

    /** Returns the folders, unchanged. */
    public List<Path> roots() {
        return roots.given();
    }

    /** Returns the whole text of a file. */
    public String readText(Path path) throws InterruptedException {
        return readText(path, null, null);
    }

    /**
     * Returns some lines of a file, with their ends. In a large file only these lines count against the limit, and only
     * they must be UTF-8. Lines beyond the end are empty, which is not an error.
     *
     * @param line the first line, from 1; null or 0 for the first line of the file
     * @param limit the maximum number of lines; null for all
     */
    public String readText(Path path, @Nullable Long line, @Nullable Long limit) throws InterruptedException {
        long first = count("line", line, 1);
        long lines = count("limit", limit, Long.MAX_VALUE);
        LineSlice slice = new LineSlice(Math.max(0, first - 1), lines, maxBytes);
        String open = openText(path);
        return open == null
                ? threads.run(failed(READ, path), () -> read(path, slice))
                : read(path, slice, Utf8Text.encode(path, "cannot be read", open));
    }

    /** Returns the text of the document that an editor has open for a path in the folders; null if it has none. */
    private @Nullable String openText(Path path) throws InterruptedException {
        if (documents == null) {
            return null;
        }
        for (Path name : names(path, READ)) {
            Optional<String> text = documents.text(name);
            if (text.isPresent()) {
                return text.get();
            }
        }
        return null;
    }

    /** Returns the names by which an editor may know a file in the folders: the requested one, and the real one. */
    private Set<Path> names(Path path, String verb) throws InterruptedException {
        Place place = threads.run(failed(verb, path), () -> roots.locate(path));
        if (place.isRoot()) {
            throw new WorkspaceException.WrongKind(path, "is a folder, not a file");
        }
        Set<Path> names = new LinkedHashSet<>();
        names.add(path.normalize());
        names.add(place.realPath());
        return names;
    }

    private String read(Path path, LineSlice slice, ByteBuffer text) {
        slice.read(text);
        return text(path, slice);
    }

    private String read(Path path, LineSlice slice) throws InterruptedException {
        Place place = roots.locate(path);
        if (!place.exists()) {
            throw new WorkspaceException.NotFound(path);
        }
        if (place.isRoot()) {
            throw new WorkspaceException.WrongKind(path, "is a folder, not a file");
        }
        try (Folder root = opener.open(place.root());
                Folder folder = enter(root, place.folders(), false)) {
            requireFile(path, folder.attributes(place.name()));
            try (SeekableByteChannel channel = folder.open(place.name())) {
                slice.readFrom(channel);
            }
        } catch (IOException e) {
            throw failure(READ, place, e);
        }
        return text(path, slice);
    }

    private String text(Path path, LineSlice slice) {
        if (slice.exceeded()) {
            throw new WorkspaceException.TooLarge(
                    path, "has more than " + maxBytes + " bytes; request a part of it by line and limit");
        }
        return Utf8Text.decode(path, slice.bytes());
    }

    private static long count(String name, @Nullable Long value, long otherwise) {
        if (value != null && value < 0) {
            throw new WorkspaceException.InvalidArgument(name + " must not be negative, got " + value);
        }
        return value == null ? otherwise : value;
    }

    /**
     * Creates a file or replaces its content, and creates missing parent folders. The write is atomic: if it fails, the
     * old content is kept. Permissions are kept, and owner and group if the operating system allows it. The content is
     * not forced to the disk.
     */
    public void writeText(Path path, String content) throws InterruptedException {
        String failed = failed(WRITE, path);
        ByteBuffer bytes = Utf8Text.encode(path, "cannot be written", content);
        if (bytes.remaining() > maxBytes) {
            throw new WorkspaceException.TooLarge(path, "would have more than " + maxBytes + " bytes");
        }
        boolean unused = replaceOpen(path, content) || threads.run(failed, () -> write(path, bytes));
    }

    /** Returns whether an editor has taken the text for a path in the folders. */
    private boolean replaceOpen(Path path, String content) throws InterruptedException {
        if (documents == null) {
            return false;
        }
        for (Path name : names(path, WRITE)) {
            if (documents.replace(name, content)) {
                return true;
            }
        }
        return false;
    }

    private boolean write(Path path, ByteBuffer bytes) throws InterruptedException {
        Place place = roots.locate(path);
        if (place.isRoot()) {
            throw new WorkspaceException.WrongKind(path, "is a folder, not a file");
        }
        try (Folder root = opener.open(place.root());
                Folder existing = enter(root, place.folders(), false);
                Folder folder = enter(existing, place.missingFolders(), true)) {
            requireReplaceable(place, folder.find(place.name()));
            folder.replace(place.name(), bytes);
            return true;
        } catch (IOException e) {
            throw failure(WRITE, place, e);
        }
    }

    /** Returns the real path of a folder, as working directory of a command. The command is not confined to it. */
    public Path folder(Path path) throws InterruptedException {
        return threads.run(failed("use", path), () -> realFolder(path));
    }

    private Path realFolder(Path path) {
        Place place = roots.locate(path);
        if (!place.exists()) {
            throw new WorkspaceException.NotFound(path);
        }
        Path real = place.realPath();
        if (!Files.isDirectory(real)) {
            throw new WorkspaceException.WrongKind(path, "is not a folder");
        }
        return real;
    }

    /** Parses a path sent by an agent. */
    static Path path(String text) {
        Roots.requireLength(text);
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new WorkspaceException.InvalidArgument("not a path: " + e.getMessage());
        }
    }

    /** Opens nested folders by name and returns the last one, or the first if there are no names. */
    private static Folder enter(Folder from, List<Path> names, boolean create) throws IOException {
        Folder folder = from;
        try {
            for (Path name : names) {
                Folder outer = folder;
                if (create) {
                    outer.create(name);
                }
                folder = outer.enter(name);
                if (outer != from) {
                    outer.close();
                }
            }
            return folder;
        } catch (IOException | RuntimeException e) {
            if (folder != from) {
                folder.close();
            }
            throw e;
        }
    }

    private static void requireReplaceable(Place place, @Nullable BasicFileAttributes found)
            throws AccessDeniedException {
        if (found != null) {
            requireFile(place.asked(), found);
            // Replacing requires no permission on the file itself, only on its folder.
            if (!Files.isWritable(place.realPath())) {
                throw new AccessDeniedException(place.asked().toString());
            }
        }
    }

    private static void requireFile(Path path, BasicFileAttributes found) {
        if (found.isSymbolicLink()) {
            throw new WorkspaceException.OutsideRoots(path, CHANGED, null);
        }
        if (found.isDirectory()) {
            throw new WorkspaceException.WrongKind(path, "is a folder, not a file");
        }
        if (!found.isRegularFile()) {
            throw new WorkspaceException.WrongKind(path, "is not a regular file but a pipe, a socket or a device");
        }
    }

    /** Distinguishes failures of the system from failures because a part of the path was replaced. */
    private WorkspaceException failure(String verb, Place place, IOException e) throws InterruptedException {
        Path path = place.asked();
        if (e instanceof ClosedByInterruptException) {
            // The channel sets the interrupt flag; the exception replaces it.
            Thread.interrupted();
            throw new InterruptedException("interrupted while trying to " + verb + " " + path);
        }
        if (!roots.locate(path).isSame(place)) {
            return new WorkspaceException.OutsideRoots(path, CHANGED, e);
        }
        if (e instanceof NoSuchFileException && verb.equals(READ)) {
            return new WorkspaceException.NotFound(path);
        }
        return new WorkspaceException.Failed(failed(verb, path) + ": " + reason(e), e);
    }

    /** Returns the beginning of a message about a path that is known to be short enough to be shown. */
    private static String failed(String verb, Path path) {
        Roots.requireLength(path.toString());
        return "cannot " + verb + " " + path;
    }

    private static String reason(IOException e) {
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof NotDirectoryException) {
            return e.getMessage() + " is not a folder";
        }
        String reason = e instanceof FileSystemException system ? system.getReason() : e.getMessage();
        return reason == null ? "the operating system gave no reason" : reason;
    }
}
