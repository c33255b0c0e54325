package dev.acp4j.testkit;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.Client;
import dev.acp4j.Session;
import dev.acp4j.rpc.RpcError;
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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The test client's terminals: scripted commands that run nothing. The lock guards all fields. */
final class TestTerminals implements Client.TerminalHandler {
    private record Script(String output, @Nullable Integer exitCode) {}

    private static final class Terminal {
        final Session session;
        final String output;

        @Nullable
        TerminalExitStatus exit;

        Terminal(Session session, Script script) {
            this.session = session;
            this.output = script.output;
            this.exit = script.exitCode == null ? null : TerminalExitStatus.exited(script.exitCode);
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private final Map<String, Script> scripts = new HashMap<>();

    @GuardedBy("lock")
    private final Map<TerminalId, Terminal> terminals = new LinkedHashMap<>();

    @GuardedBy("lock")
    private final List<String> started = new ArrayList<>();

    void script(String line, String output, @Nullable Integer exitCode) {
        lock.lock();
        try {
            scripts.put(line, new Script(output, exitCode));
        } finally {
            lock.unlock();
        }
    }

    List<String> started() {
        lock.lock();
        try {
            return List.copyOf(started);
        } finally {
            lock.unlock();
        }
    }

    void awaitNoneOpen() throws InterruptedException {
        lock.lock();
        try {
            while (!terminals.isEmpty()) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    int open() {
        lock.lock();
        try {
            return terminals.size();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public CreateTerminalResponse create(Session session, CreateTerminalRequest request) {
        List<String> words = new ArrayList<>(List.of(request.command()));
        words.addAll(request.args());
        String line = String.join(" ", words);
        lock.lock();
        try {
            started.add(line);
            TerminalId id = TerminalId.of("terminal-" + started.size());
            Script unknown = new Script(request.command() + ": command not found\n", 127);
            terminals.put(id, new Terminal(session, scripts.getOrDefault(line, unknown)));
            return CreateTerminalResponse.of(id);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public TerminalOutputResponse output(Session session, TerminalOutputRequest request) {
        lock.lock();
        try {
            Terminal terminal = terminal(request.terminalId());
            return TerminalOutputResponse.builder(terminal.output, false)
                    .exitStatus(terminal.exit)
                    .build();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public WaitForTerminalExitResponse waitForExit(Session session, WaitForTerminalExitRequest request)
            throws InterruptedException {
        lock.lock();
        try {
            @Nullable TerminalExitStatus exit = terminal(request.terminalId()).exit;
            while (exit == null) {
                changed.await();
                exit = terminal(request.terminalId()).exit;
            }
            return WaitForTerminalExitResponse.of(exit);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void kill(Session session, KillTerminalRequest request) {
        lock.lock();
        try {
            end(terminal(request.terminalId()));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void release(Session session, ReleaseTerminalRequest request) {
        lock.lock();
        try {
            end(terminal(request.terminalId()));
            terminals.remove(request.terminalId());
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void sessionEnded(Session session) {
        lock.lock();
        try {
            terminals.values().removeIf(terminal -> terminal.session.equals(session));
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void end(Terminal terminal) {
        if (terminal.exit == null) {
            terminal.exit = TerminalExitStatus.killed("SIGKILL");
            changed.signalAll();
        }
    }

    @GuardedBy("lock")
    private Terminal terminal(TerminalId id) {
        Terminal terminal = terminals.get(id);
        if (terminal == null) {
            throw RpcError.resourceNotFound("there is no terminal " + id);
        }
        return terminal;
    }
}
