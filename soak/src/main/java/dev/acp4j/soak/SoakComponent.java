package dev.acp4j.soak;

import dev.acp4j.Stdio;
import dev.acp4j.proxies.MessageLog;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.proxy.SessionState;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.ClientMethods;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/** The components of the chain under load, as programs. None changes what passes. */
final class SoakComponent {
    private SoakComponent() {}

    /** Serves {@code nothing}, {@code looking} or {@code log FILE} on standard input and output. */
    public static void main(String[] args) throws IOException, InterruptedException {
        switch (args[0]) {
            case "nothing" -> Proxy.builder("nothing", "1").build().serve(Stdio.system());
            case "looking" -> looking().serve(Stdio.system());
            case "log" -> {
                try (MessageLog log =
                        MessageLog.builder(Path.of(args[1])).everything().open()) {
                    log.proxy().serve(Stdio.system());
                }
            }
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    /** Decodes what passes in both directions, counts it for each session, and forwards it. */
    private static Proxy looking() {
        SessionState<AtomicLong> seen = SessionState.of(opening -> new AtomicLong());
        return Proxy.builder("looking", "1")
                .state(seen)
                .onPrompt((prompt, hop) -> {
                    hop.state(seen).incrementAndGet();
                    return hop.forward(prompt);
                })
                .onNotification(ClientMethods.UPDATE, (update, hop) -> {
                    hop.state(seen).incrementAndGet();
                    hop.forward(update);
                })
                .onNotification(AgentMethods.CANCEL, (cancel, hop) -> hop.forward(cancel))
                .onRequest(ClientMethods.REQUEST_PERMISSION, (question, hop) -> hop.forward(question))
                .onRequest(ClientMethods.READ_TEXT_FILE, (file, hop) -> hop.forward(file))
                .build();
    }
}
