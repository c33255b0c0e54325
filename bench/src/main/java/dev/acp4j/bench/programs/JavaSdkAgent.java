package dev.acp4j.bench.programs;

import com.agentclientprotocol.sdk.agent.AcpAgent;
import com.agentclientprotocol.sdk.agent.SyncPromptContext;
import com.agentclientprotocol.sdk.agent.transport.StdioAcpAgentTransport;
import com.agentclientprotocol.sdk.spec.AcpSchema;
import java.util.concurrent.atomic.AtomicInteger;

/** {@link HelloAgent}, written with the official Java SDK as its documentation says. */
final class JavaSdkAgent {
    private static final String PIECE = "The quick brown fox jumps over the lazy dog again.";
    private static final String LINE = "A line of a file that has the usual number of characters.\n";
    private static final AtomicInteger SESSIONS = new AtomicInteger();

    private JavaSdkAgent() {}

    /** Serves standard input and output. */
    public static void main(String[] args) {
        AcpAgent.sync(new StdioAcpAgentTransport())
                .initializeHandler(request -> AcpSchema.InitializeResponse.ok())
                .newSessionHandler(
                        request -> new AcpSchema.NewSessionResponse("s" + SESSIONS.incrementAndGet(), null, null))
                .promptHandler(JavaSdkAgent::obey)
                .build()
                .run();
    }

    private static AcpSchema.PromptResponse obey(AcpSchema.PromptRequest request, SyncPromptContext turn) {
        String text = request.text();
        int space = text.indexOf(' ');
        switch (space < 0 ? text : text.substring(0, space)) {
            case "stream" -> {
                for (int left = number(text, space); left > 0; left--) {
                    turn.sendMessage(PIECE);
                }
            }
            case "read" -> {
                for (int left = number(text, space); left > 0; left--) {
                    turn.readFile("/home/file.txt");
                }
            }
            case "write" -> turn.writeFile("/home/file.txt", LINE.repeat(number(text, space) / LINE.length()));
            case "take" -> turn.sendMessage(String.valueOf(text.length()));
            default -> turn.sendMessage(PIECE);
        }
        return AcpSchema.PromptResponse.endTurn();
    }

    private static int number(String text, int space) {
        return Integer.parseInt(text.substring(space + 1));
    }
}
