package dev.acp4j.it.sidebyside;

import com.agentclientprotocol.sdk.client.AcpClient;
import com.agentclientprotocol.sdk.client.AcpSyncClient;
import com.agentclientprotocol.sdk.client.transport.AgentParameters;
import com.agentclientprotocol.sdk.client.transport.StdioAcpClientTransport;
import com.agentclientprotocol.sdk.spec.AcpSchema;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** {@link Acp4jClient}, written with the official Java SDK as its documentation says. */
final class JavaSdkClient {
    private static final Report REPORT = new Report();
    private static final CompletableFuture<AcpSyncClient> CLIENT = new CompletableFuture<>();

    private JavaSdkClient() {}

    /** Starts the agent of the arguments after the first, which is the time for a request in seconds. */
    public static void main(String[] args) {
        var parameters = AgentParameters.builder(args[1])
                .args(List.of(args).subList(2, args.length))
                .build();
        AcpSyncClient client = AcpClient.sync(new StdioAcpClientTransport(parameters))
                .requestTimeout(Duration.ofSeconds(Integer.parseInt(args[0])))
                .clientCapabilities(
                        new AcpSchema.ClientCapabilities(new AcpSchema.FileSystemCapability(true, false), false))
                .requestPermissionHandler(JavaSdkClient::permit)
                .readTextFileHandler(request -> new AcpSchema.ReadTextFileResponse("content of " + request.path()))
                .sessionUpdateConsumer(notification -> {
                    heard(notification.update());
                    obey(notification);
                })
                .build();
        CLIENT.complete(client);
        try {
            client.initialize();
            REPORT.step("connected", "");
            var session = client.newSession(
                    new AcpSchema.NewSessionRequest(Path.of("").toAbsolutePath().toString(), List.of()));
            REPORT.step("opened", "");
            prompt(client, session.sessionId(), "first");
            prompt(client, session.sessionId(), "second");
        } catch (RuntimeException e) {
            REPORT.failed(e);
        }
        client.close();
        REPORT.step("closed", "");
    }

    /** In a thread of its own, for the consumer must not block. */
    private static void obey(AcpSchema.SessionNotification notification) {
        if (notification.update() instanceof AcpSchema.AgentMessageChunk chunk
                && chunk.content() instanceof AcpSchema.TextContent content) {
            switch (content.text()) {
                case "cancel" ->
                    Thread.ofVirtual()
                            .start(() ->
                                    CLIENT.join().cancel(new AcpSchema.CancelNotification(notification.sessionId())));
                case "close" -> Thread.ofVirtual().start(() -> CLIENT.join().close());
                default -> {}
            }
        }
    }

    private static void prompt(AcpSyncClient client, String session, String text) {
        try {
            var answer = client.prompt(new AcpSchema.PromptRequest(session, List.of(new AcpSchema.TextContent(text))));
            REPORT.step("answered", answer.stopReason().name().toLowerCase(Locale.ROOT));
        } catch (RuntimeException e) {
            REPORT.failed(e);
        }
    }

    private static AcpSchema.RequestPermissionResponse permit(AcpSchema.RequestPermissionRequest request) {
        for (AcpSchema.PermissionOption option : request.options()) {
            if (option.kind() == AcpSchema.PermissionOptionKind.ALLOW_ONCE) {
                return new AcpSchema.RequestPermissionResponse(new AcpSchema.PermissionSelected(option.optionId()));
            }
        }
        return new AcpSchema.RequestPermissionResponse(new AcpSchema.PermissionCancelled());
    }

    private static void heard(AcpSchema.SessionUpdate update) {
        if (update instanceof AcpSchema.AgentMessageChunk chunk) {
            if (chunk.content() instanceof AcpSchema.TextContent content) {
                REPORT.heard(content.text());
            }
        } else if (update instanceof AcpSchema.ToolCall call) {
            REPORT.tool(call.toolCallId(), status(call.status()));
        } else if (update instanceof AcpSchema.ToolCallUpdateNotification change) {
            REPORT.tool(change.toolCallId(), status(change.status()));
        }
    }

    private static @Nullable String status(AcpSchema.@Nullable ToolCallStatus status) {
        return status == null ? null : status.name().toLowerCase(Locale.ROOT);
    }
}
