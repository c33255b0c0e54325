package dev.acp4j.it.sdk;

import com.agentclientprotocol.sdk.agent.AcpAgent;
import com.agentclientprotocol.sdk.agent.AcpSyncAgent;
import com.agentclientprotocol.sdk.agent.SyncPromptContext;
import com.agentclientprotocol.sdk.agent.transport.StdioAcpAgentTransport;
import com.agentclientprotocol.sdk.spec.AcpSchema;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * An agent of the Java SDK that obeys its prompt: {@code say A|B|…} in pieces, {@code plan A|B|…}, {@code tool TITLE},
 * {@code ask TITLE}, {@code read PATH}, {@code write PATH TEXT}, {@code wait} until cancelled. A session that is loaded
 * is replayed: one message of the user, one of the agent.
 */
public final class JavaSdkAgent {
    private static final Map<String, CompletableFuture<Boolean>> WAITING = new ConcurrentHashMap<>();
    private static final CompletableFuture<AcpSyncAgent> AGENT = new CompletableFuture<>();

    private JavaSdkAgent() {}

    /** Serves standard input and output. */
    public static void main(String[] args) {
        AcpSyncAgent agent = AcpAgent.sync(new StdioAcpAgentTransport())
                .initializeHandler(request -> AcpSchema.InitializeResponse.ok(new AcpSchema.AgentCapabilities(
                        true, new AcpSchema.McpCapabilities(), new AcpSchema.PromptCapabilities())))
                .newSessionHandler(request ->
                        new AcpSchema.NewSessionResponse(UUID.randomUUID().toString(), null, null))
                .loadSessionHandler(JavaSdkAgent::replay)
                .promptHandler(JavaSdkAgent::obey)
                .cancelHandler(cancel -> waiting(cancel.sessionId()).complete(true))
                .build();
        AGENT.complete(agent);
        agent.run();
    }

    private static AcpSchema.LoadSessionResponse replay(AcpSchema.LoadSessionRequest request) {
        AcpSyncAgent agent = AGENT.join();
        agent.sendSessionUpdate(
                request.sessionId(), new AcpSchema.UserMessageChunk("user_message_chunk", text("said before")));
        agent.sendSessionUpdate(
                request.sessionId(), new AcpSchema.AgentMessageChunk("agent_message_chunk", text("answered before")));
        return new AcpSchema.LoadSessionResponse(null, null);
    }

    private static AcpSchema.PromptResponse obey(AcpSchema.PromptRequest request, SyncPromptContext turn) {
        String[] words = request.text().split(" ", 2);
        switch (words[0]) {
            case "say" -> List.of(words[1].split("\\|")).forEach(turn::sendMessage);
            case "plan" -> {
                plan(turn, words[1], AcpSchema.PlanEntryStatus.PENDING);
                plan(turn, words[1], AcpSchema.PlanEntryStatus.COMPLETED);
            }
            case "tool" -> tool(turn, words[1]);
            case "ask" -> turn.sendMessage(ask(turn, words[1]));
            case "read" -> turn.sendMessage(turn.readFile(words[1]));
            case "write" -> {
                String[] parts = words[1].split(" ", 2);
                turn.writeFile(parts[0], parts[1]);
                turn.sendMessage("written");
            }
            case "wait" -> {
                turn.sendMessage("waiting");
                waiting(request.sessionId()).join();
                return new AcpSchema.PromptResponse(AcpSchema.StopReason.CANCELLED);
            }
            default -> throw new IllegalStateException("not a command: " + words[0]);
        }
        return AcpSchema.PromptResponse.endTurn();
    }

    private static CompletableFuture<Boolean> waiting(String session) {
        return WAITING.computeIfAbsent(session, id -> new CompletableFuture<>());
    }

    private static void plan(SyncPromptContext turn, String steps, AcpSchema.PlanEntryStatus status) {
        List<AcpSchema.PlanEntry> entries = List.of(steps.split("\\|")).stream()
                .map(step -> new AcpSchema.PlanEntry(step, AcpSchema.PlanEntryPriority.HIGH, status))
                .toList();
        turn.sendUpdate(turn.getSessionId(), new AcpSchema.Plan("plan", entries));
    }

    private static void tool(SyncPromptContext turn, String title) {
        turn.sendUpdate(
                turn.getSessionId(),
                new AcpSchema.ToolCall(
                        "tool_call",
                        "call-1",
                        title,
                        AcpSchema.ToolKind.EDIT,
                        AcpSchema.ToolCallStatus.PENDING,
                        List.of(),
                        List.of(new AcpSchema.ToolCallLocation("/file.txt", 3)),
                        Map.of("number", 1),
                        null,
                        null));
        update(turn, AcpSchema.ToolCallStatus.IN_PROGRESS, null);
        update(
                turn,
                AcpSchema.ToolCallStatus.COMPLETED,
                List.of(
                        new AcpSchema.ToolCallContentBlock("content", text("done")),
                        new AcpSchema.ToolCallDiff("diff", "/file.txt", "old", "new")));
    }

    private static void update(
            SyncPromptContext turn,
            AcpSchema.ToolCallStatus status,
            @Nullable List<AcpSchema.ToolCallContent> content) {
        turn.sendUpdate(
                turn.getSessionId(),
                new AcpSchema.ToolCallUpdateNotification(
                        "tool_call_update", "call-1", null, null, status, content, null, null, null, null));
    }

    private static String ask(SyncPromptContext turn, String title) {
        AcpSchema.ToolCallUpdate call = new AcpSchema.ToolCallUpdate(
                "call-2",
                title,
                AcpSchema.ToolKind.EDIT,
                AcpSchema.ToolCallStatus.PENDING,
                List.of(new AcpSchema.ToolCallContentBlock("content", text("why"))),
                null,
                null,
                null);
        AcpSchema.RequestPermissionResponse answer = turn.requestPermission(new AcpSchema.RequestPermissionRequest(
                turn.getSessionId(),
                call,
                List.of(
                        new AcpSchema.PermissionOption("yes", "Yes", AcpSchema.PermissionOptionKind.ALLOW_ONCE),
                        new AcpSchema.PermissionOption("no", "No", AcpSchema.PermissionOptionKind.REJECT_ONCE))));
        return answer.outcome() instanceof AcpSchema.PermissionSelected selected ? selected.optionId() : "cancelled";
    }

    private static AcpSchema.TextContent text(String text) {
        return new AcpSchema.TextContent(text);
    }
}
