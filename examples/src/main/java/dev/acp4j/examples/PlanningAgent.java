package dev.acp4j.examples;

import dev.acp4j.Agent;
import dev.acp4j.Stdio;
import dev.acp4j.schema.PlanEntry;
import dev.acp4j.schema.PlanEntryPriority;
import dev.acp4j.schema.PlanEntryStatus;
import java.util.ArrayList;
import java.util.List;

/** Shows a plan and its progress. A plan is always sent whole. */
final class PlanningAgent {
    private static final List<String> STEPS = List.of("Read the code", "Change it", "Run the tests");

    public static void main(String[] args) throws InterruptedException {
        Agent.builder("planning", "1.0")
                .onPrompt(turn -> {
                    for (int done = 0; done <= STEPS.size(); done++) {
                        turn.plan(plan(done));
                    }
                    turn.message("All " + STEPS.size() + " steps are done.");
                })
                .serve(Stdio.system());
    }

    private static List<PlanEntry> plan(int done) {
        var entries = new ArrayList<PlanEntry>();
        for (String step : STEPS) {
            var status = entries.size() < done ? PlanEntryStatus.COMPLETED : PlanEntryStatus.PENDING;
            entries.add(PlanEntry.of(step, PlanEntryPriority.MEDIUM, status));
        }
        return entries;
    }
}
