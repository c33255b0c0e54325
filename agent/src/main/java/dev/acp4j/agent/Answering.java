package dev.acp4j.agent;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.ToolCallLocation;
import dev.acp4j.schema.ToolKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Answers a question by a search of the workspace, or of the attachments of the prompt. */
final class Answering {
    private static final int FILES = 8;

    private final Work work;
    private final FileAccess access;
    private final Map<String, String> embedded = new HashMap<>();

    Answering(Work work) {
        this.work = work;
        this.access = new FileAccess(work.turn().files());
        for (Attachments.Embedded text : work.attachments().texts()) {
            embedded.put(text.name(), text.text());
        }
    }

    /** Answers a question in the user's words: about the attachments, or the files it names, if there are any. */
    void answer(String sentence) throws InterruptedException, IOException {
        Question question = Question.of(sentence);
        List<String> named = named(question);
        question = question.without(named);
        Attachments attachments = work.attachments().and(named);
        if (question.isEmpty() && !attachments.isEmpty()) {
            new Outlining(work, access).outline(attachments, sentence);
        } else if (question.isEmpty()) {
            work.say("I found nothing to search for in that. Try a class, file or function name, or `/help`.\n");
        } else if (!attachments.isEmpty()) {
            answerFromAttachments(question, attachments);
        } else if (Intent.asksHowToBuild(sentence)) {
            new HowToBuild(work, access).say();
        } else {
            answerFromWorkspace(sentence, question);
        }
    }

    /** Explains what the question names; what else there is about it follows for a name that could not be explained. */
    private void answerFromWorkspace(String sentence, Question question) throws InterruptedException, IOException {
        NamedThing thing = NamedThing.in(sentence);
        boolean explained = thing != null && new Explaining(work, access).explain(thing);
        if (!explained) {
            search(question, Scope.everywhere(), FILES);
        }
    }

    /** The words that are names of files. */
    private List<String> named(Question question) {
        List<String> named = new ArrayList<>();
        for (Question.Word word : question.words()) {
            if (word.text().indexOf('.') > 0 && work.workspace().file(word.text()) != null) {
                named.add(word.text());
            }
        }
        return named;
    }

    private void answerFromAttachments(Question question, Attachments attachments)
            throws InterruptedException, IOException {
        List<String> names = new ArrayList<>(attachments.files());
        for (Attachments.Embedded text : attachments.texts()) {
            if (work.workspace().file(text.name()) != null) {
                names.add(text.name());
            } else {
                searchText(question, text);
            }
        }
        if (names.contains("")) {
            search(question, Scope.everywhere(), FILES);
        } else if (!names.isEmpty()) {
            search(question, Scope.ofNames(names), FILES);
        }
    }

    /** Searches the workspace and reports the result, at most {@code limit} files. */
    void search(Question question, Scope scope, int limit) throws InterruptedException, IOException {
        String where = scope.isEverywhere() ? "" : " in " + scope;
        Step step = work.step("Search for " + words(question) + where, ToolKind.SEARCH, input(question, scope));
        step.start();
        WorkspaceSearch search = new WorkspaceSearch(work.workspace().index(), this::text);
        Answer answer = search.answer(question, scope, limit, new IndexProgress(work));
        step.locations(locations(answer));
        step.output(output(answer));
        step.show(places(answer));
        step.complete();
        if (answer.coverage().files() == 0) {
            work.say(work.workspace().whyEmpty() + "\n");
            return;
        }
        for (String piece : AnswerText.of(answer)) {
            work.say(piece);
        }
    }

    private @Nullable String text(WorkspaceFile file) throws InterruptedException {
        String text = embedded.get(file.name());
        return text != null ? text : access.readForDisplay(file);
    }

    /** A text that is not a file of the workspace: it has places, but no rank. */
    private void searchText(Question question, Attachments.Embedded text) throws InterruptedException {
        WorkspaceIndex index = work.workspace().index();
        Map<String, Passages.Value> values = new HashMap<>();
        for (SearchTerm term : index.terms(question)) {
            values.put(term.text(), Passages.Value.of(term, 0.5));
        }
        WorkspaceFile file = new WorkspaceFile(
                work.workspace().workingDirectory(), text.name(), text.text().length(), 0);
        List<String> lines = WorkspaceSearch.lines(text.text());
        Passages.Found found = new Passages(question, index.analyzer(), values).in(file, lines, FILES);
        List<Answer.Excerpt> excerpts = WorkspaceSearch.excerpts(found.best(), lines);
        List<Answer.Hit> hits =
                excerpts.isEmpty() ? List.of() : List.of(new Answer.Hit(file, 1, excerpts, found.matching()));
        Answer answer = new Answer(question, text.name(), hits, hits.size(), Map.of(), Coverage.ofText());
        for (String piece : AnswerText.of(answer)) {
            work.say(piece);
        }
    }

    private static String words(Question question) {
        List<String> words = new ArrayList<>();
        for (Question.Word word : question.words()) {
            if (word.isStrong()) {
                words.add(word.text());
            }
        }
        for (String phrase : question.phrases()) {
            words.add("“" + phrase + "”");
        }
        return String.join(" ", words);
    }

    private static RawJson input(Question question, Scope scope) {
        Facts facts = new Facts().put("query", words(question));
        if (!scope.isEverywhere()) {
            facts.put("in", scope.toString());
        }
        return facts.json();
    }

    private static List<ToolCallLocation> locations(Answer answer) {
        List<ToolCallLocation> locations = new ArrayList<>();
        for (Answer.Hit hit : answer.hits()) {
            String path = hit.file().path().toString();
            locations.add(
                    hit.excerpts().isEmpty()
                            ? ToolCallLocation.of(path)
                            : ToolCallLocation.of(
                                    path, hit.excerpts().getFirst().line()));
        }
        return locations;
    }

    private static RawJson output(Answer answer) {
        List<Facts> hits = new ArrayList<>();
        for (Answer.Hit hit : answer.hits()) {
            List<Facts> lines = new ArrayList<>();
            for (Answer.Excerpt excerpt : hit.excerpts()) {
                lines.add(new Facts().put("line", excerpt.line()).put("text", excerpt.text()));
            }
            hits.add(new Facts()
                    .put("path", hit.file().name())
                    .put("matchingLines", hit.matching())
                    .putAll("places", lines));
        }
        return new Facts()
                .put("matchingFiles", answer.total())
                .put("searchedFiles", answer.coverage().searched())
                .putAll("best", hits)
                .json();
    }

    private static String places(Answer answer) {
        if (answer.hits().isEmpty()) {
            return "No match in " + Markdown.count(answer.coverage().searched(), "file", "files") + ".";
        }
        StringBuilder text = new StringBuilder();
        for (Answer.Hit hit : answer.hits()) {
            String name = hit.file().name();
            text.append(
                    hit.excerpts().isEmpty()
                            ? name
                            : name + ":" + hit.excerpts().getFirst().line());
            text.append('\n');
        }
        return text.toString();
    }
}
