package dev.acp4j;

import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.SessionId;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What new, load and resume have in common, with paths checked. */
record SessionSetup(
        SessionId id, Path cwd, List<Path> additionalDirectories, List<McpServer> mcpServers, boolean isNew) {
    static Path absolute(String member, String text) {
        try {
            Path path = Path.of(text);
            if (path.isAbsolute()) {
                return path;
            }
        } catch (InvalidPathException e) {
            throw RpcError.invalidParams("params." + member + ": not a path: " + e.getReason());
        }
        throw RpcError.invalidParams("params." + member + ": expected an absolute path, got \"" + text + "\"");
    }

    static List<Path> absolute(List<String> directories) {
        List<Path> paths = new ArrayList<>();
        for (String directory : directories) {
            paths.add(absolute("additionalDirectories[" + paths.size() + "]", directory));
        }
        return List.copyOf(paths);
    }
}
