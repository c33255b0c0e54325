package dev.acp4j.http;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Keeps what the module logs, so that a test that expects a warning does not fail for it. */
public final class QuietLog extends Handler implements AutoCloseable {
    private static final Logger LOG = Logger.getLogger("dev.acp4j.http");
    /** The messages, without their parameters. */
    public final List<String> messages = new CopyOnWriteArrayList<>();

    final List<LogRecord> records = new CopyOnWriteArrayList<>();

    /** Keeps it from now on. */
    public QuietLog() {
        LOG.setUseParentHandlers(false);
        LOG.addHandler(this);
    }

    @Override
    public void publish(LogRecord entry) {
        messages.add(entry.getMessage());
        records.add(entry);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        LOG.removeHandler(this);
        LOG.setUseParentHandlers(true);
    }
}
