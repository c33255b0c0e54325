package dev.acp4j.it;

import dev.acp4j.schema.EnvVariable;
import dev.acp4j.schema.McpServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A program that is a client of MCP. Its last arguments say how its server is reached. */
final class McpClientProcess {
    private McpClientProcess() {}

    static Process start(List<String> program, McpServer server) throws IOException {
        List<String> command = new ArrayList<>(program);
        ProcessBuilder builder = new ProcessBuilder();
        if (server instanceof McpServer.Http http) {
            command.addAll(List.of("http", http.url(), http.headers().getFirst().value()));
        } else if (server instanceof McpServer.Stdio stdio) {
            command.addAll(List.of("stdio", stdio.command()));
            command.addAll(stdio.args());
            for (EnvVariable variable : stdio.env()) {
                builder.environment().put(variable.name(), variable.value());
            }
        }
        return builder.command(command).redirectErrorStream(true).start();
    }

    /** Returns what a program says until it ends. */
    static String output(Process process) throws IOException, InterruptedException {
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return text;
    }
}
