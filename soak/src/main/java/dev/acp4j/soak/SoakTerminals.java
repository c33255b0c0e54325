package dev.acp4j.soak;

import dev.acp4j.Client;
import dev.acp4j.Session;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.CreateTerminalRequest;
import dev.acp4j.schema.CreateTerminalResponse;
import dev.acp4j.schema.KillTerminalRequest;
import dev.acp4j.schema.ReleaseTerminalRequest;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.TerminalExitStatus;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.TerminalOutputRequest;
import dev.acp4j.schema.TerminalOutputResponse;
import dev.acp4j.schema.WaitForTerminalExitRequest;
import dev.acp4j.schema.WaitForTerminalExitResponse;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Terminals that run nothing: only who has one, and whether all are freed. */
final class SoakTerminals implements Client.TerminalHandler {
    private record Open(SessionId session, String command) {}

    private final Run run;
    private final AtomicLong ids = new AtomicLong();
    private final Map<TerminalId, Open> open = new ConcurrentHashMap<>();

    SoakTerminals(Run run) {
        this.run = run;
    }

    @Override
    public CreateTerminalResponse create(Session session, CreateTerminalRequest request) {
        TerminalId id = TerminalId.of("terminal-" + ids.incrementAndGet());
        open.put(id, new Open(session.id(), request.command()));
        run.count("terminals");
        return CreateTerminalResponse.of(id);
    }

    @Override
    public TerminalOutputResponse output(Session session, TerminalOutputRequest request) {
        Open terminal = open.get(request.terminalId());
        if (terminal == null) {
            throw RpcError.invalidParams("no such terminal");
        }
        return TerminalOutputResponse.builder("output of " + terminal.command(), false)
                .build();
    }

    @Override
    public WaitForTerminalExitResponse waitForExit(Session session, WaitForTerminalExitRequest request) {
        Run.lag(1);
        return WaitForTerminalExitResponse.of(
                TerminalExitStatus.builder().exitCode(0L).build());
    }

    @Override
    public void kill(Session session, KillTerminalRequest request) {}

    @Override
    public void release(Session session, ReleaseTerminalRequest request) {
        open.remove(request.terminalId());
    }

    @Override
    public void sessionEnded(Session session) {
        open.values().removeIf(terminal -> terminal.session().equals(session.id()));
    }

    /** All sessions have ended: nobody has a terminal any more. */
    void expectNone() {
        if (!open.isEmpty()) {
            run.fault(open.size() + " terminals were never freed");
        }
    }
}
