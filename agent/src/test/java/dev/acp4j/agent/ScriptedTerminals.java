package dev.acp4j.agent;

import dev.acp4j.Client;
import dev.acp4j.Session;
import dev.acp4j.schema.CreateTerminalRequest;
import dev.acp4j.schema.CreateTerminalResponse;
import dev.acp4j.schema.KillTerminalRequest;
import dev.acp4j.schema.ReleaseTerminalRequest;
import dev.acp4j.schema.TerminalExitStatus;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.TerminalOutputRequest;
import dev.acp4j.schema.TerminalOutputResponse;
import dev.acp4j.schema.WaitForTerminalExitRequest;
import dev.acp4j.schema.WaitForTerminalExitResponse;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** Terminals of a client in which nothing runs: they have the same output, and end when they are told to. */
final class ScriptedTerminals implements Client.TerminalHandler {
    private final String output;
    private final List<CreateTerminalRequest> created = new CopyOnWriteArrayList<>();
    private final CountDownLatch waiting = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);

    ScriptedTerminals(String output) {
        this.output = output;
    }

    void end() {
        ended.countDown();
    }

    List<CreateTerminalRequest> created() {
        return created;
    }

    void awaitWaiting() throws InterruptedException {
        waiting.await();
    }

    void awaitReleased() throws InterruptedException {
        released.await();
    }

    @Override
    public CreateTerminalResponse create(Session session, CreateTerminalRequest request) {
        created.add(request);
        return CreateTerminalResponse.of(TerminalId.of("terminal-" + created.size()));
    }

    @Override
    public TerminalOutputResponse output(Session session, TerminalOutputRequest request) {
        return TerminalOutputResponse.builder(output, false).build();
    }

    @Override
    public WaitForTerminalExitResponse waitForExit(Session session, WaitForTerminalExitRequest request)
            throws InterruptedException {
        waiting.countDown();
        ended.await();
        return WaitForTerminalExitResponse.of(TerminalExitStatus.exited(0));
    }

    @Override
    public void kill(Session session, KillTerminalRequest request) {
        end();
    }

    @Override
    public void release(Session session, ReleaseTerminalRequest request) {
        end();
        released.countDown();
    }

    @Override
    public void sessionEnded(Session session) {
        end();
    }
}
