package dev.acp4j.cli.serve;

import dev.acp4j.cli.terminal.Streams;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** A server's log as a program: what a library logs of a fault. */
public final class LoggingProgram {
    static final String SECRET = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";

    private LoggingProgram() {}

    /** Logs one fault, as text or as JSON. */
    public static void main(String[] args) {
        ServeLog log = new ServeLog(Streams.system().err(), args[0].equals("json"));
        log.takeOver();
        IllegalStateException fault = new IllegalStateException("of a test\n2026 info listening " + SECRET);
        LogRecord entry = new LogRecord(Level.SEVERE, "a request was {0}");
        entry.setLoggerName("dev.acp4j.http");
        entry.setParameters(new Object[] {"not answered"});
        entry.setThrown(fault);
        Logger.getLogger("dev.acp4j.http").log(entry);
    }
}
