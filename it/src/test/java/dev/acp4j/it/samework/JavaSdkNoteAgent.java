package dev.acp4j.it.samework;

import com.agentclientprotocol.sdk.agent.AcpAgent;
import com.agentclientprotocol.sdk.agent.SyncPromptContext;
import com.agentclientprotocol.sdk.agent.transport.StdioAcpAgentTransport;
import com.agentclientprotocol.sdk.spec.AcpSchema;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** Writes what the user says into a file of the client, after asking. */
public final class JavaSdkNoteAgent {
    private static final Map<String, Path> FOLDERS = new ConcurrentHashMap<>();

    private JavaSdkNoteAgent() {}

    public static void main(String[] args) {
        AcpAgent.sync(new StdioAcpAgentTransport())
                .initializeHandler(request -> AcpSchema.InitializeResponse.ok())
                .newSessionHandler(request -> {
                    String id = UUID.randomUUID().toString();
                    FOLDERS.put(id, Path.of(request.cwd()));
                    return new AcpSchema.NewSessionResponse(id, null, null);
                })
                .promptHandler(JavaSdkNoteAgent::write)
                .build()
                .run();
    }

    @SuppressWarnings("NullAway")
    private static AcpSchema.PromptResponse write(AcpSchema.PromptRequest request, SyncPromptContext turn) {
        plan(turn, AcpSchema.PlanEntryStatus.IN_PROGRESS, AcpSchema.PlanEntryStatus.PENDING);
        turn.sendMessage("A note ");
        turn.sendMessage("is written. ");
        String file = FOLDERS.get(request.sessionId()).resolve("note.txt").toString();
        List<AcpSchema.ToolCallContent> content =
                List.of(new AcpSchema.ToolCallDiff("diff", file, null, request.text()));
        List<AcpSchema.ToolCallLocation> places = List.of(new AcpSchema.ToolCallLocation(file, null));
        turn.sendUpdate(
                turn.getSessionId(),
                new AcpSchema.ToolCall(
                        "tool_call",
                        "call-1",
                        "Write note.txt",
                        AcpSchema.ToolKind.EDIT,
                        AcpSchema.ToolCallStatus.PENDING,
                        content,
                        places,
                        null,
                        null,
                        null));
        if (!isAllowed(turn, content)) {
            status(turn, AcpSchema.ToolCallStatus.FAILED);
            turn.sendMessage("Not allowed.");
            return AcpSchema.PromptResponse.endTurn();
        }
        plan(turn, AcpSchema.PlanEntryStatus.COMPLETED, AcpSchema.PlanEntryStatus.IN_PROGRESS);
        status(turn, AcpSchema.ToolCallStatus.IN_PROGRESS);
        turn.writeFile(file, request.text());
        status(turn, AcpSchema.ToolCallStatus.COMPLETED);
        plan(turn, AcpSchema.PlanEntryStatus.COMPLETED, AcpSchema.PlanEntryStatus.COMPLETED);
        turn.sendMessage("Done.");
        return AcpSchema.PromptResponse.endTurn();
    }

    private static void plan(SyncPromptContext turn, AcpSchema.PlanEntryStatus ask, AcpSchema.PlanEntryStatus write) {
        turn.sendUpdate(
                turn.getSessionId(),
                new AcpSchema.Plan(
                        "plan",
                        List.of(
                                new AcpSchema.PlanEntry("Ask", AcpSchema.PlanEntryPriority.MEDIUM, ask),
                                new AcpSchema.PlanEntry("Write", AcpSchema.PlanEntryPriority.MEDIUM, write))));
    }

    private static void status(SyncPromptContext turn, AcpSchema.ToolCallStatus status) {
        turn.sendUpdate(
                turn.getSessionId(),
                new AcpSchema.ToolCallUpdateNotification(
                        "tool_call_update", "call-1", null, null, status, null, null, null, null, null));
    }

    private static boolean isAllowed(SyncPromptContext turn, List<AcpSchema.ToolCallContent> content) {
        AcpSchema.ToolCallUpdate call = new AcpSchema.ToolCallUpdate(
                "call-1", "Write note.txt", AcpSchema.ToolKind.EDIT, null, content, null, null, null);
        AcpSchema.RequestPermissionResponse answer = turn.requestPermission(new AcpSchema.RequestPermissionRequest(
                turn.getSessionId(),
                call,
                List.of(
                        new AcpSchema.PermissionOption("allow", "Allow", AcpSchema.PermissionOptionKind.ALLOW_ONCE),
                        new AcpSchema.PermissionOption(
                                "reject", "Reject", AcpSchema.PermissionOptionKind.REJECT_ONCE))));
        return answer.outcome() instanceof AcpSchema.PermissionSelected chosen
                && chosen.optionId().equals("allow");
    }
}
