package dev.acp4j.examples;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.testkit.ScriptedPeer;
import dev.acp4j.testkit.Transports;
import java.io.IOException;
import java.nio.file.Path;

/** The recipes for tests in docs/cookbook.md, which shows them as they stand here. */
final class TestRecipes {
    private TestRecipes() {}

    // recipe: test-agent
    static String answerOf(Agent agent, String question) throws InterruptedException {
        try (var ends = Transports.joined();
                var served = agent.connect(ends.agent());
                var client = Client.builder("test", "1.0").connect(ends.client());
                var session = client.newSession(Path.of("."))) {
            String answer = session.prompt(question).text();
            if (answer.isEmpty()) {
                throw new AssertionError("no answer; open: " + served.isOpen() + "\n" + ends.wire());
            }
            return answer;
        }
    }
    // end

    // recipe: script
    static String errorForAnUnknownSession(Agent agent) throws IOException, InterruptedException {
        try (var ends = Transports.joined();
                var served = agent.connect(ends.agent());
                var client = new ScriptedPeer(ends.client())) {
            client.request(1, "initialize", "{\"protocolVersion\":1}");
            client.expectResult(1);
            client.request(2, "session/prompt", "{\"sessionId\":\"none\",\"prompt\":[]}");
            return client.expectError(2) + " from version " + served.protocolVersion();
        }
    }
    // end
}
