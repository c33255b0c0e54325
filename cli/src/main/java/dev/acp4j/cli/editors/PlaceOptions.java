package dev.acp4j.cli.editors;

import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.editors.Editor.Place;
import dev.acp4j.cli.terminal.SafeText;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that choose the file of an editor, and how a change is confirmed. */
final class PlaceOptions {
    @Option(names = "--file", paramLabel = "FILE", description = "The settings file of the editor, if it is elsewhere.")
    @Nullable
    Path file;

    @Option(names = "--workspace", description = "VS Code and its kin: .vscode/settings.json in the current folder.")
    boolean workspace;

    @Option(names = "--vault", paramLabel = "FOLDER", description = "Obsidian: the vault; needed if there are several.")
    @Nullable
    Path vault;

    @Option(names = "--all", description = "All editors that are found here.")
    boolean all;

    @Option(names = "--dry-run", description = "Print the change as a unified diff, and write nothing.")
    boolean dryRun;

    @Option(
            names = {"-y", "--yes"},
            description = "Write without asking.")
    boolean yes;

    @Option(names = "--json", description = "Print one JSON object for each editor.")
    boolean json;

    /** Returns the editors that are meant. */
    List<Editor> editors(@Nullable String id, Desktop desktop) {
        if (all == (id != null)) {
            throw new UsageException(
                    all ? "--all and an editor cannot be combined" : "the editor is missing; --list lists them");
        }
        if (id != null) {
            return List.of(Editors.of(id));
        }
        if (isGiven()) {
            throw new UsageException("--file, --workspace and --vault are for one editor, and not for --all");
        }
        return Editors.ALL.stream().filter(editor -> editor.isFound(desktop)).toList();
    }

    /** Returns whether the file is given, and not looked for. */
    boolean isGiven() {
        return file != null || workspace || vault != null;
    }

    /** Returns the place of the file; null for an editor without one. */
    @Nullable
    Place place(Editor editor, Desktop desktop) {
        if (workspace && !Editors.isOfCode(editor)) {
            throw new UsageException("--workspace is for VS Code and its kin");
        }
        if (vault != null && !editor.id().equals(Editors.OBSIDIAN)) {
            throw new UsageException("--vault is for Obsidian");
        }
        if (editor.text() == null) {
            return null;
        }
        if (file != null) {
            Path absolute = desktop.folder().resolve(file).normalize();
            Path folder = absolute.getParent();
            return new Place(absolute, folder == null ? absolute : folder, null);
        }
        if (workspace) {
            return Editors.codeWorkspace(desktop.folder());
        }
        if (vault != null) {
            return Editors.vault(desktop.folder().resolve(vault).normalize());
        }
        return found(editor, desktop);
    }

    private static Place found(Editor editor, Desktop desktop) {
        if (editor.id().equals(Editors.OBSIDIAN)) {
            List<Place> vaults = editor.places().apply(desktop).stream()
                    .filter(Place::isFound)
                    .toList();
            if (vaults.size() != 1) {
                throw new UsageException((vaults.isEmpty()
                                ? "no vault has the plugin Agent Client"
                                : "several vaults have the plugin")
                        + "; choose one with --vault"
                        + vaults.stream()
                                .map(place -> "\n  "
                                        + SafeText.line(Editors.vaultOf(place).toString()))
                                .collect(Collectors.joining()));
            }
        }
        return editor.place(desktop).orElseThrow();
    }
}
