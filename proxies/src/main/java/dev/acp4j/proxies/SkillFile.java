package dev.acp4j.proxies;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A skill: a folder with a file {@code SKILL.md}.
 *
 * @param folder the folder
 * @param project the folder of the session in which it is; null if it is the user's
 * @param body the instructions
 */
record SkillFile(Path folder, @Nullable Path project, String name, String description, String body) {
    static final String FILE = "SKILL.md";
    private static final int MOST_SKILLS = 200;
    private static final int MOST_FILES = 100;
    private static final int MOST_DESCRIPTION = 1024;
    private static final int DEPTH = 4;
    private static final Pattern NAME = Pattern.compile("[a-z0-9]+(-[a-z0-9]+)*");

    /** Returns the skills of a session in a folder; those of the project come last, and only if they are trusted. */
    static List<SkillFile> all(
            List<Path> folders, List<Path> ofProjects, @Nullable Path cwd, MarkdownFile.Reading reading) {
        List<SkillFile> found = new ArrayList<>();
        folders.forEach(folder -> find(folder, null, reading, found));
        if (cwd != null) {
            ofProjects.forEach(folder -> find(cwd.resolve(folder), cwd, reading, found));
        }
        return found;
    }

    private static void find(Path above, @Nullable Path project, MarkdownFile.Reading reading, List<SkillFile> found) {
        Path home = home();
        List<Path> folders =
                reading.in(above, "skills", MOST_SKILLS, folder -> Files.isRegularFile(folder.resolve(FILE)));
        for (Path folder : folders) {
            Path file = folder.resolve(FILE);
            boolean isAllowed = project == null
                    ? isIn(file, folder) || isIn(file, above) || (home != null && isIn(file, home))
                    : isIn(file, project);
            if (!isAllowed) {
                reading.once("The skill in " + file + " is left out: a link leads out of "
                        + (project == null ? above + " and of your home." : "the project."));
                continue;
            }
            String text = project == null ? reading.text(file) : reading.text(file, project);
            SkillFile skill = text == null ? null : parse(folder, project, text, reading);
            if (skill != null) {
                found.removeIf(other -> other.name.equals(skill.name));
                found.add(skill);
            }
        }
    }

    /** Whether a file is in a folder, links followed. A folder that cannot be resolved has none. */
    private static boolean isIn(Path file, Path folder) {
        Path real;
        try {
            real = file.toRealPath();
        } catch (IOException e) {
            // Reading it says why.
            return true;
        }
        try {
            return real.startsWith(folder.toRealPath());
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns the user's home; null if there is none. The root is none, since everything is in it. */
    private static @Nullable Path home() {
        Path home = Path.of(System.getProperty("user.home", ""));
        try {
            return home.isAbsolute() && home.toRealPath().getParent() != null ? home : null;
        } catch (IOException e) {
            return null;
        }
    }

    /** Reads a skill; null if it has no name or no description, which is reported. */
    private static @Nullable SkillFile parse(
            Path folder, @Nullable Path project, String text, MarkdownFile.Reading reading) {
        MarkdownFile file = MarkdownFile.parse(text);
        String name = file.value("name");
        String description = file.value("description");
        String expected = String.valueOf(folder.getFileName());
        String wrong = !NAME.matcher(name).matches() || name.length() > 64
                ? "expected a name of at most 64 small letters, digits and single hyphens, got \"" + name + "\""
                : !name.equals(expected)
                        ? "expected the name of its folder, " + expected + ", got \"" + name + "\""
                        : description.isEmpty() ? "it has no description" : null;
        if (wrong != null) {
            reading.once("The skill in " + folder.resolve(FILE) + " is left out: " + wrong + ".");
            return null;
        }
        String shown = description.codePointCount(0, description.length()) <= MOST_DESCRIPTION
                ? description
                : description.substring(0, description.offsetByCodePoints(0, MOST_DESCRIPTION - 1)) + "…";
        return new SkillFile(folder, project, name, shown, file.body());
    }

    /** Returns the instructions, with where the skill is and which other files it has. */
    String text(MarkdownFile.Reading reading) {
        List<String> others = others(reading);
        return "The skill " + name + ", in the folder " + folder + ":\n\n" + body
                + (others.isEmpty() ? "" : "\n\nOther files of this skill: " + String.join(", ", others));
    }

    /**
     * Returns the other files, as paths below the folder; nothing behind links, and nothing that is hidden. Of a
     * project those of the first hundred that the user trusts: a name could be a sentence to the agent.
     */
    private List<String> others(MarkdownFile.Reading reading) {
        try {
            // The folder may be a link, which would not be walked.
            Path real = folder.toRealPath();
            try (Stream<Path> all = Files.walk(real, DEPTH)) {
                return all.filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
                        .map(real::relativize)
                        .filter(path -> !path.equals(Path.of(FILE)))
                        .filter(path ->
                                Stream.of(path.toString().split("[/\\\\]", -1)).noneMatch(part -> part.startsWith(".")))
                        .map(path -> path.toString().replace('\\', '/'))
                        .sorted()
                        .limit(MOST_FILES)
                        .filter(path -> project == null || reading.isTrusted(folder.resolve(path), project))
                        .toList();
            }
        } catch (IOException | UncheckedIOException e) {
            reading.once("The files of the skill in " + folder + " cannot be listed: " + e);
            return List.of();
        }
    }

    /**
     * Returns the text of another file of the skill.
     *
     * @param path where it is in the folder
     * @throws IllegalArgumentException when there is none, it is outside of the folder, also by links, or it cannot be
     *     used
     */
    String other(String path, MarkdownFile.Reading reading) {
        try {
            Path file = folder.resolve(path).normalize();
            if (!file.startsWith(folder.normalize()) || !file.toRealPath().startsWith(folder.toRealPath())) {
                throw new IllegalArgumentException(path + " is outside of the skill " + name);
            }
            String text = Files.isRegularFile(file)
                    ? project == null ? reading.text(file) : reading.text(file, project)
                    : null;
            if (text == null) {
                throw new IllegalArgumentException(
                        path + " cannot be used: it is no file, too long, or not trusted by the user");
            }
            return text;
        } catch (IOException | InvalidPathException e) {
            throw new IllegalArgumentException("the skill " + name + " has no file " + path, e);
        }
    }

    SlashCommand command(MarkdownFile.Reading reading) {
        return new SlashCommand(
                name,
                description,
                "what to do",
                asked -> asked.isEmpty() ? text(reading) : text(reading) + "\n\n" + asked);
    }
}
