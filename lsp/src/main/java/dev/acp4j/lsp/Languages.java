package dev.acp4j.lsp;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The languages whose files are known by their names, with the identifiers that servers get for them. */
final class Languages {
    /** By language: the ends of its files' names, each with the identifier of such a file. */
    private static final Map<String, Map<String, String>> KNOWN = known();

    private Languages() {}

    private static Map<String, Map<String, String>> known() {
        Map<String, Map<String, String>> known = new LinkedHashMap<>();
        put(known, "bash", ".sh=shellscript .bash=shellscript");
        put(known, "c", ".c=c .h=c");
        put(known, "cpp", ".cc=cpp .cpp=cpp .cxx=cpp .hh=cpp .hpp=cpp .hxx=cpp .h=cpp .c=c");
        put(known, "csharp", ".cs=csharp");
        put(known, "css", ".css=css");
        put(known, "dart", ".dart=dart");
        put(known, "elixir", ".ex=elixir .exs=elixir");
        put(known, "go", ".go=go");
        put(known, "haskell", ".hs=haskell");
        put(known, "html", ".html=html .htm=html");
        put(known, "java", ".java=java");
        put(known, "javascript", ".js=javascript .mjs=javascript .cjs=javascript .jsx=javascriptreact");
        put(known, "json", ".json=json");
        put(known, "kotlin", ".kt=kotlin .kts=kotlin");
        put(known, "lua", ".lua=lua");
        put(known, "markdown", ".md=markdown");
        put(known, "php", ".php=php");
        put(known, "python", ".py=python .pyi=python");
        put(known, "ruby", ".rb=ruby");
        put(known, "rust", ".rs=rust");
        put(known, "scala", ".scala=scala .sbt=scala");
        put(known, "swift", ".swift=swift");
        put(
                known,
                "typescript",
                ".ts=typescript .mts=typescript .cts=typescript .tsx=typescriptreact .js=javascript .mjs=javascript"
                        + " .cjs=javascript .jsx=javascriptreact");
        put(known, "yaml", ".yaml=yaml .yml=yaml");
        put(known, "zig", ".zig=zig");
        return known;
    }

    /** Adds a language with the ends of its files' names, each with its identifier. */
    private static void put(Map<String, Map<String, String>> known, String language, String pairs) {
        Map<String, String> all = new LinkedHashMap<>();
        for (String pair : pairs.split(" ", -1)) {
            int middle = pair.indexOf('=');
            all.put(pair.substring(0, middle), pair.substring(middle + 1));
        }
        known.put(language, all);
    }

    /** Returns the ends of names, with identifiers; null for a language that is not known. */
    static @Nullable Map<String, String> extensions(String language) {
        return KNOWN.get(language);
    }

    static Set<String> names() {
        return KNOWN.keySet();
    }
}
