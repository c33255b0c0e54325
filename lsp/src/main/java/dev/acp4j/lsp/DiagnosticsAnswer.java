package dev.acp4j.lsp;

import dev.acp4j.json.JsonReader;
import dev.acp4j.json.RawJson;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Answers what is wrong in files. */
final class DiagnosticsAnswer {
    private static final String METHOD = "textDocument/diagnostic";

    /** How long a server may take for what the change of another file may have changed. */
    private static final Duration OTHERS_TIME = Duration.ofSeconds(2);

    private static final List<String> SEVERITIES = List.of("error", "warning", "information", "hint");

    private final Question question;
    private final AnswerText answer;
    private final Contents contents;

    DiagnosticsAnswer(Question question) {
        this.question = question;
        this.answer = question.answer();
        this.contents = question.contents();
    }

    /** Answers for one file. */
    void of(String name) throws InterruptedException, ServerUnavailableException {
        of(contents.file(name));
    }

    /** Answers for the files that are open: asked about or written in this session. */
    void ofAll() throws InterruptedException {
        Set<Path> files = new LinkedHashSet<>(contents.written());
        List<RunningServer.Session> running = new ArrayList<>();
        for (RunningServer server : question.workspace().started()) {
            try {
                RunningServer.Session session = question.of(server);
                running.add(session);
                files.addAll(session.documents().open());
            } catch (ServerUnavailableException e) {
                answer.note(e.getMessage());
            }
        }
        files.removeIf(file -> !question.workspace().serves(file) || !exists(file));
        if (files.isEmpty()) {
            answer.line("No file was asked about or written in this session yet: name one.");
        }
        for (Path file : files) {
            try {
                of(file);
            } catch (ServerUnavailableException e) {
                answer.note("Nothing is known of " + contents.name(file) + ": " + e.getMessage());
            }
        }
        for (RunningServer.Session session : running) {
            others(session.link(), files);
        }
    }

    private boolean exists(Path file) {
        try {
            return contents.read(file) != null;
        } catch (IOException e) {
            return true; // It is said below why it cannot be read.
        }
    }

    /** Adds what a server has sent for files that nobody has opened. */
    private void others(ServerLink link, Set<Path> open) throws InterruptedException {
        for (Path file : link.published().files()) {
            if (!open.contains(file)) {
                var found = link.published()
                        .await(file, new PublishedDiagnostics.Wanted(0, 0, 0), Duration.ZERO, question.end(), 0);
                if (found.known() != null) {
                    answer.note("Files that are not open may have changed since the server has looked at them.");
                    write(file, found.known().diagnostics());
                }
            }
        }
    }

    private void of(Path file) throws InterruptedException, ServerUnavailableException {
        Question.Asked asked = question.of(file);
        List<Lsp.Diagnostic> all = new ArrayList<>();
        boolean isAnswered = asked.link().offers("diagnosticProvider");
        if (isAnswered) {
            all.addAll(answered(asked));
        }
        published(asked, isAnswered).stream()
                .filter(one -> !all.contains(one))
                .toList()
                .forEach(all::add);
        write(file, all);
        question.check(asked);
    }

    private List<Lsp.Diagnostic> answered(Question.Asked asked)
            throws InterruptedException, ServerUnavailableException {
        RawJson params = Question.about(asked.file(), out -> {
            String identifier = Lsp.text(asked.link().capability("diagnosticProvider"), "identifier");
            if (identifier != null) {
                out.name("identifier");
                out.string(identifier);
            }
        });
        return question.read(question.ask(asked, METHOD, params), LspReportCodec.INSTANCE, METHOD).stream()
                .flatMap(report -> report.items().stream())
                .toList();
    }

    /** Returns what the server sends by itself, and says so if it has not sent it yet. */
    private List<Lsp.Diagnostic> published(Question.Asked asked, boolean isAnswered) throws InterruptedException {
        Duration quiet = isAnswered ? Duration.ZERO : question.settings().quiet();
        var found = asked.link()
                .published()
                .await(
                        asked.file(),
                        asked.synced().wanted(),
                        quiet,
                        isAnswered ? 0 : question.end(),
                        question.endOf(OTHERS_TIME));
        PublishedDiagnostics.Known known = found.known();
        boolean isNothing = known == null || known.diagnostics().isEmpty();
        String name = contents.name(asked.file());
        if (isAnswered && isNothing) {
            return List.of();
        }
        if (known == null) {
            answer.note("The server has sent no diagnostics of " + name + " in time. That does not mean that there are"
                    + " none: ask again.");
        } else if (!found.isOfText()) {
            answer.note("The server has not sent the diagnostics of " + name + " as it is now: these are from before"
                    + " the last write. Ask again.");
        } else if (!found.isAfterOthers()) {
            answer.note("Another file has changed since the server has sent the diagnostics of " + name + ".");
        }
        return known == null ? List.of() : known.diagnostics();
    }

    private void write(Path file, List<Lsp.Diagnostic> diagnostics) {
        String name = contents.name(file);
        answer.line(
                diagnostics.isEmpty()
                        ? "No diagnostics in " + name + "."
                        : diagnostics.size() + (diagnostics.size() == 1 ? " diagnostic in " : " diagnostics in ") + name
                                + ":");
        diagnostics.stream()
                .sorted(Comparator.comparingInt(Lsp.Diagnostic::rank)
                        .thenComparingLong(one -> one.range().start().line()))
                .forEach(one -> answer.line(line(name, one)));
    }

    private static String line(String name, Lsp.Diagnostic one) {
        int rank = one.rank();
        String severity = rank >= 1 && rank <= SEVERITIES.size() ? SEVERITIES.get(rank - 1) : "severity " + rank;
        String from = String.join(
                " ",
                List.of(one.source() == null ? "" : one.source(), code(one.code())).stream()
                        .filter(part -> !part.isEmpty())
                        .toList());
        String message = one.message().strip().replaceAll("\\s*\\R\\s*", " / ");
        return name + ":" + one.range().start() + ": " + severity + ": " + message
                + (from.isEmpty() ? "" : " [" + from + "]");
    }

    private static String code(@Nullable RawJson code) {
        if (code == null || code.equals(RawJson.NULL)) {
            return "";
        }
        return code.reader().kind() == JsonReader.Kind.STRING ? code.reader().string() : code.toString();
    }
}
