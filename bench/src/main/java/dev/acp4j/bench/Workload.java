package dev.acp4j.bench;

import java.util.List;

/** Something that subjects are made to do while it is measured. */
interface Workload {
    /** Returns what it is called on the command line and in the table. */
    String name();

    /** Returns who takes part. */
    List<Subject> subjects();

    /** Returns how often each takes part. */
    int rounds();

    /** Lets a subject do it once, in processes of its own. */
    void measure(Subject subject, Sheet sheet) throws Exception;

    /** Where one measurement of one subject is written down. */
    @FunctionalInterface
    interface Sheet {
        void write(String what, double value);
    }
}
