package dev.acp4j.lsp;

import dev.acp4j.json.RawJson;
import dev.acp4j.process.Launch;
import dev.acp4j.schema.Unstable;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A language server that may be started, and the files that it is for. Immutable; each method returns a changed copy.
 *
 * <pre>{@code
 * LanguageServer.of("python", Launch.of("pylsp"))
 * }</pre>
 *
 * <p>The server gets the environment of {@link Launch#inheritNoModelKeys}, whatever the launch says, and what the
 * launch declares. It runs in the folder of the session. A language server may run code of the project, such as build
 * scripts and plug-ins: use it for projects that the user trusts.
 */
@Unstable
public final class LanguageServer {
    private final String language;
    private final Launch launch;
    private final Map<String, String> extensions;
    private final RawJson initializationOptions;
    private final RawJson settings;

    private LanguageServer(
            String language,
            Launch launch,
            Map<String, String> extensions,
            RawJson initializationOptions,
            RawJson settings) {
        this.language = language;
        this.launch = launch;
        this.extensions = extensions;
        this.initializationOptions = initializationOptions;
        this.settings = settings;
    }

    /**
     * Returns a server for the files of a language.
     *
     * @param language its name in small letters, such as {@code java}, {@code python} or {@code typescript}, which is
     *     JavaScript, too
     * @param launch starts the server; it must speak on standard input and output
     * @throws IllegalArgumentException when the language is not known: see {@link #of(String, Launch, Map)}
     */
    public static LanguageServer of(String language, Launch launch) {
        Map<String, String> extensions = Languages.extensions(language);
        if (extensions == null) {
            throw new IllegalArgumentException("the files of the language \"" + language
                    + "\" are not known; known are " + String.join(", ", Languages.names())
                    + "; for others name the extensions in a configuration file");
        }
        return of(language, launch, extensions);
    }

    /**
     * Returns a server for files with these names.
     *
     * @param language the name of the language, for answers
     * @param launch starts the server
     * @param extensions the ends of files' names with a dot, each with the protocol's <a
     *     href="https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/#textDocumentItem">identifier</a>
     *     of the language of such a file
     * @throws IllegalArgumentException when there is none, or one has no dot
     */
    public static LanguageServer of(String language, Launch launch, Map<String, String> extensions) {
        if (language.isBlank()) {
            throw new IllegalArgumentException("the language is empty");
        }
        if (extensions.isEmpty() || !extensions.keySet().stream().allMatch(name -> name.startsWith("."))) {
            throw new IllegalArgumentException("expected extensions that begin with a dot, got " + extensions.keySet());
        }
        return new LanguageServer(
                language,
                Objects.requireNonNull(launch),
                new LinkedHashMap<>(extensions),
                RawJson.NULL,
                RawJson.EMPTY_OBJECT);
    }

    /** Returns the same server with options that it gets when it is initialized; of any shape that it wants. */
    public LanguageServer initializationOptions(RawJson value) {
        return new LanguageServer(language, launch, extensions, value, settings);
    }

    /**
     * Returns the same server with settings.
     *
     * @param value an object; a section such as {@code python.analysis} is a path in it
     */
    public LanguageServer settings(RawJson value) {
        return new LanguageServer(language, launch, extensions, initializationOptions, value);
    }

    /** Returns the name of the language. */
    public String language() {
        return language;
    }

    /** Returns how it is started. */
    public Launch launch() {
        return launch;
    }

    RawJson initializationOptions() {
        return initializationOptions;
    }

    RawJson settings() {
        return settings;
    }

    /** Returns the identifier of a file's language; null if the server is not for the file. */
    @Nullable
    String identifier(Path file) {
        String name = String.valueOf(file.getFileName());
        int dot = name.lastIndexOf('.');
        return dot < 0 ? null : extensions.get(name.substring(dot));
    }

    /** Returns the language and the ends of its files' names. */
    @Override
    public String toString() {
        return language + " (" + String.join(", ", extensions.keySet()) + ")";
    }
}
