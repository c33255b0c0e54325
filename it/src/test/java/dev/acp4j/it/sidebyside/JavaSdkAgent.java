package dev.acp4j.it.sidebyside;

import com.agentclientprotocol.sdk.agent.AcpAgent;
import com.agentclientprotocol.sdk.agent.SyncPromptContext;
import com.agentclientprotocol.sdk.agent.transport.StdioAcpAgentTransport;
import com.agentclientprotocol.sdk.spec.AcpSchema;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** {@link Acp4jAgent}, written with the official Java SDK as its documentation says. */
final class JavaSdkAgent {
    private static final Map<String, CompletableFuture<Boolean>> WAITING = new ConcurrentHashMap<>();

    private JavaSdkAgent() {}

    /** Serves standard input and output. */
    public static void main(String[] args) {
        AcpAgent.sync(new StdioAcpAgentTransport())
                .initializeHandler(request -> AcpSchema.InitializeResponse.ok())
                .newSessionHandler(request ->
                        new AcpSchema.NewSessionResponse(UUID.randomUUID().toString(), null, null))
                .promptHandler(JavaSdkAgent::obey)
                .cancelHandler(cancel -> {
                    CompletableFuture<Boolean> waiting = WAITING.remove(cancel.sessionId());
                    if (waiting != null) {
                        waiting.complete(true);
                    }
                })
                .build()
                .run();
    }

    private static AcpSchema.PromptResponse obey(AcpSchema.PromptRequest request, SyncPromptContext turn) {
        String[] words = request.text().split(" ", 2);
        switch (words[0]) {
            case "say" -> turn.sendMessage(words[1]);
            case "size" -> turn.sendMessage(String.valueOf(words[1].length()));
            case "stream" -> {
                for (int i = 0; i < Integer.parseInt(words[1]); i++) {
                    turn.sendMessage(i + " ");
                }
            }
            case "fill" -> {
                for (int i = 0; i < Integer.parseInt(words[1]); i++) {
                    turn.sendMessage("x".repeat(10_000));
                }
            }
            case "ask" -> turn.sendMessage(turn.askPermission("Edit") ? "allowed" : "rejected");
            case "read" -> turn.sendMessage(turn.readFile(words[1]));
            case "wait" -> {
                await(request.sessionId(), turn);
                return new AcpSchema.PromptResponse(AcpSchema.StopReason.CANCELLED);
            }
            case "print" -> {
                System.out.println(words[1]);
                turn.sendMessage("printed");
            }
            default -> throw new IllegalStateException("secret of the inside");
        }
        return AcpSchema.PromptResponse.endTurn();
    }

    private static void await(String session, SyncPromptContext turn) {
        CompletableFuture<Boolean> waiting = new CompletableFuture<>();
        WAITING.put(session, waiting);
        turn.sendMessage("waiting");
        waiting.join();
    }
}
