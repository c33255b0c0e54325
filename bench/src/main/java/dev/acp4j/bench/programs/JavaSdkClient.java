package dev.acp4j.bench.programs;

import com.agentclientprotocol.sdk.client.AcpClient;
import com.agentclientprotocol.sdk.client.AcpSyncClient;
import com.agentclientprotocol.sdk.client.transport.AgentParameters;
import com.agentclientprotocol.sdk.client.transport.StdioAcpClientTransport;
import com.agentclientprotocol.sdk.spec.AcpSchema;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;

/** {@link HelloClient}, written with the official Java SDK as its documentation says. */
final class JavaSdkClient {
    private static final Semaphore HEARD = new Semaphore(0);

    private JavaSdkClient() {}

    /** Takes what {@link HelloClient} takes. */
    public static void main(String[] args) throws InterruptedException, IOException {
        var parameters = AgentParameters.builder(args[2])
                .args(List.of(args).subList(3, args.length))
                .build();
        AcpSyncClient client = AcpClient.sync(new StdioAcpClientTransport(parameters))
                .requestTimeout(Duration.ofSeconds(60))
                .sessionUpdateConsumer(notification -> heard(notification.update()))
                .build();
        client.initialize();
        String session = client.newSession(new AcpSchema.NewSessionRequest(
                        Path.of("").toAbsolutePath().toString(), List.of()))
                .sessionId();
        int expected = Integer.parseInt(args[1]) * 50;
        for (int turn = 0; turn < Integer.parseInt(args[0]); turn++) {
            prompt(client, session, "stream " + args[1]);
            HEARD.acquire(expected); // the answer may be here before them
            System.out.println(expected + HEARD.drainPermits());
        }
        prompt(client, session, "end");
        System.out.println("done");
        System.in.read();
        client.close();
    }

    private static void prompt(AcpSyncClient client, String session, String text) {
        client.prompt(new AcpSchema.PromptRequest(session, List.of(new AcpSchema.TextContent(text))));
    }

    private static void heard(AcpSchema.SessionUpdate update) {
        if (update instanceof AcpSchema.AgentMessageChunk chunk
                && chunk.content() instanceof AcpSchema.TextContent content) {
            HEARD.release(content.text().length());
        }
    }
}
