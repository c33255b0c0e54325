package dev.acp4j.proxies;

import dev.acp4j.proxy.Proxy;
import dev.acp4j.schema.Unstable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Makes slash commands of Markdown files.
 *
 * <pre>{@code
 * Proxy commands = CommandFiles.builder().folder(Path.of("/home/me/.config/acp/commands")).build();
 * }</pre>
 *
 * <p>A file {@code review.md} is the command {@code /review}. It may begin with {@code description} and
 * {@code argument-hint} between two lines of three dashes; the rest is the prompt, in which {@code $ARGUMENTS} is what
 * follows the command, and {@code $1} to {@code $9} are its words. Without these, what follows is added at the end. The
 * commands are added to the agent's own, in each list that it sends; a name that the agent has stays the agent's.
 *
 * <p>Files of a project do nothing before they are trusted, and again after each change.
 */
@Unstable
public final class CommandFiles {
    private final List<Path> folders;
    private final List<Path> ofProjects;
    private final MarkdownFile.Reading reading;

    private CommandFiles(Builder builder) {
        folders = List.copyOf(builder.folders);
        ofProjects = List.copyOf(builder.ofProjects);
        reading = new MarkdownFile.Reading("The command in", builder.trust, builder.onNotice);
    }

    /** Begins a proxy. */
    public static Builder builder() {
        return new Builder();
    }

    private Proxy proxy() {
        return new SlashCommands(cwd -> CommandFile.all(folders, ofProjects, cwd, reading).stream()
                        .map(CommandFile::command)
                        .toList())
                .addTo(Proxy.builder("commands", "1"))
                .build();
    }

    /** Builds a proxy of commands. */
    public static final class Builder {
        private final List<Path> folders = new ArrayList<>();
        private final List<Path> ofProjects = new ArrayList<>();
        private Trust trust = Trust.NOTHING;
        private Consumer<String> onNotice = Notices::log;

        private Builder() {}

        /** Adds a folder of the user's, whose files are read for each list and each prompt. */
        public Builder folder(Path folder) {
            folders.add(folder.toAbsolutePath());
            return this;
        }

        /**
         * Adds a folder of projects, which is looked for in the folder of each session.
         *
         * @throws IllegalArgumentException when it is not below that
         */
        public Builder ofProjects(String folder) {
            ofProjects.add(MarkdownFile.folderOfProjects(folder));
            return this;
        }

        /** Sets which files of projects are trusted; by default none. */
        public Builder trust(Trust value) {
            trust = Objects.requireNonNull(value);
            return this;
        }

        /** Takes what a user should know, a sentence each, such as a file that is not trusted; logged by default. */
        public Builder onNotice(Consumer<String> listener) {
            onNotice = Objects.requireNonNull(listener);
            return this;
        }

        /**
         * Builds the proxy.
         *
         * @throws IllegalStateException without a folder
         */
        public Proxy build() {
            if (folders.isEmpty() && ofProjects.isEmpty()) {
                throw new IllegalStateException("expected at least one folder");
            }
            return new CommandFiles(this).proxy();
        }
    }
}
