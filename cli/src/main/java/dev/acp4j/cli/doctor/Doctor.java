package dev.acp4j.cli.doctor;

import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.command.Termination;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Examines an agent step by step. */
final class Doctor {
    static final List<Step<ExaminedAgent>> STEPS = List.of(
            new Step<>("command", agent -> true, StartSteps::command),
            new Step<>("start", ExaminedAgent::isFound, StartSteps::start),
            new Step<>("initialize", ExaminedAgent::isStarted, StartSteps::initialize),
            new Step<>("version", ExaminedAgent::isInitialized, StartSteps::version),
            new Step<>("agent", ExaminedAgent::isInitialized, StartSteps::agent),
            new Step<>("login", ExaminedAgent::isInitialized, SessionSteps::login),
            new Step<>("session", ExaminedAgent::isInitialized, SessionSteps::session),
            new Step<>("settings", ExaminedAgent::hasSession, SessionSteps::settings),
            new Step<>("prompt", ExaminedAgent::hasSession, SessionSteps::prompt),
            new Step<>("cancel", ExaminedAgent::hasSession, SessionSteps::cancel),
            new Step<>("unknown", ExaminedAgent::isInitialized, ConformanceSteps::unknown),
            new Step<>("params", ExaminedAgent::isInitialized, ConformanceSteps::badParams),
            new Step<>("promises", ExaminedAgent::isInitialized, ConformanceSteps::promises),
            new Step<>("rules", agent -> agent.initialized != null, ConformanceSteps::rules),
            new Step<>("end", agent -> agent.initialized != null, ShutdownSteps::end),
            new Step<>("stdout", agent -> agent.initialized != null, ShutdownSteps::stdout),
            new Step<>("future", agent -> agent.initialized != null, ShutdownSteps::future));

    private Doctor() {}

    /** Returns the steps for an agent; those for its MCP servers are behind its turns. */
    static List<Step<ExaminedAgent>> steps(ExaminedAgent agent) {
        List<Step<ExaminedAgent>> steps = new ArrayList<>(STEPS);
        if (agent.mcp != null) {
            int behind = steps.stream().map(Step::name).toList().indexOf("cancel") + 1;
            List<Step<ExaminedAgent>> ofServers =
                    Stream.of(McpOffers.Kind.values()).map(McpSteps::step).toList();
            steps.addAll(behind, ofServers);
        }
        return steps;
    }

    /**
     * Examines an agent; returns whether it has no problems.
     *
     * @throws InterruptedException if a signal ended the examination; the summary says so
     */
    static boolean examine(ExaminedAgent agent, DoctorOutput output, Termination termination)
            throws InterruptedException {
        try (agent) {
            examine(steps(agent), agent, output, termination);
        }
        return output.ends();
    }

    /** Performs steps, one after another. */
    static <T> void examine(List<Step<T>> steps, T subject, DoctorOutput output, Termination termination)
            throws InterruptedException {
        try {
            for (Step<T> step : steps) {
                if (!step.needs().test(subject)) {
                    output.found(step.name(), Finding.skipped("skipped, because of the above"), 0);
                    continue;
                }
                output.begins(step.name());
                long begin = System.nanoTime();
                Finding finding = step.examination().of(subject);
                output.found(step.name(), finding, (System.nanoTime() - begin) / 1_000_000);
            }
        } catch (InterruptedException e) {
            Failure ended = termination.failure();
            output.isCutOff(ended == null ? ExitCode.CANCELLED : ended.code());
            // Closing the agent then does not wait.
            Thread.currentThread().interrupt();
            throw e;
        }
    }
}
