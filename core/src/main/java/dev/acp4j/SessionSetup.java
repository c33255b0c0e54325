package dev.acp4j;

import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.SystemPrompt;
import dev.acp4j.schema.Unstable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The folders and MCP servers of a session. A client sends them when it opens, loads or resumes a session. Immutable.
 *
 * <p>A relative path is made absolute against the working directory of this program.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-setup">Session setup</a>
 */
public final class SessionSetup {
    private final Path cwd;
    private final List<Path> additionalDirectories;
    private final List<McpServer> mcpServers;
    private final @Nullable SystemPrompt systemPrompt;
    private final Meta meta;

    SessionSetup(
            Path cwd,
            List<Path> additionalDirectories,
            List<McpServer> mcpServers,
            @Nullable SystemPrompt systemPrompt,
            Meta meta) {
        this.cwd = absolute(cwd);
        this.additionalDirectories = others(this.cwd, additionalDirectories);
        this.mcpServers = List.copyOf(mcpServers);
        this.systemPrompt = systemPrompt;
        this.meta = Objects.requireNonNull(meta, "meta is null");
    }

    private static List<Path> others(Path cwd, List<Path> paths) {
        Set<Path> all = new LinkedHashSet<>();
        for (Path path : paths) {
            all.add(absolute(path));
        }
        all.remove(cwd);
        return List.copyOf(all);
    }

    /** Returns an absolute path unchanged, and any other resolved against the working directory of this program. */
    static Path absolute(Path path) {
        return path.isAbsolute() ? path : path.toAbsolutePath().normalize();
    }

    /** Returns the setup that only names the working folder. */
    public static SessionSetup in(Path cwd) {
        return new SessionSetup(cwd, List.of(), List.of(), null, Meta.EMPTY);
    }

    /** Returns the working folder, to which relative paths are relative; absolute. */
    public Path cwd() {
        return cwd;
    }

    /** Returns further folders that the session may work in; absolute, each once, without {@link #cwd()}. */
    public List<Path> additionalDirectories() {
        return additionalDirectories;
    }

    /** Returns the same with other additional folders. */
    public SessionSetup withAdditionalDirectories(List<Path> directories) {
        return new SessionSetup(cwd, directories, mcpServers, systemPrompt, meta);
    }

    /** Returns the MCP servers that the agent must use. */
    public List<McpServer> mcpServers() {
        return mcpServers;
    }

    /** Returns the same with other MCP servers. */
    public SessionSetup withMcpServers(List<McpServer> servers) {
        return new SessionSetup(cwd, additionalDirectories, servers, systemPrompt, meta);
    }

    /**
     * Returns what the client adds to the agent's instructions, or puts in their place; null when it does neither. An
     * agent gets only what it {@linkplain Agent.Builder#supports offers}.
     */
    @Unstable
    public @Nullable SystemPrompt systemPrompt() {
        return systemPrompt;
    }

    /**
     * Returns the same with instructions for the agent, a draft. Text only, for an agent that supports
     * {@link Feature#SYSTEM_PROMPT}, or {@link Feature#SYSTEM_PROMPT_OVERRIDE} if they take the place of its own. A
     * session that is opened again should get the same.
     *
     * <pre>{@code
     * SessionSetup setup = SessionSetup.in(folder)
     *         .withSystemPrompt(SystemPrompt.of(SystemPromptMode.APPEND, List.of(ContentBlock.text("Answer in French."))));
     * }</pre>
     *
     * @throws IllegalArgumentException when it has no content, or other content than text
     */
    @Unstable
    public SessionSetup withSystemPrompt(@Nullable SystemPrompt prompt) {
        boolean isText = prompt == null
                || (!prompt.content().isEmpty()
                        && prompt.content().stream().allMatch(ContentBlock.Text.class::isInstance));
        if (!isText) {
            throw new IllegalArgumentException("a system prompt needs content, and text only");
        }
        return new SessionSetup(cwd, additionalDirectories, mcpServers, prompt, meta);
    }

    /** Returns the {@code _meta} of the request, empty when there is none. */
    public Meta meta() {
        return meta;
    }

    /** Returns the same with other {@code _meta}. */
    public SessionSetup withMeta(Meta data) {
        return new SessionSetup(cwd, additionalDirectories, mcpServers, systemPrompt, data);
    }

    /** Returns all folders that the session may work in, {@link #cwd()} first. */
    public List<Path> roots() {
        List<Path> roots = new ArrayList<>();
        roots.add(cwd);
        roots.addAll(additionalDirectories);
        return List.copyOf(roots);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SessionSetup setup
                && cwd.equals(setup.cwd)
                && additionalDirectories.equals(setup.additionalDirectories)
                && mcpServers.equals(setup.mcpServers)
                && Objects.equals(systemPrompt, setup.systemPrompt)
                && meta.equals(setup.meta);
    }

    @Override
    public int hashCode() {
        return Objects.hash(cwd, additionalDirectories, mcpServers, systemPrompt, meta);
    }

    /** Returns the folders and the number of servers. The configuration of a server may contain secrets. */
    @Override
    public String toString() {
        return roots() + ", MCP servers: " + mcpServers.size();
    }
}
