package dev.acp4j.cli.proxy;

import dev.acp4j.cli.command.TrustedFiles;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.lsp.LanguageServer;
import dev.acp4j.lsp.LanguageServerConfig;
import dev.acp4j.lsp.LanguageTools;
import dev.acp4j.process.Launch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Consumer;

/** The language servers of a command line or a file, for {@link ReadyProxy#LSP}. */
final class LanguageProxy {
    /** What may stand before each server, too. */
    private static final String NAME = "server=";

    private LanguageProxy() {}

    static LanguageTools tools(ProxyOptions options, Consumer<String> onNotice) throws IOException {
        LanguageTools.Builder builder = LanguageTools.builder()
                .onNotice(onNotice)
                .in(Arrays.stream(options.list("in"))
                        .map(folder -> Path.of(folder).toAbsolutePath())
                        .toArray(Path[]::new));
        for (String server : options.list("server")) {
            builder.server(found(server(server.startsWith(NAME) ? server.substring(NAME.length()) : server, options)));
        }
        if (options.text("config") != null) {
            Path file = options.file("config");
            if (TrustedFiles.isOfProject(file)) {
                throw options.wrong(
                        "starts nothing that a file of a repository names: " + SafeText.line(file.toString())
                                + ". Move it to a folder of your own, or name the servers with server=LANGUAGE=COMMAND");
            }
            for (LanguageServer server : LanguageServerConfig.read(file)) {
                builder.server(found(server));
            }
        }
        if (options.list("server").length == 0 && options.text("config") == null) {
            throw options.wrong("needs servers: server=LANGUAGE=COMMAND,... or config=FILE");
        }
        return builder.build();
    }

    private static LanguageServer server(String text, ProxyOptions options) {
        int middle = text.indexOf('=');
        if (middle < 1 || middle == text.length() - 1) {
            throw options.wrong("expects server=LANGUAGE=COMMAND, got " + SafeText.line(text));
        }
        return LanguageServer.of(text.substring(0, middle), Launch.parse(text.substring(middle + 1)));
    }

    /** A missing program is said now, and not when an agent wants to know something. */
    private static LanguageServer found(LanguageServer server) throws IOException {
        try {
            server.launch().resolve();
            return server;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(
                    "interrupted while looking for " + server.launch().command(), e);
        }
    }
}
