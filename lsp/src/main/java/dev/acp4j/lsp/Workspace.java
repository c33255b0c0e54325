package dev.acp4j.lsp;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Some folders with the servers for them. Sessions with the same folders share it. */
final class Workspace {
    private final List<Path> folders;
    private final Contents contents;
    private final List<RunningServer> servers = new ArrayList<>();

    /**
     * Creates it; nothing is started yet.
     *
     * @param folders the folders of the session, its working directory first
     * @throws IOException when one of them does not exist
     */
    Workspace(List<Path> folders, List<LanguageServer> known, LanguageTools.Settings settings) throws IOException {
        List<Path> real = new ArrayList<>();
        for (Path folder : folders) {
            real.add(folder.toRealPath());
        }
        this.folders = List.copyOf(real);
        this.contents = new Contents(this.folders);
        for (LanguageServer server : known) {
            servers.add(new RunningServer(server, settings, this.folders, contents));
        }
    }

    Contents contents() {
        return contents;
    }

    /**
     * Returns the server for a file.
     *
     * @throws IllegalArgumentException when there is none
     */
    RunningServer server(Path file) {
        return servers.stream()
                .filter(one -> one.server().identifier(file) != null)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no language server is configured for "
                        + file.getFileName() + "; there are "
                        + String.join(
                                ", ",
                                servers.stream()
                                        .map(one -> one.server().toString())
                                        .toList())));
    }

    /** Returns the servers that run, or ran before. */
    List<RunningServer> started() {
        return servers.stream().filter(RunningServer::isStarted).toList();
    }

    /** Returns the servers for which there are files. */
    List<RunningServer> withFiles() {
        return servers.stream()
                .filter(one -> one.isStarted()
                        || !new FolderScan(folders)
                                .look(file -> one.server().identifier(file) != null)
                                .isEmpty())
                .toList();
    }

    boolean serves(Path file) {
        return servers.stream().anyMatch(one -> one.server().identifier(file) != null);
    }

    void beginClose() {
        servers.forEach(RunningServer::beginClose);
    }

    void awaitEnd() {
        servers.forEach(RunningServer::awaitEnd);
    }
}
