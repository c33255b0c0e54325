package dev.acp4j;

import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.Meta;
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
    private final Meta meta;

    SessionSetup(Path cwd, List<Path> additionalDirectories, List<McpServer> mcpServers, Meta meta) {
        this.cwd = absolute(cwd);
        this.additionalDirectories = others(this.cwd, additionalDirectories);
        this.mcpServers = List.copyOf(mcpServers);
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
        return new SessionSetup(cwd, List.of(), List.of(), Meta.EMPTY);
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
        return new SessionSetup(cwd, directories, mcpServers, meta);
    }

    /** Returns the MCP servers that the agent must use. */
    public List<McpServer> mcpServers() {
        return mcpServers;
    }

    /** Returns the same with other MCP servers. */
    public SessionSetup withMcpServers(List<McpServer> servers) {
        return new SessionSetup(cwd, additionalDirectories, servers, meta);
    }

    /** Returns the {@code _meta} of the request, empty when there is none. */
    public Meta meta() {
        return meta;
    }

    /** Returns the same with other {@code _meta}. */
    public SessionSetup withMeta(Meta data) {
        return new SessionSetup(cwd, additionalDirectories, mcpServers, data);
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
                && meta.equals(setup.meta);
    }

    @Override
    public int hashCode() {
        return Objects.hash(cwd, additionalDirectories, mcpServers, meta);
    }

    /** Returns the folders and the number of servers. The configuration of a server may contain secrets. */
    @Override
    public String toString() {
        return roots() + ", MCP servers: " + mcpServers.size();
    }
}
