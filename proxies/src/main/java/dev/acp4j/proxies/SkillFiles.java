package dev.acp4j.proxies;

import dev.acp4j.json.RawJson;
import dev.acp4j.mcp.ProxySession;
import dev.acp4j.mcp.ToolServer;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.schema.Unstable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Gives any agent skills: folders with a file {@code SKILL.md}.
 *
 * <pre>{@code
 * Proxy skills = SkillFiles.builder().folder(Path.of("/home/me/.config/acp/skills")).build();
 * }</pre>
 *
 * <p>{@code SKILL.md} begins with {@code name}, which is also the name of its folder, and {@code description} between
 * two lines of three dashes; the rest are instructions. The agent gets a tool {@code read_skill}, whose description
 * lists the names and descriptions of all skills; what it returns for one are the instructions and the names of the
 * other files in the folder, which the tool reads, too. So a conversation has the text of a skill only when it is
 * needed. For the user, {@code /NAME} is a slash command, which puts the instructions in front of what follows; a name
 * that the agent has stays the agent's. An agent that connects no MCP servers has the slash commands only, which is
 * reported.
 *
 * <p>The tool is listed as the session is opened; the files are read each time. One has at most 256 KiB. Files of a
 * project do nothing before they are trusted, and again after each change: {@code SKILL.md} and each other file.
 * Nothing outside of the folder of a skill is given to the agent, links included, and nothing is run. Only
 * {@code SKILL.md} may be a link: in the project, if it is the project's, and else in the same folder of skills or in
 * the user's home.
 */
@Unstable
public final class SkillFiles {
    /** What the list of skills has at most, in characters. */
    private static final int MOST_LISTED = 16 * 1024;

    private final List<Path> folders;
    private final List<Path> ofProjects;
    private final MarkdownFile.Reading reading;

    private SkillFiles(Builder builder) {
        folders = List.copyOf(builder.folders);
        ofProjects = List.copyOf(builder.ofProjects);
        reading = new MarkdownFile.Reading("The skill file", builder.trust, builder.onNotice);
    }

    /** Begins a proxy. */
    public static Builder builder() {
        return new Builder();
    }

    private Proxy proxy() {
        Proxy.Builder proxy = new SlashCommands(cwd -> skills(cwd).stream()
                        .map(skill -> skill.command(reading))
                        .toList())
                .addTo(Proxy.builder("skills", "1"));
        return ToolServer.addTo(proxy, this::servers).build();
    }

    private List<SkillFile> skills(@Nullable Path cwd) {
        return SkillFile.all(folders, ofProjects, cwd, reading);
    }

    private List<ToolServer> servers(ProxySession session) {
        Path cwd = session.setup().map(setup -> setup.cwd()).orElse(null);
        List<SkillFile> skills = skills(cwd);
        if (skills.isEmpty()) {
            return List.of();
        }
        if (!session.connectsServers()) {
            reading.once("The agent does not see the skills by itself: it connects to no MCP servers. "
                    + "A prompt that begins with / and the name of a skill gives it that one.");
            return List.of();
        }
        return List.of(ToolServer.builder("skills", "1")
                .tool(
                        "read_skill",
                        "Returns the instructions of a skill. Before you begin a task that one of these descriptions "
                                + "fits, read that skill and follow it. With file, returns another file of the skill. "
                                + "Skills:\n" + list(skills),
                        RawJson.parse("{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\","
                                + "\"description\":\"The name of the skill\"},\"file\":{\"type\":\"string\","
                                + "\"description\":\"A file that the skill names, as a path in its folder\"}},"
                                + "\"required\":[\"name\"],\"additionalProperties\":false}"),
                        call -> read(cwd, call))
                .build());
    }

    private String list(List<SkillFile> skills) {
        StringBuilder list = new StringBuilder();
        for (SkillFile skill : skills) {
            String line = "- " + skill.name() + ": " + skill.description() + "\n";
            if (list.length() + line.length() > MOST_LISTED) {
                reading.once("The agent is not shown all skills: their descriptions have more than " + MOST_LISTED
                        + " characters. The first one that it is not shown is " + skill.name() + ".");
                break;
            }
            list.append(line);
        }
        return list.toString().strip();
    }

    private String read(@Nullable Path cwd, ToolServer.Call call) {
        List<SkillFile> skills = skills(cwd);
        String name = call.text("name");
        SkillFile skill = skills.stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no skill " + name + ", but "
                        + skills.stream().map(SkillFile::name).collect(Collectors.joining(", "))));
        String file = Members.text(call.arguments(), "file");
        return file == null ? skill.text(reading) : skill.other(file, reading);
    }

    /** Builds a proxy of skills. */
    public static final class Builder {
        private final List<Path> folders = new ArrayList<>();
        private final List<Path> ofProjects = new ArrayList<>();
        private Trust trust = Trust.NOTHING;
        private Consumer<String> onNotice = Notices::log;

        private Builder() {}

        /** Adds a folder of the user's, in which each skill has a folder. */
        public Builder folder(Path folder) {
            folders.add(folder.toAbsolutePath().normalize());
            return this;
        }

        /**
         * Adds a folder of projects, which is looked for in the folder of each session. A skill there wins over one of
         * the user's with the same name.
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

        /** Takes what a user should know, a sentence each, such as a skill that is not trusted; logged by default. */
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
            return new SkillFiles(this).proxy();
        }
    }
}
