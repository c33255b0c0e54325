package dev.acp4j.soak;

/** One kind of load or attack. */
@FunctionalInterface
interface Trial {
    /** Puts the load on, until the run says that it is enough, and tells the run what was wrong. */
    void run(Run run) throws Exception;
}
