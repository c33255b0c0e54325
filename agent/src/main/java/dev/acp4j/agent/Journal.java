package dev.acp4j.agent;

import dev.acp4j.schema.SessionUpdate;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Keeps the records of one conversation. Thread-safe. */
interface Journal {
    /** Keeps nothing: the conversation is in memory. */
    Journal NONE = new Journal() {
        @Override
        public void add(SessionRecord record) {}

        @Override
        public @Nullable String takeProblem() {
            return null;
        }

        @Override
        public boolean replay(Consumer<SessionUpdate> to) {
            return false;
        }
    };

    /** Appends a record. A failure is reported by {@link #takeProblem}: the turn continues. */
    void add(SessionRecord record);

    /** Returns why records were not kept, once for each problem; null if there is nothing to report. */
    @Nullable
    String takeProblem();

    /** Reads all updates again, from the first one. Returns false when it keeps none. */
    boolean replay(Consumer<SessionUpdate> to);
}
