package dev.acp4j.it.sdk;

import com.agentclientprotocol.sdk.client.AcpClient;
import com.agentclientprotocol.sdk.client.AcpSyncClient;
import com.agentclientprotocol.sdk.client.transport.AgentParameters;
import com.agentclientprotocol.sdk.client.transport.StdioAcpClientTransport;
import com.agentclientprotocol.sdk.spec.AcpSchema;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/** A client of the Java SDK: leads the test agent, a child, through each kind of turn, and prints its steps. */
public final class JavaSdkClient {
    private static final Heard HEARD = new Heard();

    private static volatile boolean allows = true;

    private JavaSdkClient() {}

    /** Takes the folder of the session, then the command of the agent. */
    public static void main(String[] args) throws Exception {
        var parameters = AgentParameters.builder(args[1])
                .args(List.of(args).subList(2, args.length))
                .build();
        AcpSyncClient client = AcpClient.sync(new StdioAcpClientTransport(parameters))
                .requestTimeout(Duration.ofSeconds(60))
                .clientCapabilities(
                        new AcpSchema.ClientCapabilities(new AcpSchema.FileSystemCapability(true, true), false))
                .requestPermissionHandler(JavaSdkClient::permit)
                .readTextFileHandler(request -> new AcpSchema.ReadTextFileResponse(read(Path.of(request.path()))))
                .writeTextFileHandler(request -> write(Path.of(request.path()), request.content()))
                .sessionUpdateConsumer(notification -> heard(notification.update()))
                .build();
        HEARD.step("initialize", String.valueOf(client.initialize().protocolVersion()), List.of());
        String session = client.newSession(new AcpSchema.NewSessionRequest(args[0], List.of()))
                .sessionId();
        HEARD.step("new", session, List.of("commands"));
        turns(client, session, Path.of(args[0]));
        cancel(client, session);
        client.loadSession(new AcpSchema.LoadSessionRequest(session, args[0], List.of()));
        HEARD.step("load", "", List.of("user stream 3", "user ask Refused"));
        client.close();
        HEARD.step("closed", "", List.of());
    }

    private static void turns(AcpSyncClient client, String session, Path folder) throws InterruptedException {
        turn("say", client, session, "stream 3", List.of("message 0 ", "message 1 ", "message 2 "));
        turn("plan", client, session, "plan one,two", List.of("plan one completed, two completed"));
        List<String> tools = new ArrayList<>(Collections.nCopies(10, "status completed"));
        tools.addAll(Collections.nCopies(10, "content working"));
        tools.addAll(Collections.nCopies(10, "diff old -> new"));
        turn("tool", client, session, "kinds", tools);
        turn("allowed", client, session, "ask Allowed", List.of("message allowed", "status completed"));
        allows = false;
        turn("refused", client, session, "ask Refused", List.of("message rejected", "status failed"));
        turn("read", client, session, "read " + folder.resolve("old.txt"), List.of("message one two"));
        turn("write", client, session, "write " + folder.resolve("new.txt") + " three", List.of("message written"));
    }

    private static void turn(String name, AcpSyncClient client, String session, String text, List<String> wanted)
            throws InterruptedException {
        HEARD.step(name, prompt(client, session, text), wanted);
    }

    private static String prompt(AcpSyncClient client, String session, String text) {
        return client.prompt(new AcpSchema.PromptRequest(session, List.of(new AcpSchema.TextContent(text))))
                .stopReason()
                .name();
    }

    private static void cancel(AcpSyncClient client, String session) throws Exception {
        FutureTask<String> turn = new FutureTask<>(() -> prompt(client, session, "say waiting\nwait"));
        Thread.ofPlatform().start(turn);
        HEARD.await("message waiting");
        client.cancel(new AcpSchema.CancelNotification(session));
        HEARD.step("cancel", turn.get(), List.of());
    }

    private static AcpSchema.RequestPermissionResponse permit(AcpSchema.RequestPermissionRequest request) {
        AcpSchema.PermissionOptionKind kind =
                allows ? AcpSchema.PermissionOptionKind.ALLOW_ONCE : AcpSchema.PermissionOptionKind.REJECT_ONCE;
        for (AcpSchema.PermissionOption option : request.options()) {
            if (option.kind() == kind) {
                return new AcpSchema.RequestPermissionResponse(new AcpSchema.PermissionSelected(option.optionId()));
            }
        }
        return new AcpSchema.RequestPermissionResponse(new AcpSchema.PermissionCancelled());
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static AcpSchema.WriteTextFileResponse write(Path file, String text) {
        try {
            Files.writeString(file, text);
            return new AcpSchema.WriteTextFileResponse();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void heard(AcpSchema.SessionUpdate update) {
        if (update instanceof AcpSchema.AgentMessageChunk piece) {
            HEARD.add("message " + text(piece.content()));
        } else if (update instanceof AcpSchema.UserMessageChunk piece) {
            HEARD.add("user " + text(piece.content()));
        } else if (update instanceof AcpSchema.Plan plan) {
            HEARD.add("plan "
                    + String.join(
                            ", ",
                            plan.entries().stream()
                                    .map(entry -> entry.content() + " " + lower(entry.status()))
                                    .toList()));
        } else if (update instanceof AcpSchema.ToolCall call) {
            HEARD.add("tool " + call.title());
            tool(call.status(), call.content());
        } else if (update instanceof AcpSchema.ToolCallUpdateNotification change) {
            tool(change.status(), change.content());
        } else if (update instanceof AcpSchema.AvailableCommandsUpdate) {
            HEARD.add("commands");
        }
    }

    private static void tool(
            AcpSchema.@Nullable ToolCallStatus status, @Nullable List<AcpSchema.ToolCallContent> content) {
        if (status != null) {
            HEARD.add("status " + lower(status));
        }
        if (content == null) {
            return;
        }
        for (AcpSchema.ToolCallContent part : content) {
            if (part instanceof AcpSchema.ToolCallContentBlock block) {
                HEARD.add("content " + text(block.content()));
            } else if (part instanceof AcpSchema.ToolCallDiff diff) {
                HEARD.add("diff " + diff.oldText().strip() + " -> "
                        + diff.newText().strip());
            }
        }
    }

    private static String text(AcpSchema.ContentBlock block) {
        return block instanceof AcpSchema.TextContent text ? text.text() : block.toString();
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
