package dev.acp4j.examples;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.MemoryTransport;

/**
 * A method of one's own, beside the protocol's: its name begins with an underscore. Both sides here, joined in memory.
 */
final class ExtensionMethod {
    public static void main(String[] args) throws InterruptedException {
        var ends = MemoryTransport.pair();
        var agent = Agent.builder("extended", "1.0")
                .onPrompt(turn -> turn.message("hello"))
                .on(
                        "_example.com/shout",
                        (client, params) -> RawJson.parse(params.toString().toUpperCase(java.util.Locale.ROOT)))
                .build();
        try (var served = agent.connect(ends.left());
                var connected = Client.builder("caller", "1.0").connect(ends.right())) {
            System.out.println(connected.call("_example.com/shout", RawJson.parse("[\"loud\"]")));
            System.out.println("served by protocol version " + served.protocolVersion());
        }
    }
}
