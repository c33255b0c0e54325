package dev.acp4j.cli.editors;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An editor, and how it gets agents.
 *
 * @param id its name on the command line
 * @param title its name for people
 * @param text how agents are written in its file; null if it has none
 * @param places where its file is, on a system; the first is the usual one
 * @param next what the user has to do or know
 * @param manual what to do by hand in an editor without a file, as text to paste
 */
record Editor(
        String id,
        String title,
        @Nullable AgentsText text,
        Function<Desktop, List<Place>> places,
        Next next,
        @Nullable Manual manual) {
    /**
     * A place of a file.
     *
     * @param file the file
     * @param sign a folder or file that is there if the editor is
     * @param note what is special about it; null for nothing
     */
    record Place(Path file, Path sign, @Nullable String note) {
        boolean isFound() {
            return Files.exists(sign);
        }
    }

    /** Returns what the user has to do or know, as sentences or lines to paste. */
    @FunctionalInterface
    interface Next {
        /**
         * Returns the lines.
         *
         * @param file the file that was written; the home folder if there is none
         */
        List<String> lines(Desktop desktop, Path file, String agent);
    }

    /** Writes what a person pastes or types. */
    @FunctionalInterface
    interface Manual {
        /**
         * Returns the text for one agent.
         *
         * @param acp the command of acp itself
         */
        String text(Desktop desktop, AgentEntry entry, AgentEntry acp);
    }

    /** Returns how it gets agents, in one word for people. */
    String how() {
        return text == null ? "printed" : text instanceof GeneratedText ? "own file" : "edited";
    }

    /** Returns the place of the file: the first that is there, or else the usual one; empty without a file. */
    Optional<Place> place(Desktop desktop) {
        List<Place> all = places.apply(desktop);
        return all.stream()
                .filter(Place::isFound)
                .findFirst()
                .or(() -> all.stream().findFirst());
    }

    /** Returns the places that are there, or else the usual one; empty without a file. */
    List<Place> shownPlaces(Desktop desktop) {
        List<Place> found = new ArrayList<>();
        for (Place place : places.apply(desktop)) {
            if (place.isFound() && found.stream().noneMatch(each -> each.file().equals(place.file()))) {
                found.add(place);
            }
        }
        return found.isEmpty() ? place(desktop).stream().toList() : found;
    }

    /** Returns whether the editor is there. */
    boolean isFound(Desktop desktop) {
        return places.apply(desktop).stream().anyMatch(Place::isFound);
    }
}
