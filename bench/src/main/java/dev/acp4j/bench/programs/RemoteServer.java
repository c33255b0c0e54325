package dev.acp4j.bench.programs;

import dev.acp4j.Agent;
import dev.acp4j.AgentTurn;
import dev.acp4j.http.Authenticator;
import dev.acp4j.http.Http;
import dev.acp4j.http.HttpServer;
import dev.acp4j.http.RunningServer;
import dev.acp4j.http.ServerLimits;
import dev.acp4j.http.Tls;
import java.io.File;
import java.security.KeyStore;
import java.util.concurrent.CountDownLatch;

/** An agent that is served over HTTP by acp4j. It does what the prompt says; {@link FloorRemoteServer} has the list. */
final class RemoteServer {
    private static final int MANY = 100_000;

    private RemoteServer() {}

    /**
     * Serves until the end of standard input.
     *
     * @param args the file of keys for TLS and its password, or nothing
     */
    public static void main(String[] args) throws Exception {
        // As an agent for many clients does that asks a model elsewhere. Not the default.
        Agent agent = Agent.builder("remote", "1")
                .virtualThreads(true)
                .onPrompt(RemoteServer::obey)
                .build();
        HttpServer server = Http.on(0)
                .authenticator(Authenticator.none())
                .limits(ServerLimits.STANDARD.withConnections(MANY, MANY).withStreams(MANY, 64));
        if (args.length == 2) {
            KeyStore keys = KeyStore.getInstance(new File(args[0]), args[1].toCharArray());
            server = server.tls(Tls.of(keys, args[1]));
        }
        try (RunningServer running = server.start(agent::connect)) {
            Remote.control(running.uri().getPort());
        }
    }

    private static void obey(AgentTurn turn) throws InterruptedException {
        Remote.Task task = Remote.Task.of(turn.text());
        if (task.millis() == 0) {
            for (int i = 0; i < task.updates(); i++) {
                turn.message(task.text(i));
            }
            return;
        }
        CountDownLatch done = new CountDownLatch(1);
        Remote.paced(task, i -> turn.message(task.text(i)), done::countDown);
        done.await();
    }
}
