package dev.acp4j.examples;

import dev.acp4j.Client;
import dev.acp4j.process.Launch;
import dev.acp4j.rpc.Interceptor;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.PromptRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Adds a line to every prompt, and prints what goes over the wire in both directions. */
final class Interceptors {
    public static void main(String[] args) throws InterruptedException {
        var process = Launch.of(args[0], List.of(args).subList(1, args.length));
        var client = Client.builder("interceptors", "1.0")
                .changeOutgoing(AgentMethods.PROMPT, Interceptors::withRules)
                .interceptOutgoing(log("-->"))
                .interceptIncoming(log("<--"));
        try (var agent = client.connect(process)) {
            System.out.println(agent.newSession(Path.of(".")).prompt("Hello!").text());
        }
    }

    private static PromptRequest withRules(PromptRequest request) {
        List<ContentBlock> prompt = new ArrayList<>(request.prompt());
        prompt.add(ContentBlock.text("Answer in English."));
        return PromptRequest.of(request.sessionId(), prompt).withMeta(request.meta());
    }

    private static Interceptor log(String direction) {
        return (message, next) -> {
            System.out.println(direction + " " + message.kind() + " " + message.method());
            next.pass(message);
        };
    }
}
