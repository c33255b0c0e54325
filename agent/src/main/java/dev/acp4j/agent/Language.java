package dev.acp4j.agent;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * A language that files of a workspace are written in, known by the file name.
 *
 * @param name as people call it
 * @param kind what it is mainly used for
 */
record Language(String name, Kind kind) {
    /** What files of a language are for. */
    enum Kind {
        /** Programs. */
        CODE,
        /** Text for people. */
        PROSE,
        /** Settings, builds and data. */
        DATA,
        /** Not known. */
        OTHER
    }

    private static final Language UNKNOWN = new Language("other", Kind.OTHER);
    private static final Map<String, Language> BY_EXTENSION = new HashMap<>();
    private static final Map<String, Language> BY_FILE_NAME = new HashMap<>();
    private static final Set<String> BINARY =
            words("png jpg jpeg gif bmp ico icns webp avif tif tiff psd mp3 mp4 m4a ogg wav flac avi mov mkv webm "
                    + "pdf doc docx xls xlsx ppt pptx odt ods zip gz tgz bz2 xz zst 7z rar tar jar war ear class "
                    + "jmod so dll dylib exe o a lib bin dat db sqlite sqlite3 woff woff2 ttf otf eot pyc pyo wasm "
                    + "pack idx keystore jks p12 aot jsa");

    static {
        code("Java", "java jav");
        code("Kotlin", "kt kts");
        code("Groovy", "groovy gradle");
        code("Scala", "scala sc sbt");
        code("Clojure", "clj cljs cljc edn");
        code("Python", "py pyi pyw");
        code("JavaScript", "js mjs cjs jsx");
        code("TypeScript", "ts mts cts tsx");
        code("Vue", "vue");
        code("Svelte", "svelte");
        code("C", "c h");
        code("C++", "cc cpp cxx hh hpp hxx ino");
        code("C#", "cs csx");
        code("F#", "fs fsx fsi");
        code("Visual Basic", "vb");
        code("Go", "go");
        code("Rust", "rs");
        code("Swift", "swift");
        code("Objective-C", "m mm");
        code("Ruby", "rb rake gemspec");
        code("PHP", "php phtml");
        code("Perl", "pl pm");
        code("Lua", "lua");
        code("R", "r");
        code("Julia", "jl");
        code("Dart", "dart");
        code("Elixir", "ex exs");
        code("Erlang", "erl hrl");
        code("Haskell", "hs lhs");
        code("OCaml", "ml mli");
        code("Zig", "zig");
        code("Nim", "nim");
        code("Assembly", "asm s");
        code("Shell", "sh bash zsh fish ksh");
        code("PowerShell", "ps1 psm1");
        code("Batch", "bat cmd");
        code("SQL", "sql");
        code("HTML", "html htm xhtml");
        code("CSS", "css scss sass less");
        code("GraphQL", "graphql gql");
        code("Protocol Buffers", "proto");
        code("Nix", "nix");
        code("Terraform", "tf");
        put(Kind.PROSE, "Markdown", "md markdown mdx");
        put(Kind.PROSE, "AsciiDoc", "adoc asciidoc");
        put(Kind.PROSE, "reStructuredText", "rst");
        put(Kind.PROSE, "TeX", "tex");
        put(Kind.PROSE, "Text", "txt text");
        put(Kind.DATA, "JSON", "json jsonc json5 ndjson jsonl");
        put(Kind.DATA, "YAML", "yml yaml");
        put(Kind.DATA, "TOML", "toml");
        put(Kind.DATA, "XML", "xml xsd xsl xslt pom fxml");
        put(Kind.DATA, "Properties", "properties ini cfg conf");
        put(Kind.DATA, "CSV", "csv tsv");
        put(Kind.DATA, "SVG", "svg");
        put(Kind.DATA, "Lock file", "lock");
        file("Dockerfile", Kind.CODE, "dockerfile containerfile");
        file("Makefile", Kind.CODE, "makefile gnumakefile");
        file("CMake", Kind.CODE, "cmakelists.txt");
        file("Jenkinsfile", Kind.CODE, "jenkinsfile");
        file("Text", Kind.PROSE, "readme license notice authors changelog contributing");
    }

    /** Returns the language of {@code file}; "other" if the file name is not known. */
    static Language of(WorkspaceFile file) {
        Language byName = BY_FILE_NAME.get(file.fileName().toLowerCase(Locale.ROOT));
        return byName != null ? byName : BY_EXTENSION.getOrDefault(file.extension(), UNKNOWN);
    }

    /** Returns the file name extensions of the language called {@code name}, in any case; empty for an unknown one. */
    static List<String> extensionsOf(String name) {
        return BY_EXTENSION.entrySet().stream()
                .filter(e -> e.getValue().name.equalsIgnoreCase(name))
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
    }

    static boolean isBinaryExtension(String extension) {
        return BINARY.contains(extension);
    }

    private static void code(String name, String extensions) {
        put(Kind.CODE, name, extensions);
    }

    private static void put(Kind kind, String name, String extensions) {
        Language language = new Language(name, kind);
        for (String extension : extensions.split(" ", -1)) {
            BY_EXTENSION.put(extension, language);
        }
    }

    private static void file(String name, Kind kind, String fileNames) {
        Language language = new Language(name, kind);
        for (String fileName : fileNames.split(" ", -1)) {
            BY_FILE_NAME.put(fileName, language);
        }
    }

    private static Set<String> words(String text) {
        return Set.of(text.split(" ", -1));
    }
}
