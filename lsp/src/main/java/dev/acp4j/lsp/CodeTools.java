package dev.acp4j.lsp;

import dev.acp4j.json.RawJson;
import dev.acp4j.mcp.ToolServer;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The four tools, as an MCP server. */
final class CodeTools {
    // Schemas and not records: which components of a record may be absent is known at run time only where JSpecify is.

    private static final String PATH = "a path relative to the session's working directory, or an absolute one";

    private static final RawJson FILES = RawJson.parse("""
            {"type": "object", "properties": {
             "file": {"type": "string", "description": "The file: %s. Without it, all files that were asked about or written in this session"}}}
            """.formatted(PATH));

    private static final RawJson PLACE = RawJson.parse("""
            {"type": "object", "required": ["file", "line"], "properties": {
             "file": {"type": "string", "description": "The file: %s"},
             "line": {"type": "integer", "description": "The line, counted from 1"},
             "column": {"type": "integer", "description": "The column, counted from 1 in UTF-16 code units; or name a symbol instead"},
             "symbol": {"type": "string", "description": "A word in the line, in place of the column"}}}
            """.formatted(PATH));

    private static final RawJson SYMBOLS = RawJson.parse("""
            {"type": "object", "properties": {
             "file": {"type": "string", "description": "The file: %s. Its symbols are listed, unless there is a query"},
             "query": {"type": "string", "description": "What the names of symbols in all files must match; a file then only says which language is meant"}}}
            """.formatted(PATH));

    /** A place that a model means: a line, and a column or a word in it. */
    record Place(
            String file,
            int line,
            @Nullable Integer column,
            @Nullable String symbol) {
        private static Place of(ToolServer.Call call) {
            Integer column = number(call.arguments(), "column");
            Integer line = number(call.arguments(), "line");
            return new Place(call.text("file"), line == null ? 0 : line, column, Lsp.text(call.arguments(), "symbol"));
        }

        private static @Nullable Integer number(RawJson arguments, String name) {
            RawJson value = Lsp.member(arguments, name);
            // An integer may be written as 1.0.
            return value == null ? null : (Integer) (int) value.reader().number();
        }
    }

    /** Answers a question. */
    @FunctionalInterface
    private interface Answering {
        void answer(Question question) throws Exception;
    }

    private final Function<List<Path>, @Nullable Workspace> workspaces;
    private final LanguageTools.Settings settings;

    CodeTools(Function<List<Path>, @Nullable Workspace> workspaces, LanguageTools.Settings settings) {
        this.workspaces = workspaces;
        this.settings = settings;
    }

    ToolServer server() {
        return ToolServer.builder("lsp", "1")
                .instructions("Answers of language servers about the code in the session's folders, as the files are"
                        + " now. Lines and columns count from 1, columns in UTF-16 code units. A note at the end of an"
                        + " answer says when it may be from before the last write, or incomplete.")
                .tool(
                        "diagnostics",
                        "Errors and warnings in a file, or in all files of this session",
                        FILES,
                        call -> answer(call, question -> {
                            String file = Lsp.text(call.arguments(), "file");
                            DiagnosticsAnswer answer = new DiagnosticsAnswer(question);
                            if (file == null) {
                                answer.ofAll();
                            } else {
                                answer.of(file);
                            }
                        }))
                .tool(
                        "definition",
                        "Where the thing at a place in a file is defined",
                        PLACE,
                        call -> answer(call, question -> new PlacesAnswer(question).definition(Place.of(call))))
                .tool(
                        "references",
                        "Where the thing at a place in a file is used",
                        PLACE,
                        call -> answer(call, question -> new PlacesAnswer(question).references(Place.of(call))))
                .tool(
                        "symbols",
                        "The classes, functions and other symbols of a file; or those of all files that match a query",
                        SYMBOLS,
                        call -> answer(call, question -> symbols(call.arguments(), question)))
                .build();
    }

    private static void symbols(RawJson arguments, Question question) throws Exception {
        PlacesAnswer answer = new PlacesAnswer(question);
        String query = Lsp.text(arguments, "query");
        String file = Lsp.text(arguments, "file");
        if (query != null) {
            answer.symbols(query, file);
        } else if (file != null) {
            answer.symbols(file);
        } else {
            throw new IllegalArgumentException("expected a file or a query");
        }
    }

    private String answer(ToolServer.Call call, Answering answering) throws Exception {
        List<Path> folders = call.setup()
                .map(setup -> LanguageTools.folders(setup.cwd(), setup.additionalDirectories()))
                .orElse(List.of());
        Workspace workspace = workspaces.apply(folders);
        if (workspace == null) {
            throw new IllegalArgumentException("there are no language servers for the folder of this session");
        }
        Question question = new Question(workspace, settings);
        answering.answer(question);
        return question.finish();
    }
}
