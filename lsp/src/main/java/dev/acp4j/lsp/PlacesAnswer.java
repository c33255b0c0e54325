package dev.acp4j.lsp;

import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Answers where something is: definitions, references and symbols. */
final class PlacesAnswer {
    /** Deeper ones are left out: nobody reads them, and a server may nest without end. */
    private static final int DEEPEST = 10;

    private final Question question;
    private final AnswerText answer;
    private final Contents contents;
    private final Map<Path, List<String>> read = new HashMap<>();

    PlacesAnswer(Question question) {
        this.question = question;
        this.answer = question.answer();
        this.contents = question.contents();
    }

    void definition(CodeTools.Place place) throws InterruptedException, ServerUnavailableException {
        locations(place, "definition", "textDocument/definition", "definitionProvider", out -> {});
    }

    void references(CodeTools.Place place) throws InterruptedException, ServerUnavailableException {
        locations(place, "reference", "textDocument/references", "referencesProvider", out -> {
            out.name("context");
            out.beginObject();
            out.name("includeDeclaration");
            out.bool(true);
            out.endObject();
        });
    }

    private void locations(
            CodeTools.Place place, String what, String method, String capability, Consumer<JsonWriter> more)
            throws InterruptedException, ServerUnavailableException {
        Path file = contents.file(place.file());
        Question.Asked asked = question.of(file);
        require(asked.server(), asked.link(), capability, method);
        Lsp.Position position = position(place, asked.synced().text());
        RawJson params = Question.about(file, out -> {
            out.name("position");
            LspPositionCodec.INSTANCE.encode(position, out);
            more.accept(out);
        });
        List<Lsp.Location> found =
                question.read(question.ask(asked, method, params), LspLocationCodec.INSTANCE, method);
        String of = contents.name(file) + ":" + position;
        answer.line(
                found.isEmpty()
                        ? "The server knows no " + what + " for " + of + "."
                        : found.size() + " " + what + (found.size() == 1 ? "" : "s") + " for " + of + ":");
        found.forEach(one -> answer.line(line(one)));
        question.check(asked);
    }

    private static void require(RunningServer server, ServerLink link, String capability, String method)
            throws ServerUnavailableException {
        if (!link.offers(capability)) {
            throw new ServerUnavailableException(
                    "the language server for " + server.server().language() + " does not offer " + method);
        }
    }

    /** Returns the place that a model means: by its column, or by a word in the line. */
    private static Lsp.Position position(CodeTools.Place place, String text) {
        List<String> lines = text.lines().toList();
        int last = Math.max(1, lines.size());
        if (place.line() < 1 || place.line() > last) {
            throw new IllegalArgumentException("line: expected a number from 1 to " + last + ", got " + place.line());
        }
        String line = lines.isEmpty() ? "" : lines.get(place.line() - 1);
        Integer column = place.column();
        if (column != null) {
            if (column < 1 || column > line.length() + 1) {
                throw new IllegalArgumentException("column: expected a number from 1 to " + (line.length() + 1)
                        + " in line " + place.line() + ", got " + column);
            }
            return new Lsp.Position(place.line() - 1, column - 1);
        }
        String symbol = place.symbol();
        if (symbol == null || symbol.isEmpty()) {
            throw new IllegalArgumentException("expected a column, or a symbol that is in the line");
        }
        int at = word(line, symbol);
        if (at < 0) {
            throw new IllegalArgumentException(
                    "symbol: line " + place.line() + " has no " + symbol + "; it is: " + line.strip());
        }
        return new Lsp.Position(place.line() - 1, at);
    }

    /** Returns where a word is in a line; -1 if nowhere. */
    private static int word(String line, String word) {
        for (int at = line.indexOf(word); at >= 0; at = line.indexOf(word, at + 1)) {
            int after = at + word.length();
            boolean begins = at == 0 || !Character.isJavaIdentifierPart(line.charAt(at - 1));
            boolean ends = after == line.length() || !Character.isJavaIdentifierPart(line.charAt(after));
            if (begins && ends) {
                return at;
            }
        }
        return -1;
    }

    // ---- symbols

    void symbols(String name) throws InterruptedException, ServerUnavailableException {
        String method = "textDocument/documentSymbol";
        Path file = contents.file(name);
        Question.Asked asked = question.of(file);
        require(asked.server(), asked.link(), "documentSymbolProvider", method);
        RawJson result = question.ask(asked, method, Question.about(file, out -> {}));
        List<Lsp.Symbol> symbols = question.read(result, LspSymbolCodec.INSTANCE, method);
        answer.line(symbols.isEmpty() ? "No symbols in " + contents.name(file) + "." : contents.name(file) + ":");
        for (Lsp.Symbol symbol : symbols) {
            outline(symbol, 1);
        }
        question.check(asked);
    }

    private void outline(Lsp.Symbol symbol, int depth) throws ServerUnavailableException {
        Lsp.Span span = symbol.location() == null
                ? symbol.selectionRange()
                : symbol.location().span();
        String detail = symbol.detail() == null || symbol.detail().isBlank() ? "" : " " + symbol.detail();
        answer.line("  ".repeat(depth) + symbol.kindName() + " " + symbol.name() + detail
                + (span == null ? "" : " " + span.start()));
        for (RawJson child : symbol.children()) {
            if (depth < DEEPEST) {
                for (Lsp.Symbol one : question.read(child, LspSymbolCodec.INSTANCE, "textDocument/documentSymbol")) {
                    outline(one, depth + 1);
                }
            }
        }
    }

    /** Answers where symbols with a name are. */
    void symbols(String query, @Nullable String name) throws InterruptedException, ServerUnavailableException {
        if (name != null) {
            Question.Asked asked = question.of(contents.file(name));
            search(query, asked.server(), asked.link());
            return;
        }
        List<RunningServer> servers = question.workspace().withFiles();
        if (servers.isEmpty()) {
            answer.line("There is no file that a language server is configured for.");
        }
        for (RunningServer server : servers) {
            try {
                search(query, server, question.of(server).link());
            } catch (ServerUnavailableException e) {
                answer.note("In the files of " + server.server() + " nothing was looked for: " + e.getMessage());
            }
        }
    }

    private void search(String query, RunningServer server, ServerLink link)
            throws InterruptedException, ServerUnavailableException {
        String method = "workspace/symbol";
        require(server, link, "workspaceSymbolProvider", method);
        RawJson params = Lsp.object(out -> {
            out.name("query");
            out.string(query);
        });
        List<Lsp.Symbol> symbols =
                question.read(question.ask(server, link, method, params), LspSymbolCodec.INSTANCE, method);
        answer.line(symbols.size()
                + (symbols.size() == 1 ? " symbol for " : " symbols for ")
                + query
                + (symbols.isEmpty() ? "." : ":"));
        for (Lsp.Symbol symbol : symbols) {
            String in = symbol.containerName() == null || symbol.containerName().isBlank()
                    ? ""
                    : " in " + symbol.containerName();
            Lsp.Location at = symbol.location();
            answer.line(symbol.kindName() + " " + symbol.name() + in + (at == null ? "" : ": " + place(at)));
        }
    }

    // ---- lines

    /** Returns a place with the line that is there, if that is in the session's folders, also behind links. */
    private String line(Lsp.Location location) {
        Path named = Lsp.path(location.file());
        Path file = named == null ? null : contents.inside(named.toString());
        Lsp.Span span = location.span();
        if (file == null || span == null) {
            return place(location);
        }
        List<String> lines = read.computeIfAbsent(file, this::lines);
        long at = span.start().line();
        return place(location) + (at < lines.size() ? ": " + lines.get((int) at).strip() : "");
    }

    private List<String> lines(Path file) {
        try {
            Contents.Content content = contents.read(file);
            return content == null ? List.of() : content.text().lines().toList();
        } catch (IOException e) {
            return List.of(); // The place is an answer without the line.
        }
    }

    private String place(Lsp.Location location) {
        Path file = Lsp.path(location.file());
        String name = file == null ? location.file() : contents.name(file);
        Lsp.Span span = location.span();
        return span == null ? name : name + ":" + span.start();
    }
}
