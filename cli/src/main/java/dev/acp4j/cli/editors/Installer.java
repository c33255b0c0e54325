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
        List<AgentEntry> wanted = wanted(wish, List.of());
        String text = editor.text() == null
                ? Objects.requireNonNull(editor.manual()).text(desktop, wanted.getLast(), acp)
                : editor.text().pasted(wanted);
        String what = file == null ? "to type or paste" : "to paste into " + file;
        return Outcome.of(editor, Status.PRINTED, file, what)
                .withText(text)
                .withNext(editor.next().apply(desktop, file == null ? desktop.home() : file));
    }

    Outcome install(Editor editor, Place place, Wish wish) {
        try {
            if (!place.isFound() && !wish.isForced()) {
                return refused(
                        editor, place, "not found here: there is no " + place.sign() + "; --force makes it", wish);
            }
            return install(editor, Objects.requireNonNull(editor.text()), place, wish, ATTEMPTS);
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
        List<String> next = next(editor, place);
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

    /** An agent and its traced twin are kept in step: a change of one changes both. */
    private List<AgentEntry> wanted(Wish wish, List<Listed> listed) {
        List<AgentEntry> wanted = new ArrayList<>(List.of(wish.entry()));
        AgentEntry traced = wish.entry().traced(acp);
        Listed there = find(listed, traced.name());
        if (wish.isTraced()
                || (there != null && there.entry() != null && there.entry().isTraced())) {
            wanted.add(traced);
        }
        return wanted;
    }

    /** Whether an agent is one that acp has written, and nobody has changed since. */
    private static boolean isOurs(Listed there, List<Receipts.Change> changes) {
        return changes.stream()
                .flatMap(change -> change.entries().stream())
                .anyMatch(entry -> entry.equals(there.entry()));
    }

    private List<String> next(Editor editor, Place place) {
        List<String> next = new ArrayList<>();
        if (place.note() != null) {
            next.add(place.note());
        }
        next.addAll(editor.next().apply(desktop, place.file()));
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
        receipts.forgetOthers(file.path(), after);
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
        Set<String> ours = ours(format, listed, changes);
        Set<String> targets = targets(ours, name, isTracedOnly);
        if (targets.isEmpty()) {
            boolean isForeign = name != null && find(listed, name) != null;
            String what = name == null ? "has no agent of acp" : "has no agent '" + name + "'";
            if (isForeign) {
                what = "'" + name + "' was not put in by acp, and stays";
            }
            return Outcome.of(editor, isForeign ? Status.REFUSED : Status.UNCHANGED, place.file(), what);
        }
        List<Receipts.Change> left = new ArrayList<>(changes);
        byte @Nullable [] content = unwound(file, left, targets);
        if (content != null) {
            content = spliced(format, content, left, changes, targets);
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
                .withDiff(diff);
    }

    /** Returns the names of agents that acp has put in, or that start it. */
    private Set<String> ours(AgentsText format, List<Listed> listed, List<Receipts.Change> changes) {
        Set<String> put = new LinkedHashSet<>();
        changes.forEach(change -> put.addAll(change.names()));
        Set<String> ours = new LinkedHashSet<>();
        for (Listed each : listed) {
            AgentEntry entry = each.entry();
            if (format instanceof GeneratedText
                    || put.contains(each.name())
                    || (entry != null
                            && entry.words().size() > acp.words().size()
                            && entry.words().subList(0, acp.words().size()).equals(acp.words()))) {
                ours.add(each.name());
            }
        }
        return ours;
    }

    private static Set<String> targets(Set<String> ours, @Nullable String name, boolean isTracedOnly) {
        Set<String> targets = new LinkedHashSet<>(ours);
        if (name != null) {
            targets.retainAll(Set.of(name, AgentEntry.tracedName(name)));
        }
        if (isTracedOnly) {
            targets.removeIf(each -> !each.endsWith(AgentEntry.tracedName("")));
        }
        return targets;
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

    /** Takes out those of the agents that are still there by our hand; null if a file of our own has none left. */
    private static byte @Nullable [] spliced(
            AgentsText format,
            byte[] content,
            List<Receipts.Change> left,
            List<Receipts.Change> all,
            Set<String> targets)
            throws UnreadableTextException {
        String text = new String(content, StandardCharsets.UTF_8);
        for (String name : targets) {
            boolean wasUndone = isIn(all, name) && !isIn(left, name);
            text = wasUndone ? text : format.without(text, name);
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

    private static boolean isIn(List<Receipts.Change> changes, String name) {
        return changes.stream().anyMatch(change -> change.names().contains(name));
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
