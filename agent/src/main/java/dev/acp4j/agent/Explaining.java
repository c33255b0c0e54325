package dev.acp4j.agent;

import dev.acp4j.schema.ToolCallLocation;
import dev.acp4j.schema.ToolKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Explains a type or one of its members: where it is defined, its documentation, and its public members. If there is no
 * such thing, that is the answer.
 */
final class Explaining {
    private static final int MAX_MEMBERS = 12;
    private static final int MAX_EXPLAINED = 2;
    private static final int SIMILAR = 3;

    /** The place of a definition; {@code index} counts lines from 0. */
    private record Place(WorkspaceFile file, List<String> lines, int index) {
        String line() {
            return lines.get(index);
        }

        Language language() {
            return Language.of(file);
        }
    }

    private final Work work;
    private final FileAccess access;
    private final WorkspaceIndex index;

    Explaining(Work work, FileAccess access) {
        this.work = work;
        this.access = access;
        this.index = work.workspace().index();
    }

    /**
     * Explains {@code thing}, or says that it does not exist.
     *
     * @return whether that is the whole answer; else a search may still find the word
     */
    boolean explain(NamedThing thing) throws InterruptedException, IOException {
        var unused = index.refresh(new IndexProgress(work));
        List<Place> types = thing.mayBeType() ? types(thing.type()) : List.of();
        if (types.isEmpty()) {
            return thing.mayBeType() && thing.isSurelyAName() && sayThereIsNone(thing);
        }
        Step step = work.step(
                "Look up " + thing.name(),
                ToolKind.SEARCH,
                new Facts().put("name", thing.name()).json());
        step.start();
        step.locations(types.stream()
                .map(place -> ToolCallLocation.of(place.file().path().toString(), place.index() + 1))
                .toList());
        step.output(new Facts()
                .put("places", types.stream().map(Explaining::at).toList())
                .json());
        step.show(String.join("\n", types.stream().map(Explaining::at).toList()));
        step.complete();
        String member = thing.member();
        for (Place type : types.subList(0, Math.min(MAX_EXPLAINED, types.size()))) {
            work.say(member == null ? type(type) : members(type, member));
        }
        sayOthers(types);
        work.say(Markdown.code("/search " + thing.name()) + " shows where the name is used.\n");
        return true;
    }

    private void sayOthers(List<Place> types) throws InterruptedException {
        List<String> others = types.subList(Math.min(MAX_EXPLAINED, types.size()), types.size()).stream()
                .map(place -> Markdown.code(at(place)))
                .toList();
        work.say(Markdown.list("Also defined in", others));
    }

    /** Returns whether no file has the name, so that a search is of no use. */
    private boolean sayThereIsNone(NamedThing thing) throws InterruptedException, IOException {
        String kind = thing.kind().isEmpty() ? "class or other type" : thing.kind();
        StringBuilder text = new StringBuilder("There is no ").append(kind).append(' ');
        text.append(Markdown.code(thing.type())).append(" in this workspace.");
        List<String> similar = index.typesLike(thing.type(), SIMILAR);
        if (!similar.isEmpty()) {
            text.append(" Similar names: ");
            text.append(String.join(", ", similar.stream().map(Markdown::code).toList()))
                    .append('.');
        }
        List<String> terms = index.analyzer().terms(thing.type());
        boolean unknown = terms.isEmpty() || index.rarity(terms.getFirst()) == 0;
        work.say(text.append(unknown ? "\n" : " The name is used:\n\n").toString());
        return unknown;
    }

    private static String at(Place place) {
        return place.file().name() + ":" + (place.index() + 1);
    }

    /** The definitions of a type: the exact case first, production code before tests, the outermost type first. */
    private List<Place> types(String name) throws InterruptedException, IOException {
        List<Place> exact = new ArrayList<>();
        List<Place> other = new ArrayList<>();
        for (WorkspaceFile file : index.definingType(name)) {
            String text = access.readForDisplay(file);
            List<String> lines = text == null ? List.of() : WorkspaceSearch.lines(text);
            Language language = Language.of(file);
            for (int i = 0; i < lines.size(); i++) {
                String line = lines.get(i);
                String defined =
                        Definitions.typeKeyword(line, language) == null ? null : Definitions.nameIn(line, language);
                if (defined != null && defined.equalsIgnoreCase(name)) {
                    (defined.equals(name) ? exact : other).add(new Place(file, lines, i));
                }
            }
        }
        List<Place> found = exact.isEmpty() ? other : exact;
        found.sort(Comparator.comparing((Place place) -> Prior.isTest(place.file()))
                .thenComparingInt(place -> indentation(place.line()))
                .thenComparingInt(place -> place.file().name().length()));
        return found;
    }

    private static int indentation(String line) {
        return line.length() - line.stripLeading().length();
    }

    private static String type(Place place) {
        int end = endOf(place);
        List<Outline> members = Outline.of(place.lines(), place.language(), place.index() + 1, end);
        StringBuilder text = new StringBuilder(heading(place));
        String name = place.file().name();
        if (!members.isEmpty()) {
            text.append("Public members:\n\n")
                    .append(Outlining.list(name, members, MAX_MEMBERS))
                    .append('\n');
        }
        return text.toString();
    }

    private static String heading(Place place) {
        String doc = DocComment.of(place.lines(), place.index());
        String none = "It has no documentation comment.\n\n";
        return "**" + Markdown.place(place.file().name(), place.index() + 1) + "** "
                + Markdown.code(Outline.signature(place.line())) + "\n\n"
                + (doc.isEmpty() ? none : Markdown.quote(doc));
    }

    private static String members(Place type, String member) {
        StringBuilder text = new StringBuilder();
        int end = endOf(type);
        for (int i = type.index() + 1; i < end; i++) {
            String line = type.lines().get(i);
            if (member.equals(Definitions.nameIn(line, type.language()))) {
                text.append(heading(new Place(type.file(), type.lines(), i)));
            }
        }
        return text.isEmpty()
                ? Markdown.code(Outline.signature(type.line())) + " in " + Markdown.code(at(type)) + " defines no "
                        + Markdown.code(member) + ".\n\n"
                : text.toString();
    }

    /** The first later line that is no deeper than the definition and ends its block, or the end of the file. */
    private static int endOf(Place place) {
        int depth = indentation(place.line());
        for (int i = place.index() + 1; i < place.lines().size(); i++) {
            String line = place.lines().get(i);
            @Nullable String type = Definitions.typeKeyword(line, place.language());
            boolean closes = line.stripLeading().startsWith("}") || type != null;
            if (!line.isBlank() && indentation(line) <= depth && closes) {
                return i;
            }
        }
        return place.lines().size();
    }
}
