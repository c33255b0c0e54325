package dev.acp4j.examples;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.ToolCall;
import dev.acp4j.schema.ToolCallId;
import java.nio.file.Path;

/** Reads from the extension data of a tool call to which trace it belongs. Both sides here, joined in memory. */
final class TraceToolCalls {
    private static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    public static void main(String[] args) throws InterruptedException {
        var ends = MemoryTransport.pair();
        var agent = Agent.builder("traced", "1.0")
                .onPrompt(turn -> turn.toolCall(ToolCall.builder(ToolCallId.of("1"), "Search")
                                .meta(Meta.of(Meta.TRACEPARENT, TRACE))
                                .build())
                        .complete())
                .build();
        try (var served = agent.connect(ends.left());
                var connected = Client.builder("tracing", "1.0").connect(ends.right());
                var session = connected.newSession(Path.of("."))) {
            var result = session.prompt("Go!").result();
            for (var call : session.view().toolCalls()) {
                System.out.println(
                        call.title() + ": " + call.meta().get(Meta.TRACEPARENT).orElse("no trace"));
            }
            System.out.println(result.stopReason() + ", by protocol version " + served.protocolVersion());
        }
    }
}
