package dev.acp4j.cli.editors;

import dev.acp4j.cli.command.IoProblem;
import dev.acp4j.cli.editors.AgentsText.Listed;
import dev.acp4j.cli.editors.Editor.Place;
import dev.acp4j.cli.editors.Outcome.Status;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Puts agents into the files of editors and takes them out again. A file is read, changed in memory, shown, and written
 * only if it is still as it was read.
 */
final class Installer {
    private static final int ATTEMPTS = 5;

    private final Desktop desktop;
    private final Receipts receipts;
    private final AgentEntry acp;
    private final Consent consent;

    /** Decides whether a change is written. */
    @FunctionalInterface
    interface Consent {
        Answer of(Editor editor, Path file, List<String> diff);
    }

    enum Answer {
        WRITE,
        /** Only show. */
        SHOW,
        DECLINE
    }

    /** @param acp the command of acp itself */
    Installer(Desktop desktop, Receipts receipts, AgentEntry acp, Consent consent) {
        this.desktop = desktop;
        this.receipts = receipts;
        this.acp = acp;
        this.consent = consent;
    }

    /**
     * What is to be put in.
     *
     * @param entry the agent
     * @param isTraced whether to add a second one that records
     * @param replaces whether another agent of that name may be replaced
     * @param isForced whether to write where the editor is not found
     */
    record Wish(AgentEntry entry, boolean isTraced, boolean replaces, boolean isForced) {}

    /** Returns what a person pastes or types to have the same. */
    Outcome print(Editor editor, @Nullable Place place, Wish wish) {
        Path file = place == null ? null : place.file();
        String obstacle = editor.text() == null ? null : editor.text().obstacle(wish.entry());
        if (obstacle != null) {
            return Outcome.of(editor, Status.REFUSED, file, obstacle);
        }
        List<AgentEntry> wanted = wanted(wish, List.of());
        String text = editor.text() == null
                ? Objects.requireNonNull(editor.manual()).text(desktop, wanted.getLast(), acp)
                : editor.text().pasted(wanted);
        String what = file == null ? "to type or paste" : "to paste into " + file;
        return Outcome.of(editor, Status.PRINTED, file, what)
                .withText(text)
                .withNext(editor.next()
                        .lines(
                                desktop,
                                file == null ? desktop.home() : file,
                                wish.entry().name()));
    }

    Outcome install(Editor editor, Place place, Wish wish) {
        try {
            if (!place.isFound() && !wish.isForced()) {
                return refused(
                        editor, place, "not found here: there is no " + place.sign() + "; --force makes it", wish);
            }
            AgentsText format = Objects.requireNonNull(editor.text());
            String obstacle = format.obstacle(wish.entry());
            return obstacle == null
                    ? install(editor, format, place, wish, ATTEMPTS)
                    : Outcome.of(editor, Status.REFUSED, place.file(), obstacle);
        } catch (UnreadableTextException e) {
            return refused(
                    editor, place, place.file() + " cannot be read, and was left alone: " + e.getMessage(), wish);
        } catch (IOException e) {
            return refused(editor, place, IoProblem.text(e), wish);
        }
    }

    private Outcome refused(Editor editor, Place place, String why, Wish wish) {
        return Outcome.of(editor, Status.REFUSED, place.file(), why)
                .withText(Objects.requireNonNull(editor.text()).pasted(wanted(wish, List.of())));
    }

    private Outcome install(Editor editor, AgentsText format, Place place, Wish wish, int attempts)
            throws IOException, UnreadableTextException {
        SettingsFile file = SettingsFile.read(place.file());
        String before = file.text();
        List<Listed> listed = format.agents(before);
        List<Receipts.Change> changes = receipts.of(file.path());
        List<AgentEntry> put = new ArrayList<>();
        String after = before;
        for (AgentEntry entry : wanted(wish, listed)) {
            Listed there = find(listed, entry.name());
            if (there != null && entry.equals(there.entry()) && there.old() == null) {
                continue;
            }
            if (there != null && there.kept() != null) {
                return refused(
                        editor,
                        place,
                        "'" + entry.name() + "' is there, and " + there.kept() + "; choose another --name",
                        wish);
            }
            if (there != null && !wish.replaces() && !entry.equals(there.entry()) && !isOurs(there, changes)) {
                return refused(
                        editor,
                        place,
                        "another agent is called '" + entry.name()
                                + "'; --replace replaces it, --name chooses another name: " + there.shown(),
                        wish);
            }
            after = format.with(after, entry);
            put.add(entry);
        }
        List<String> next = next(editor, place, wish);
        if (put.isEmpty()) {
            return Outcome.of(editor, Status.UNCHANGED, place.file(), "already has " + names(wanted(wish, listed)))
                    .withNext(next);
        }
        String obstacle = obstacle(editor, file);
        if (obstacle != null) {
            return refused(editor, place, file.path() + " was left alone: " + obstacle, wish);
        }
        List<String> diff = UnifiedDiff.lines(place.file(), file.exists() ? before : null, after);
        Answer answer = consent.of(editor, place.file(), diff);
        if (answer != Answer.WRITE) {
            return answered(answer, editor, place, diff).withNext(next);
        }
        if (!file.isCurrent()) {
            return attempts > 1 ? install(editor, format, place, wish, attempts - 1) : changing(editor, place);
        }
        byte[] content = after.getBytes(StandardCharsets.UTF_8);
        List<Receipts.Change> more = new ArrayList<>(changes);
        more.add(new Receipts.Change(
                put, receipts.keep(file.path(), file.bytes()), Receipts.digest(content), file.missingFolders()));
        write(file, content, changes, more);
        List<String> all = new ArrayList<>(next);
        all.add("To undo: acp uninstall-from " + editor.id());
        return Outcome.of(editor, Status.WRITTEN, place.file(), "has " + names(put) + " now")
                .withDiff(diff)
                .withNext(all);
    }

    /**
     * Returns what is to be in the file. An agent and its traced twin are kept in step: a change of one changes both.
     * The variables of one that is already there as it is wanted stay if no others are wanted.
     */
    private List<AgentEntry> wanted(Wish wish, List<Listed> listed) {
        AgentEntry entry = wish.entry();
        Listed same = find(listed, entry.name());
        if (entry.env().isEmpty() && same != null && startsSame(same, entry)) {
            entry = Objects.requireNonNull(same.entry());
        }
        List<AgentEntry> wanted = new ArrayList<>(List.of(entry));
        AgentEntry traced = entry.traced(acp);
        Listed there = find(listed, traced.name());
        if (wish.isTraced()
                || (there != null && there.entry() != null && there.entry().isTraced())) {
            wanted.add(traced);
        }
        return wanted;
    }

    private static boolean startsSame(Listed there, AgentEntry entry) {
        return there.entry() != null && there.entry().words().equals(entry.words());
    }

    /** Whether an agent is one that acp has written, and nobody has changed since. */
    private static boolean isOurs(Listed there, List<Receipts.Change> changes) {
        return changes.stream()
                .flatMap(change -> change.entries().stream())
                .anyMatch(entry -> entry.equals(there.entry()));
    }

    private List<String> next(Editor editor, Place place, Wish wish) {
        List<String> next = new ArrayList<>();
        if (place.note() != null) {
            next.add(place.note());
        }
        next.addAll(editor.next().lines(desktop, place.file(), wish.entry().name()));
        return next;
    }

    private @Nullable String obstacle(Editor editor, SettingsFile file) throws IOException {
        return editor.id().equals(Editors.OBSIDIAN) && desktop.isRunning("obsidian")
                ? "Obsidian is running, and would write its own copy back; quit it first"
                : file.obstacle();
    }

    private static Outcome answered(Answer answer, Editor editor, Place place, List<String> diff) {
        return answer == Answer.SHOW
                ? Outcome.of(editor, Status.WOULD_CHANGE, place.file(), "would change " + place.file())
                        .withDiff(diff)
                : Outcome.of(editor, Status.DECLINED, place.file(), "nothing was written");
    }

    private static Outcome changing(Editor editor, Place place) {
        return Outcome.of(
                editor, Status.FAILED, place.file(), place.file() + " changes all the time; nothing was written");
    }

    private void write(
            SettingsFile file, byte @Nullable [] content, List<Receipts.Change> before, List<Receipts.Change> after)
            throws IOException {
        // The receipt first: a file that was written without one could not be undone.
        receipts.set(file.path(), after);
        try {
            if (content != null) {
                file.write(content);
            } else {
                file.delete(before.isEmpty() ? List.of() : before.getFirst().folders());
            }
        } catch (IOException e) {
            receipts.set(file.path(), before);
            throw e;
        }
        receipts.forgetOthers(file.path());
    }

    /**
     * Takes agents out that were put in.
     *
     * @param name the name of an agent, with its traced twin; null for all of ours
     * @param isTracedOnly whether only the one that records is taken out
     */
    Outcome uninstall(Editor editor, Place place, @Nullable String name, boolean isTracedOnly) {
        try {
            return uninstall(editor, Objects.requireNonNull(editor.text()), place, name, isTracedOnly, ATTEMPTS);
        } catch (UnreadableTextException e) {
            return Outcome.of(
                    editor,
                    Status.REFUSED,
                    place.file(),
                    place.file() + " cannot be read, and was left alone: " + e.getMessage());
        } catch (IOException e) {
            return Outcome.of(editor, Status.REFUSED, place.file(), IoProblem.text(e));
        }
    }

    private Outcome uninstall(
            Editor editor, AgentsText format, Place place, @Nullable String name, boolean isTracedOnly, int attempts)
            throws IOException, UnreadableTextException {
        SettingsFile file = SettingsFile.read(place.file());
        String before = file.text();
        List<Listed> listed = format.agents(before);
        List<Receipts.Change> changes = receipts.of(file.path());
        Set<String> targets = new LinkedHashSet<>();
        Set<String> staying = new LinkedHashSet<>();
        for (Listed each : listed) {
            boolean isMeant =
                    name == null || Set.of(name, AgentEntry.tracedName(name)).contains(each.name());
            if (!isMeant || (isTracedOnly && !each.name().endsWith(AgentEntry.tracedName("")))) {
                continue;
            }
            if (format instanceof GeneratedText || isAsPut(each, changes)) {
                targets.add(each.name());
            } else if (isPut(each.name(), changes) || startsAcp(each)) {
                (name == null ? staying : targets).add(each.name());
            }
        }
        if (targets.isEmpty()) {
            return nothingToTake(editor, place, listed, name, staying, changes);
        }
        List<Receipts.Change> left = new ArrayList<>(changes);
        byte @Nullable [] content = unwound(file, left, targets);
        if (content != null) {
            content = spliced(format, file.path(), content, left, changes, targets);
        }
        String obstacle = obstacle(editor, file);
        if (obstacle != null) {
            return Outcome.of(editor, Status.REFUSED, place.file(), file.path() + " was left alone: " + obstacle);
        }
        String after = content == null ? null : new String(content, StandardCharsets.UTF_8);
        List<String> diff = UnifiedDiff.lines(place.file(), before, after);
        Answer answer = consent.of(editor, place.file(), diff);
        if (answer != Answer.WRITE) {
            return answered(answer, editor, place, diff);
        }
        if (!file.isCurrent()) {
            return attempts > 1
                    ? uninstall(editor, format, place, name, isTracedOnly, attempts - 1)
                    : changing(editor, place);
        }
        write(file, content, changes, content == null ? List.of() : left);
        return Outcome.of(editor, Status.WRITTEN, place.file(), "no longer has " + String.join(" and ", targets))
                .withDiff(diff)
                .withNext(staying.stream().map(each -> stays(each, changes)).toList());
    }

    private static Outcome nothingToTake(
            Editor editor,
            Place place,
            List<Listed> listed,
            @Nullable String name,
            Set<String> staying,
            List<Receipts.Change> changes) {
        if (name != null && find(listed, name) != null) {
            return Outcome.of(editor, Status.REFUSED, place.file(), "'" + name + "' was not put in by acp, and stays");
        }
        boolean wasChanged = staying.stream().anyMatch(each -> isPut(each, changes));
        String what = name == null ? "has no agent that acp has put in" : "has no agent '" + name + "'";
        return Outcome.of(
                        editor,
                        wasChanged ? Status.REFUSED : Status.UNCHANGED,
                        place.file(),
                        wasChanged ? "what acp has put in was changed since, and stays" : what)
                .withNext(staying.stream().map(each -> stays(each, changes)).toList());
    }

    private static String stays(String name, List<Receipts.Change> changes) {
        return "'" + name + "' " + (isPut(name, changes) ? "was changed since" : "starts acp, and was put in by hand")
                + ": --name takes it out";
    }

    /** Whether an agent is started as acp has written it. */
    private static boolean isAsPut(Listed there, List<Receipts.Change> changes) {
        return changes.stream()
                .flatMap(change -> change.entries().stream())
                .anyMatch(entry -> entry.name().equals(there.name()) && startsSame(there, entry));
    }

    private static boolean isPut(String name, List<Receipts.Change> changes) {
        return changes.stream().anyMatch(change -> change.names().contains(name));
    }

    private boolean startsAcp(Listed there) {
        AgentEntry entry = there.entry();
        int length = acp.words().size();
        return entry != null
                && entry.words().size() > length
                && entry.words().subList(0, length).equals(acp.words());
    }

    /** Returns the places with something that acp has put in. */
    List<Place> placesOf(Editor editor) throws IOException {
        List<Place> places = new ArrayList<>();
        for (Place place : editor.shownPlaces(desktop)) {
            if (!receipts.of(SettingsFile.read(place.file()).path()).isEmpty()) {
                places.add(place);
            }
        }
        return places;
    }

    /**
     * Undoes the newest changes as long as they are about these agents only, and nothing else was changed since: then
     * the former content is known to the byte.
     *
     * @param left the changes; those that were undone are taken away
     * @return the content; null if there was no file
     */
    private byte @Nullable [] unwound(SettingsFile file, List<Receipts.Change> left, Set<String> targets)
            throws IOException {
        byte[] now = file.bytes();
        while (now != null && !left.isEmpty()) {
            Receipts.Change last = left.getLast();
            byte[] former = receipts.former(file.path(), last.former());
            if (!targets.containsAll(last.names())
                    || !Receipts.digest(now).equals(last.after())
                    || (former == null && !last.former().isEmpty())) {
                return now;
            }
            now = former;
            left.removeLast();
        }
        return now;
    }

    /**
     * Takes out those of the agents that are still there, and puts back what they have replaced; null if a file of our
     * own has none left.
     */
    private byte @Nullable [] spliced(
            AgentsText format,
            Path file,
            byte[] content,
            List<Receipts.Change> left,
            List<Receipts.Change> all,
            Set<String> targets)
            throws IOException, UnreadableTextException {
        String text = new String(content, StandardCharsets.UTF_8);
        for (String name : targets) {
            boolean wasUndone = isPut(name, all) && !isPut(name, left);
            text = wasUndone ? text : format.restored(text, formerText(file, left, name), name);
        }
        left.replaceAll(change -> new Receipts.Change(
                change.entries().stream()
                        .filter(entry -> !targets.contains(entry.name()))
                        .toList(),
                change.former(),
                change.after(),
                change.folders()));
        left.removeIf(change -> change.entries().isEmpty());
        return text.isEmpty() && format instanceof GeneratedText ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the text before an agent was put in; empty if there was none, or it is not kept any more. */
    private String formerText(Path file, List<Receipts.Change> changes, String name) throws IOException {
        for (Receipts.Change change : changes) {
            if (change.names().contains(name)) {
                byte[] former = receipts.former(file, change.former());
                return former == null ? "" : new String(former, StandardCharsets.UTF_8);
            }
        }
        return "";
    }

    private static @Nullable Listed find(List<Listed> listed, String name) {
        Listed found = null;
        for (Listed each : listed) {
            found = each.name().equals(name) ? each : found;
        }
        return found;
    }

    private static String names(List<AgentEntry> entries) {
        return String.join(
                " and ", entries.stream().map(entry -> "'" + entry.name() + "'").toList());
    }
}
