package dev.acp4j.cli.command;

import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.mcp.McpConfig;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that choose the session of a conversation, its folders and its settings. */
public final class OpeningOptions {
    @Option(names = "--continue", description = "Continue the newest session of this folder and agent.")
    public boolean continues;

    @Option(
            names = "--resume",
            paramLabel = "ID",
            arity = "0..1",
            fallbackValue = "",
            description =
                    "Continue the session with this id, or the only one whose id begins like this; without ID, choose one "
                            + "from a list.")
    @Nullable
    public String resume;

    @Option(names = "--mode", paramLabel = "MODE", description = "Switch to this mode, by its id or name.")
    @Nullable
    public String mode;

    @Option(names = "--model", paramLabel = "MODEL", description = "Use this model; 'acp models' lists them.")
    @Nullable
    public String model;

    @Option(
            names = "--config",
            paramLabel = "NAME=VALUE",
            description = "Set this option of the session, both by id or name. Can be repeated.")
    public List<String> config = new ArrayList<>();

    @Option(
            names = "--add-dir",
            paramLabel = "FOLDER",
            description = "Let the agent work in this folder, too. Can be repeated.")
    public List<String> addDir = new ArrayList<>();

    @Option(
            names = "--mcp",
            paramLabel = "NAME=COMMAND|URL",
            description = "Give the agent this MCP server: a command that it starts, or an address. Can be repeated.")
    public List<String> mcp = new ArrayList<>();

    @Option(
            names = "--mcp-config",
            paramLabel = "FILE",
            description =
                    "Give the agent the MCP servers of this file, such as .mcp.json. No file is read by itself. Can be repeated.")
    public List<Path> mcpConfig = new ArrayList<>();

    @Option(
            names = "--mcp-header",
            paramLabel = "NAME=HEADER: VALUE",
            description = "Send this header to the MCP server NAME; $${VARIABLE} in it is replaced. Can be repeated.")
    public List<String> mcpHeader = new ArrayList<>();

    private @Nullable McpConfig servers;

    /** Checks what can be checked before the agent is started. */
    public void check() {
        if (continues && resume != null) {
            throw new UsageException("--continue and --resume cannot be combined");
        }
        List<Path> unusedFolders = folders();
        Map<String, String> unusedSettings = settings();
        McpConfig unusedServers = servers();
    }

    /** Returns whether an earlier session is continued. */
    public boolean isEarlier() {
        return continues || resume != null;
    }

    /** Returns the additional folders, absolute. */
    public List<Path> folders() {
        List<Path> folders = new ArrayList<>();
        for (String name : addDir) {
            Path folder = SessionOptions.folder(name);
            if (!folders.contains(folder)) {
                folders.add(folder);
            }
        }
        return folders;
    }

    /** Returns the values of {@code --config} by the names of their options. */
    public Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        for (String setting : config) {
            int equals = setting.indexOf('=');
            if (equals < 1) {
                throw new UsageException("expected --config NAME=VALUE, got --config " + SafeText.line(setting));
            }
            settings.put(setting.substring(0, equals), setting.substring(equals + 1));
        }
        return settings;
    }

    /** Returns the MCP servers for the session. The files are read once. */
    public McpConfig servers() {
        McpConfig known = servers;
        if (known == null) {
            known = readServers();
            servers = known;
        }
        return known;
    }

    private McpConfig readServers() {
        try {
            McpConfig servers = McpConfig.empty();
            for (Path file : mcpConfig) {
                servers = servers.and(McpConfig.read(file));
            }
            for (String server : mcp) {
                servers = servers.with(server);
            }
            for (String header : mcpHeader) {
                int equals = header.indexOf('=');
                int colon = header.indexOf(':', equals + 1);
                if (equals < 1 || colon < 0) {
                    throw new UsageException("expected --mcp-header NAME=HEADER: VALUE");
                }
                servers = servers.withHeader(
                        header.substring(0, equals),
                        header.substring(equals + 1, colon).strip(),
                        McpConfig.expanded(header.substring(colon + 1).strip(), System.getenv()));
            }
            return servers;
        } catch (NoSuchFileException e) {
            throw new UsageException("there is no file " + SafeText.line(String.valueOf(e.getMessage())));
        } catch (IOException | IllegalArgumentException e) {
            throw new UsageException(SafeText.line(IoProblem.text(e)));
        }
    }
}
