package dev.acp4j.it.samework;

import com.agentclientprotocol.sdk.client.AcpClient;
import com.agentclientprotocol.sdk.client.AcpSyncClient;
import com.agentclientprotocol.sdk.client.transport.AgentParameters;
import com.agentclientprotocol.sdk.client.transport.StdioAcpClientTransport;
import com.agentclientprotocol.sdk.spec.AcpSchema;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Prompts an agent once, allows what it asks, and prints what it does. Takes a folder and the agent's command. */
public final class JavaSdkNoteClient {
    private static final Map<String, String> TITLES = new ConcurrentHashMap<>();

    private JavaSdkNoteClient() {}

    public static void main(String[] args) {
        var parameters = AgentParameters.builder(args[1])
                .args(List.of(args).subList(2, args.length))
                .build();
        AcpSyncClient client = AcpClient.sync(new StdioAcpClientTransport(parameters))
                .clientCapabilities(
                        new AcpSchema.ClientCapabilities(new AcpSchema.FileSystemCapability(false, true), false))
                .requestPermissionHandler(JavaSdkNoteClient::allow)
                .writeTextFileHandler(JavaSdkNoteClient::write)
                .sessionUpdateConsumer(notification -> print(notification.update()))
                .build();
        client.initialize();
        String session = client.newSession(new AcpSchema.NewSessionRequest(args[0], List.of()))
                .sessionId();
        AcpSchema.PromptResponse end =
                client.prompt(new AcpSchema.PromptRequest(session, List.of(new AcpSchema.TextContent("Buy milk"))));
        System.out.println(end.stopReason().name().toLowerCase(Locale.ROOT));
        client.close();
    }

    private static AcpSchema.RequestPermissionResponse allow(AcpSchema.RequestPermissionRequest request) {
        for (AcpSchema.PermissionOption option : request.options()) {
            if (option.kind() == AcpSchema.PermissionOptionKind.ALLOW_ONCE) {
                return new AcpSchema.RequestPermissionResponse(new AcpSchema.PermissionSelected(option.optionId()));
            }
        }
        return new AcpSchema.RequestPermissionResponse(new AcpSchema.PermissionCancelled());
    }

    private static AcpSchema.WriteTextFileResponse write(AcpSchema.WriteTextFileRequest request) {
        try {
            Files.writeString(Path.of(request.path()), request.content());
            return new AcpSchema.WriteTextFileResponse();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void print(AcpSchema.SessionUpdate update) {
        switch (update) {
            case AcpSchema.AgentMessageChunk piece
            when piece.content() instanceof AcpSchema.TextContent text -> System.out.println(text.text());
            case AcpSchema.ToolCall call -> {
                TITLES.put(call.toolCallId(), call.title());
                System.out.println(call.title() + " " + lower(call.status()));
            }
            case AcpSchema.ToolCallUpdateNotification change
            when change.status() != null ->
                System.out.println(TITLES.get(change.toolCallId()) + " " + lower(change.status()));
            case AcpSchema.Plan plan ->
                plan.entries().forEach(task -> System.out.println(task.content() + " " + lower(task.status())));
            default -> {}
        }
    }

    private static String lower(@Nullable Enum<?> value) {
        return value == null ? "pending" : value.name().toLowerCase(Locale.ROOT);
    }
}
