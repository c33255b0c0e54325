package dev.acp4j.lsp;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.OptionalMember;
import dev.acp4j.schema.codec.Range;
import java.net.URI;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What language servers say, as far as the tools read it. Where the protocol has several shapes for the same thing, one
 * record has the members of all.
 *
 * @see <a href="https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/">Language
 *     Server Protocol</a>
 */
final class Lsp {
    private Lsp() {}

    /** A place in a text, line and UTF-16 code unit counted from 0. */
    @Codable
    record Position(
            @Range(max = Range.UINT32) long line,
            @Range(max = Range.UINT32) long character) {
        @Override
        public String toString() {
            return (line + 1) + ":" + (character + 1);
        }
    }

    /** A part of a text. */
    @Codable
    record Span(Position start, Position end) {}

    /** A place in a file: Location, or LocationLink with the members that begin with target. */
    @Codable
    record Location(
            @Nullable String uri,
            @Nullable Span range,
            @Nullable String targetUri,
            @Nullable Span targetSelectionRange) {
        String file() {
            return uri != null ? uri : targetUri != null ? targetUri : "";
        }

        @Nullable
        Span span() {
            return range != null ? range : targetSelectionRange;
        }
    }

    /**
     * A problem in a file.
     *
     * @param severity 1 error, 2 warning, 3 information, 4 hint
     * @param code a number or a text
     */
    @Codable
    record Diagnostic(
            Span range,
            @DefaultOnError @Nullable Integer severity,
            @Nullable RawJson code,
            @Nullable String source,
            String message) {
        int rank() {
            return severity == null ? 1 : severity;
        }
    }

    /** All diagnostics of a file, as a server sends them by itself. */
    @Codable
    record Published(String uri, @Nullable Integer version, List<Diagnostic> diagnostics) {}

    /** All diagnostics of a file, as a server answers: of the kind full, since nothing else is asked for. */
    @Codable
    record Report(String kind, @OptionalMember List<Diagnostic> items) {}

    /** A symbol: DocumentSymbol with its children, or SymbolInformation and WorkspaceSymbol with their location. */
    @Codable
    record Symbol(
            String name,
            @Nullable String detail,
            @DefaultOnError @Nullable Integer kind,
            @Nullable Span selectionRange,
            @Nullable Location location,
            @Nullable String containerName,
            @OptionalMember List<RawJson> children) {
        private static final List<String> KINDS = List.of(
                "symbol",
                "file",
                "module",
                "namespace",
                "package",
                "class",
                "method",
                "property",
                "field",
                "constructor",
                "enum",
                "interface",
                "function",
                "variable",
                "constant",
                "string",
                "number",
                "boolean",
                "array",
                "object",
                "key",
                "null",
                "enum member",
                "struct",
                "event",
                "operator",
                "type parameter");

        String kindName() {
            return KINDS.get(kind == null || kind < 0 || kind >= KINDS.size() ? 0 : kind);
        }
    }

    /** The answer to the first request. */
    @Codable
    record Initialized(RawJson capabilities) {}

    /** Reads an element, a list of them, or null for none. */
    static <T> List<T> list(RawJson result, Codec<T> codec) {
        JsonReader in = result.reader("result");
        List<T> elements = new ArrayList<>();
        if (in.kind() == JsonReader.Kind.ARRAY) {
            in.beginArray();
            while (in.nextElement()) {
                elements.add(codec.decode(in));
            }
        } else if (in.kind() != JsonReader.Kind.NULL) {
            elements.add(codec.decode(in));
        }
        return elements;
    }

    /** Returns a member of an object; null if it is absent, or there is no object. */
    static @Nullable RawJson member(@Nullable RawJson of, String name) {
        if (of == null || of.reader().kind() != JsonReader.Kind.OBJECT) {
            return null;
        }
        JsonReader in = of.reader();
        in.beginObject();
        RawJson found = null;
        while (in.nextMember()) {
            if (in.name().equals(name)) {
                found = in.raw();
            } else {
                in.skip();
            }
        }
        return RawJson.NULL.equals(found) ? null : found;
    }

    /** Returns a member that is a text; null if it is none. */
    static @Nullable String text(@Nullable RawJson of, String name) {
        RawJson value = member(of, name);
        return value != null && value.reader().kind() == JsonReader.Kind.STRING
                ? value.reader().string()
                : null;
    }

    /** Writes an object. */
    static RawJson object(Consumer<JsonWriter> members) {
        JsonWriter out = new JsonWriter();
        out.beginObject();
        members.accept(out);
        out.endObject();
        return out.toRawJson();
    }

    /** Returns the address of a file, in the one form by which it is compared. */
    static String uri(Path file) {
        String uri = file.toUri().toString();
        return uri.endsWith("/") ? uri.substring(0, uri.length() - 1) : uri;
    }

    /** Returns the file at an address; null if it is none of this machine. */
    static @Nullable Path path(String uri) {
        try {
            URI parsed = URI.create(uri);
            return "file".equals(parsed.getScheme()) ? Path.of(parsed).normalize() : null;
        } catch (IllegalArgumentException | FileSystemNotFoundException e) {
            return null;
        }
    }
}
