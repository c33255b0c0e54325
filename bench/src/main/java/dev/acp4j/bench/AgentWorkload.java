package dev.acp4j.bench;

import java.io.IOException;
import java.util.List;

/** A workload whose subjects are agents, driven by {@link DrivenAgent}. */
record AgentWorkload(String name, List<Subject> subjects, int rounds, int secondsToLive, Drive drive)
        implements Workload {

    /** What is done with an agent that has answered {@code initialize}. */
    @FunctionalInterface
    interface Drive {
        void run(DrivenAgent agent, Sheet sheet) throws IOException, InterruptedException;
    }

    @Override
    public void measure(Subject subject, Sheet sheet) throws Exception {
        try (DrivenAgent agent = new DrivenAgent(subject.command(), secondsToLive)) {
            drive.run(agent, sheet);
        }
    }
}
