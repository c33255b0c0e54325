package dev.acp4j.lsp;

import dev.acp4j.mcp.ToolServer;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The four tools, as an MCP server. */
final class CodeTools {
    static final String PATH = "The file: a path relative to the session's working directory, or an absolute one";

    record Files(
            @ToolServer.Description(PATH + ". Without it, all files that were asked about or written in this session")
            @Nullable
            String file) {}

    record Place(
            @ToolServer.Description(PATH) String file,

            @ToolServer.Description("The line, counted from 1")
            int line,

            @ToolServer.Description("The column, counted from 1 in UTF-16 code units; or name a symbol instead")
            @Nullable
            Integer column,

            @ToolServer.Description("A word in the line, in place of the column") @Nullable
            String symbol) {}

    record Symbols(
            @ToolServer.Description(PATH + ". Its symbols are listed, unless there is a query") @Nullable
            String file,

            @ToolServer.Description("What the names of symbols in all files must match; a file then only says which"
                    + " language is meant")
            @Nullable
            String query) {}

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
                        Files.class,
                        (files, call) -> answer(call, question -> {
                            DiagnosticsAnswer answer = new DiagnosticsAnswer(question);
                            if (files.file() == null) {
                                answer.ofAll();
                            } else {
                                answer.of(files.file());
                            }
                        }))
                .tool(
                        "definition",
                        "Where the thing at a place in a file is defined",
                        Place.class,
                        (place, call) -> answer(call, question -> new PlacesAnswer(question).definition(place)))
                .tool(
                        "references",
                        "Where the thing at a place in a file is used",
                        Place.class,
                        (place, call) -> answer(call, question -> new PlacesAnswer(question).references(place)))
                .tool(
                        "symbols",
                        "The classes, functions and other symbols of a file; or those of all files that match a query",
                        Symbols.class,
                        (symbols, call) -> answer(call, question -> symbols(symbols, question)))
                .build();
    }

    private static void symbols(Symbols symbols, Question question) throws Exception {
        PlacesAnswer answer = new PlacesAnswer(question);
        if (symbols.query() != null) {
            answer.symbols(symbols.query(), symbols.file());
        } else if (symbols.file() != null) {
            answer.symbols(symbols.file());
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
