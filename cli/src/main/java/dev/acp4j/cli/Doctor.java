package dev.acp4j.cli;

import java.util.List;

/** Looks at an agent, one step after the other. */
final class Doctor {
    static final List<Step> STEPS = List.of(
            new Step("command", patient -> true, StartSteps::command),
            new Step("start", Patient::isFound, StartSteps::start),
            new Step("initialize", Patient::isStarted, StartSteps::initialize),
            new Step("version", Patient::isInitialized, StartSteps::version),
            new Step("agent", Patient::isInitialized, StartSteps::agent),
            new Step("login", Patient::isInitialized, SessionSteps::login),
            new Step("session", Patient::isInitialized, SessionSteps::session),
            new Step("settings", Patient::hasSession, SessionSteps::settings),
            new Step("prompt", Patient::hasSession, SessionSteps::prompt),
            new Step("cancel", Patient::hasSession, SessionSteps::cancel),
            new Step("unknown", Patient::isInitialized, MannersSteps::unknown),
            new Step("params", Patient::isInitialized, MannersSteps::badParams),
            new Step("promises", Patient::isInitialized, MannersSteps::promises),
            new Step("rules", patient -> patient.initialized != null, MannersSteps::rules),
            new Step("end", patient -> patient.initialized != null, EndSteps::end),
            new Step("stdout", patient -> patient.initialized != null, EndSteps::stdout),
            new Step("future", patient -> patient.initialized != null, EndSteps::future));

    private Doctor() {}

    /** Looks at an agent; returns whether it is well. */
    static boolean examine(Patient patient, DoctorOutput output) throws InterruptedException {
        try (patient) {
            for (Step step : STEPS) {
                if (!step.needs().test(patient)) {
                    output.found(step, Finding.skipped("not tried, because of the above"), 0);
                    continue;
                }
                output.begins(step);
                long begin = System.nanoTime();
                Finding finding = step.examination().look(patient);
                output.found(step, finding, (System.nanoTime() - begin) / 1_000_000);
            }
        }
        return output.ends();
    }
}
