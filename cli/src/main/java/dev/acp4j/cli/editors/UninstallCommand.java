package dev.acp4j.cli.editors;

import dev.acp4j.cli.command.AgentLauncher;
import dev.acp4j.cli.command.Confirmation;
import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.IoProblem;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.editors.Editor.Place;
import dev.acp4j.cli.terminal.Streams;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code acp uninstall-from}: takes agents out of the settings of an editor. */
@Command(
        name = "uninstall-from",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        customSynopsis = {
            "acp uninstall-from EDITOR [NAME] [OPTIONS]",
            "       acp uninstall-from --all [--name NAME] [OPTIONS]"
        },
        description = {
            "Takes agents that acp has put in out of the settings of an editor.",
            "",
            "If nothing else was changed since, the file is to the byte what it was before; else only the agents go, and "
                    + "what they have replaced comes back. An agent that was changed since stays, unless it is named."
        },
        parameterListHeading = "%n",
        optionListHeading = "%nOptions:%n",
        footerHeading = "%nExamples:%n",
        footer = {
            "  acp uninstall-from zed",
            "  acp uninstall-from jetbrains gemini --dry-run",
            "  acp uninstall-from vscode --trace        only the one that records",
            "",
            "Exit codes:",
            "    0  no agent is left that was to go, or it was shown",
            "    1  a file was left alone",
            "    2  wrong command line, or nobody to ask",
            "    6  standard output could not be written",
            "  141  standard output was closed by its reader"
        })
public final class UninstallCommand implements Callable<Integer> {
    private final Streams streams;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "EDITOR",
            description = "The editor; 'acp install-into --list' lists them.")
    private @Nullable String editor;

    @Parameters(index = "1", arity = "0..1", paramLabel = "NAME", description = "The same as --name.")
    private @Nullable String named;

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description = "Only this agent, and the one that records it, also if it was changed or put in by hand and "
                    + "starts acp; default: all that are as acp has put them in.")
    private @Nullable String name;

    @Option(names = "--trace", description = "Only agents that record, \"NAME, traced\".")
    private boolean trace;

    @Mixin
    private final PlaceOptions places = new PlaceOptions();

    public UninstallCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() {
        if (named != null && name != null) {
            throw new UsageException("the name of an agent and --name cannot be combined");
        }
        Desktop desktop = Desktop.here();
        List<Editor> editors = places.editors(editor, desktop);
        if (!places.dryRun && !places.yes && (places.json || !streams.hasPerson())) {
            throw new UsageException("there is nobody here to ask: --yes writes, --dry-run shows the change");
        }
        EditorsReport report = new EditorsReport(streams, places.json);
        Confirmation confirmation = new Confirmation(streams);
        Installer installer = new Installer(
                desktop,
                Receipts.ofUser(),
                AgentEntry.of("acp", AgentLauncher.acp()),
                (each, file, diff) -> InstallCommand.consent(streams, places, confirmation, file, diff));
        boolean isWell = true;
        for (Editor each : editors) {
            for (Outcome outcome : outcomes(installer, each, desktop)) {
                isWell &= outcome.status().isWell();
                report.print(outcome);
            }
        }
        return (isWell ? ExitCode.END_OF_TURN : ExitCode.AGENT_FAILED).number();
    }

    private List<Outcome> outcomes(Installer installer, Editor each, Desktop desktop) {
        List<Place> places;
        try {
            places = each.text() == null || this.places.isGiven() ? List.of() : installer.placesOf(each);
            if (places.isEmpty()) {
                Place place = this.places.place(each, desktop);
                places = place == null ? List.of() : List.of(place);
            }
        } catch (IOException e) {
            return List.of(Outcome.of(each, Outcome.Status.REFUSED, null, IoProblem.text(e)));
        } catch (UsageException e) {
            if (!this.places.all) {
                throw e;
            }
            return List.of(Outcome.of(each, Outcome.Status.REFUSED, null, String.valueOf(e.getMessage())));
        }
        if (places.isEmpty()) {
            return List.of(Outcome.of(
                    each, Outcome.Status.UNCHANGED, null, "has settings of its own, which acp does not write"));
        }
        return places.stream()
                .map(place -> installer.uninstall(each, place, named == null ? name : named, trace))
                .toList();
    }
}
