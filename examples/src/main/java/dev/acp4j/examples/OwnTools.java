package dev.acp4j.examples;

import dev.acp4j.Client;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.SessionSetup;
import dev.acp4j.mcp.ToolServer;
import dev.acp4j.process.Launch;
import java.nio.file.Path;
import java.util.List;

/** A client that offers a tool of its own to an agent. */
final class OwnTools {
    private OwnTools() {}

    record Person(String name) {}

    public static void main(String[] args) throws Exception {
        var command = List.of(args).subList(1, args.length);
        var client = Client.builder("own-tools", "1.0").onPermission(PermissionQuestion::allowOnce);
        // recipe: tools
        var own = ToolServer.builder("own", "1.0")
                .tool("greet", "Greets a person", Person.class, (person, call) -> "Hello, " + person.name() + "!")
                .build();
        try (var agent = ToolServer.addTo(client, own).connect(Launch.of(args[0], command))) {
            var setup = SessionSetup.in(Path.of("")).withMcpServers(List.of(own.declaration()));
            System.out.println(agent.newSession(setup)
                    .prompt("own__greet {\"name\": \"Ada\"}")
                    .text());
        }
        // end
    }
}
