package dev.acp4j.agent;

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
    };

    /** Appends a record. A failure is reported by {@link #takeProblem}: the turn continues. */
    void add(SessionRecord record);

    /** Returns why records were not kept, once for each problem; null if there is nothing to report. */
    @Nullable
    String takeProblem();
}
