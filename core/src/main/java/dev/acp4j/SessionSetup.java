package dev.acp4j;

import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.Meta;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Where a session works, and with what: the client says it when it opens a new session, and again when it loads or
 * resumes one.
 *
 * <p>A relative path is made absolute, from the working directory of this program.
 *
 * @param cwd the folder that relative paths are relative to; absolute
 * @param additionalDirectories further folders that the session may work in; absolute
 * @param mcpServers the MCP servers that the agent is to use
 * @param meta extension data of the implementations, empty when there is none
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-setup">Session setup</a>
 */
public record SessionSetup(Path cwd, List<Path> additionalDirectories, List<McpServer> mcpServers, Meta meta) {
    /** Copies the lists, and makes the paths absolute. */
    public SessionSetup {
        cwd = absolute(cwd);
        additionalDirectories =
                additionalDirectories.stream().map(SessionSetup::absolute).toList();
        mcpServers = List.copyOf(mcpServers);
        Objects.requireNonNull(meta, "meta is null");
    }

    /** Returns an absolute path as it is, and any other from the working directory of this program. */
    static Path absolute(Path path) {
        return path.isAbsolute() ? path : path.toAbsolutePath().normalize();
    }

    /** Returns the setup that only names the working folder. */
    public static SessionSetup in(Path cwd) {
        return new SessionSetup(cwd, List.of(), List.of(), Meta.EMPTY);
    }

    /** Returns the same with other additional folders. */
    public SessionSetup withAdditionalDirectories(List<Path> directories) {
        return new SessionSetup(cwd, directories, mcpServers, meta);
    }

    /** Returns the same with other MCP servers. */
    public SessionSetup withMcpServers(List<McpServer> servers) {
        return new SessionSetup(cwd, additionalDirectories, servers, meta);
    }

    /** Returns the same with other extension data. */
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
}
