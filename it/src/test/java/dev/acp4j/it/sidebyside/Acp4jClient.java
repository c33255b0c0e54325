package dev.acp4j.it.sidebyside;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.process.Launch;
import dev.acp4j.schema.ToolCallStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A client written with acp4j: asks the agent that its arguments start twice, and tells what it heard. */
final class Acp4jClient {
    private static final Report REPORT = new Report();

    private Acp4jClient() {}

    /** Starts the agent of the arguments after the first, which is the time for its start in seconds. */
    public static void main(String[] args) throws InterruptedException {
        Client client = Client.builder("subject", "1")
                .startTimeout(Duration.ofSeconds(Integer.parseInt(args[0])))
                .onPermission(PermissionQuestion::allowOnce)
                .onReadTextFile((session, request) -> "content of " + request.path())
                .onEvent(Acp4jClient::heard)
                .build();
        try (ConnectedAgent agent =
                client.connect(Launch.of(args[1], List.of(args).subList(2, args.length)))) {
            REPORT.step("connected", "");
            Session session = agent.newSession(Path.of("").toAbsolutePath());
            REPORT.step("opened", "");
            prompt(session, "first");
            prompt(session, "second");
        } catch (RuntimeException e) {
            REPORT.failed(e);
        }
        REPORT.step("closed", "");
    }

    private static void prompt(Session session, String text) throws InterruptedException {
        try {
            REPORT.step("answered", session.prompt(text).result().stopReason().value());
        } catch (RuntimeException e) {
            REPORT.failed(e);
        }
    }

    private static void heard(Session session, SessionEvent event) {
        if (event instanceof SessionEvent.Message message) {
            REPORT.heard(message.text());
            switch (message.text()) {
                case "cancel" -> session.cancel();
                case "close" -> Thread.ofVirtual().start(session.agent()::close);
                default -> {}
            }
        } else if (event instanceof SessionEvent.ToolCallChanged changed) {
            ToolCallStatus status = changed.call().status();
            REPORT.tool(changed.call().id().value(), status == null ? null : status.value());
        }
    }
}
