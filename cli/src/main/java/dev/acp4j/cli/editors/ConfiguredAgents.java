package dev.acp4j.cli.editors;

import dev.acp4j.cli.command.IoProblem;
import dev.acp4j.cli.editors.AgentsText.Listed;
import dev.acp4j.cli.editors.Editor.Place;
import dev.acp4j.process.Launch;
import dev.acp4j.redaction.Redaction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The agents in the settings of the editors that are found here, also those that acp has not written. */
public final class ConfiguredAgents {
    private ConfiguredAgents() {}

    /**
     * The settings of an editor.
     *
     * @param editor its name for people
     * @param file the file
     * @param problem why it cannot be read; null if it can
     * @param print the command that prints what belongs into it
     * @param agents the agents in it
     */
    public record Settings(
            String editor, Path file, @Nullable String problem, String print, List<Agent> agents) {
        /** Returns a redaction that also hides the secrets among the variables of the agents. */
        public Redaction hiding(Redaction others) {
            Redaction redaction = others;
            for (Agent agent : agents) {
                Launch launch = agent.launch();
                redaction = launch == null ? redaction : redaction.and(launch.declared());
            }
            return redaction;
        }
    }

    /**
     * An agent in settings.
     *
     * @param name its name
     * @param launch starts it as an editor does; null if the editor starts something of its own, or it cannot be read
     * @param isOfEditor whether the editor has installed it itself
     * @param program the absolute path of its program in the search path of this program; null if there is none
     * @param problem why an editor cannot start it as it is written, as a sentence; null if it can
     * @param isOfFolder whether it is in a file of the current folder, which may be anybody's
     * @param old what is in an older form, each with what to do; empty if nothing is
     */
    public record Agent(
            String name,
            @Nullable Launch launch,
            boolean isOfEditor,
            @Nullable String program,
            @Nullable String problem,
            boolean isOfFolder,
            Map<String, String> old) {}

    /** Reads all files that are there. */
    public static List<Settings> here() {
        return of(Desktop.here());
    }

    static List<Settings> of(Desktop desktop) {
        List<Settings> all = new ArrayList<>();
        for (Editor editor : Editors.ALL) {
            for (Path file : files(editor, desktop)) {
                all.add(settings(editor, Objects.requireNonNull(editor.text()), file, desktop));
            }
        }
        return all;
    }

    private static List<Path> files(Editor editor, Desktop desktop) {
        List<Path> files = new ArrayList<>(
                editor.places().apply(desktop).stream().map(Place::file).toList());
        if (Editors.isOfCode(editor) && editor.id().equals("vscode")) {
            files.add(Editors.codeWorkspace(desktop.folder()).file());
        }
        return files.stream().distinct().filter(Files::exists).toList();
    }

    private static Settings settings(Editor editor, AgentsText format, Path file, Desktop desktop) {
        String print = "acp install-into " + editor.id() + " --print";
        List<Listed> listed;
        try {
            listed = format.agents(SettingsFile.read(file).text());
        } catch (UnreadableTextException e) {
            return new Settings(editor.title(), file, e.getMessage(), print, List.of());
        } catch (IOException e) {
            return new Settings(editor.title(), file, IoProblem.text(e), print, List.of());
        }
        List<String> names = listed.stream().map(Listed::name).toList();
        boolean isOfFolder = file.equals(Editors.codeWorkspace(desktop.folder()).file());
        List<Agent> agents = new ArrayList<>();
        for (Listed each : listed) {
            agents.add(agent(each, Collections.frequency(names, each.name()) > 1, isOfFolder, desktop));
        }
        return new Settings(editor.title(), file, null, print, agents);
    }

    private static Agent agent(Listed listed, boolean isTwice, boolean isOfFolder, Desktop desktop) {
        AgentEntry entry = listed.entry();
        Map<String, String> old = new LinkedHashMap<>();
        if (isTwice) {
            old.put("the name is there twice, and the last one counts", "Take one out, or give it another name.");
        }
        if (listed.old() != null) {
            old.put(
                    listed.old(),
                    entry == null
                            ? "Start the editor, which brings it up to date, or take it out."
                            : "Add \"type\": \"custom\" to it.");
        }
        if (entry != null && entry.args().contains("--experimental-acp")) {
            old.put("--experimental-acp is the older form of --acp", "Replace it by --acp, and update the agent.");
        }
        if (entry == null) {
            return new Agent(listed.name(), null, listed.kept() != null, null, listed.problem(), isOfFolder, old);
        }
        try {
            String program = desktop.absolute(entry.words()).map(List::getFirst).orElse(null);
            return new Agent(listed.name(), DesktopStart.launch(entry, desktop), false, program, null, isOfFolder, old);
        } catch (IllegalArgumentException e) { // A path or the name of a variable that no system has.
            return new Agent(listed.name(), null, false, null, String.valueOf(e.getMessage()), isOfFolder, old);
        }
    }
}
