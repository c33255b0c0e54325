package dev.acp4j.cli.doctor;

import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.command.Protocol;
import dev.acp4j.cli.command.Termination;
import dev.acp4j.cli.editors.ConfiguredAgents.Agent;
import dev.acp4j.cli.editors.ConfiguredAgents.Settings;
import dev.acp4j.process.Launch;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * Examines the agents in the settings of editors: each is started as an editor does, and asked for its first answer.
 */
final class EditorsDoctor {
    private final DoctorOutput output;
    private final Duration timeout;

    EditorsDoctor(DoctorOutput output, Duration timeout) {
        this.output = output;
        this.timeout = timeout;
    }

    /**
     * Examines all agents; returns whether there are no problems.
     *
     * @throws InterruptedException if a signal ended the examination; the summary says so
     */
    boolean examine(List<Settings> all, Termination termination) throws InterruptedException {
        try {
            for (Settings settings : all) {
                examine(settings);
            }
        } catch (InterruptedException e) {
            Failure ended = termination.failure();
            output.isCutOff(ended == null ? ExitCode.CANCELLED : ended.code());
            throw e;
        }
        if (all.isEmpty()) {
            output.found(
                    "editors",
                    Finding.ok("no editor has a file for agents here")
                            .next("acp install-into --list lists the editors."),
                    0);
        }
        return output.ends();
    }

    private void examine(Settings settings) throws InterruptedException {
        String place = settings.editor() + ", " + settings.file();
        if (settings.problem() != null) {
            output.part(place);
            output.found(
                    "file",
                    Finding.problem("cannot be read: " + settings.problem())
                            .because("The editor may ignore the whole file.")
                            .next("Correct that place; '" + settings.print() + "' prints what belongs there."),
                    0);
            return;
        }
        if (settings.agents().isEmpty()) {
            output.part(place);
            output.found("file", Finding.ok("has no agents"), 0);
        }
        for (Agent agent : settings.agents()) {
            output.part(agent.name() + ": " + place);
            agent.old()
                    .forEach((what, next) ->
                            output.found("form", Finding.warning(what).next(next), 0));
            examine(agent);
        }
    }

    private void examine(Agent agent) throws InterruptedException {
        Launch launch = agent.launch();
        if (launch == null) {
            output.found(
                    "command",
                    agent.isOfEditor()
                            ? Finding.ok("installed by the editor itself, and not started here")
                            : Finding.problem(String.valueOf(agent.problem()))
                                    .next("Correct it in that file, or take the agent out."),
                    0);
            return;
        }
        if (agent.isOfFolder()) {
            output.found(
                    "command",
                    Finding.skipped("not started: these settings are those of the folder, and may be anybody's")
                            .next("If you trust it, give its command to 'acp doctor --'; it begins with "
                                    + launch.command()),
                    0);
            return;
        }
        if (!finds(agent, launch)) {
            return;
        }
        Path folder = Objects.requireNonNull(launch.cwd());
        try (ExaminedAgent examined =
                new ExaminedAgent(launch, folder, Protocol.ONE, null, timeout, transport -> transport)) {
            for (Step<ExaminedAgent> step : Doctor.STEPS.subList(0, 4)) {
                if (!step.needs().test(examined)) {
                    output.found(step.name(), Finding.skipped("skipped, because of the above"), 0);
                    continue;
                }
                output.begins(step.name());
                long begin = System.nanoTime();
                Finding finding = step.examination().of(examined);
                output.found(step.name(), finding, (System.nanoTime() - begin) / 1_000_000);
            }
        }
    }

    /** Returns whether a desktop's search path has the program, and it can be run. */
    private boolean finds(Agent agent, Launch launch) {
        try {
            Path unused = launch.program();
            return true;
        } catch (IOException e) {
            String[] parts = String.valueOf(e.getMessage()).split("\\. (?=[A-Z])", 2);
            Finding finding = Finding.problem(parts[0]);
            if (launch.command().matches(".*[/\\\\].*")) {
                finding = parts.length > 1 ? finding.next(parts[1]) : finding;
            } else {
                finding = finding.because(
                                "An editor that was started from the desktop has a shorter search path than your shell.")
                        .next(
                                agent.program() == null
                                        ? "Install it, and write its full path as the command; or take the agent out."
                                        : "Write its full path as the command: " + agent.program());
            }
            output.found("command", finding, 0);
            return false;
        }
    }
}
