package dev.acp4j.cli.command;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * Files that come with projects and that the user trusts: what starts programs does nothing before. Each is bound by a
 * digest to its path and its contents, so a change, a copy or a link elsewhere is not trusted. The programs that a file
 * names are not covered.
 */
public final class TrustedFiles {
    private static final List<String> REPOSITORIES = List.of(".git", ".hg", ".jj", ".svn");

    private final Path folder;

    private TrustedFiles(Path folder) {
        this.folder = folder;
    }

    /** Returns those of this user. */
    public static TrustedFiles ofUser() {
        return in(StateFolder.path().resolve("trust"));
    }

    /** Returns those that are listed in a folder. */
    static TrustedFiles in(Path folder) {
        return new TrustedFiles(folder);
    }

    /**
     * Returns whether a file has to be trusted: it is in a repository, so others may have written it. Files of the user
     * are elsewhere; a repository of the whole home folder is the user's.
     *
     * @throws IOException when the file cannot be found
     */
    public static boolean isOfProject(Path file) throws IOException {
        Path home =
                Path.of(System.getProperty("user.home", "")).toAbsolutePath().normalize();
        for (Path above = file.toRealPath().getParent(); above != null; above = above.getParent()) {
            if (!above.equals(home) && REPOSITORIES.stream().map(above::resolve).anyMatch(Files::exists)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns whether the user trusts a file with these contents.
     *
     * @throws IOException when that cannot be found out
     */
    public boolean isTrusted(Path file, String contents) throws IOException {
        return lines().contains(line(file, contents));
    }

    /**
     * Trusts a file with these contents, and with no others from before.
     *
     * @throws IOException when that cannot be kept
     */
    public void trust(Path file, String contents) throws IOException {
        StateFolder.createForUser(folder);
        List<String> lines = new ArrayList<>(lines());
        String ofFile = " " + name(file.toRealPath());
        lines.removeIf(line -> line.endsWith(ofFile));
        lines.add(line(file, contents));
        Path written = Files.createTempFile(folder, "files", null);
        Files.write(written, lines);
        Files.move(written, list(), StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    private Path list() {
        return folder.resolve("files");
    }

    private List<String> lines() throws IOException {
        try {
            return Files.readAllLines(list());
        } catch (NoSuchFileException e) {
            return List.of();
        }
    }

    private static String line(Path file, String contents) throws IOException {
        Path real = file.toRealPath();
        return digest(real + "\0" + contents) + " " + name(real);
    }

    /** Returns a path as one line. */
    private static String name(Path real) {
        return real.toString().replace('\n', ' ').replace('\r', ' ');
    }

    /** Returns the SHA-256 of a text as 64 hexadecimal digits. */
    static String digest(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
