package dev.acp4j.lsp;

import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * A language server for tests. In its language {@code def x} defines, {@code x} uses, and a line with {@code bad} is
 * wrong. Its arguments say how it behaves; it writes down what it gets.
 */
final class ScriptedLanguageServer {
    private final Set<String> behaviour;
    private final Path log;
    private final Transport transport = new BaseProtocol(System.in, System.out, ServerLink.MESSAGE_BYTES);
    private final Map<String, Text> texts = new HashMap<>();
    private boolean isModified = true;

    private record Text(long version, String content) {}

    private ScriptedLanguageServer(Path log, Set<String> behaviour) {
        this.log = log;
        this.behaviour = behaviour;
    }

    public static void main(String[] args) throws Exception {
        new ScriptedLanguageServer(Path.of(args[0]), Set.copyOf(List.of(args).subList(1, args.length))).run();
    }

    private boolean is(String name) {
        return behaviour.contains(name);
    }

    private void run() throws Exception {
        write("pid " + ProcessHandle.current().pid());
        if (is("child")) {
            write("child " + new ProcessBuilder("sleep", "300").start().pid());
        }
        if (is("broken")) {
            System.err.println("no such interpreter");
            System.exit(3);
        }
        if (is("noisy")) {
            System.out.println("Scripted server: ready");
            System.out.flush();
        }
        for (Message message = transport.reader().read();
                message != null;
                message = transport.reader().read()) {
            take(message);
        }
        if (is("deaf")) {
            new CountDownLatch(1).await();
        }
    }

    private void write(String line) throws IOException {
        Files.writeString(log, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private void take(Message message) throws IOException {
        RawJson params = message.params();
        write((message.kind() == Message.Kind.RESULT ? "answer " + message.result() : message.method() + " " + params));
        switch (message.kind()) {
            case REQUEST -> answer(Objects.requireNonNull(message.id()), message.method(), params);
            case NOTIFICATION -> told(message.method(), params);
            default -> {
                // Written down above.
            }
        }
    }

    private void send(Message message) throws IOException {
        transport.writer().write(message);
        transport.writer().flush();
    }

    private void notify(String method, String params) throws IOException {
        send(Message.notification(method, RawJson.parse(params)));
    }

    // ---- requests

    private void answer(RequestId id, String method, @Nullable RawJson params) throws IOException {
        switch (method) {
            case "initialize" -> send(Message.result(id, RawJson.parse(capabilities())));
            case "shutdown" -> {
                if (!is("deaf")) {
                    send(Message.result(id, RawJson.NULL));
                }
            }
            case "textDocument/definition" -> definition(id, params);
            case "textDocument/references" -> send(Message.result(id, RawJson.parse(references(params))));
            case "textDocument/documentSymbol" -> send(Message.result(id, RawJson.parse(symbols(uri(params)))));
            case "textDocument/diagnostic" ->
                send(Message.result(
                        id,
                        RawJson.parse("{\"kind\":\"full\",\"items\":"
                                + diagnostics(text(uri(params)).content()) + "}")));
            default -> send(Message.error(id, RpcError.methodNotFound(method)));
        }
    }

    private String capabilities() {
        return "{\"capabilities\":{\"textDocumentSync\":{\"openClose\":true,\"change\":1,\"save\":true},"
                + (is("utf-8") ? "\"positionEncoding\":\"utf-8\"," : "")
                + (is("pull") ? "\"diagnosticProvider\":{}," : "")
                + "\"executeCommandProvider\":{\"commands\":[\"delete\"]},"
                + "\"definitionProvider\":true,\"referencesProvider\":true,\"documentSymbolProvider\":true}}";
    }

    private void definition(RequestId id, @Nullable RawJson params) throws IOException {
        if (is("silent")) {
            return;
        }
        if (is("dies")) {
            System.err.println("out of luck");
            System.exit(7);
        }
        if (is("modified") && isModified) {
            isModified = false;
            send(Message.error(id, new RpcError(ServerLink.CONTENT_MODIFIED, "content modified")));
            return;
        }
        String uri = uri(params);
        if (is("edits")) {
            send(Message.request(
                    RequestId.of(901),
                    "workspace/applyEdit",
                    RawJson.parse("{\"edit\":{\"changes\":{\"" + uri + "\":[{\"range\":" + span(0, 0, 1)
                            + ",\"newText\":\"X\"}]}}}")));
            send(Message.request(
                    RequestId.of(902),
                    "window/showMessageRequest",
                    RawJson.parse("{\"type\":1,\"message\":\"Delete all?\",\"actions\":[{\"title\":\"Yes\"}]}")));
        }
        if (is("elsewhere")) {
            String link = uri.replaceFirst("[^/]*$", "vendor/secret.script");
            send(Message.result(id, RawJson.parse("[{\"uri\":\"" + link + "\",\"range\":" + span(0, 0, 3) + "}]")));
            return;
        }
        String word = word(uri, params);
        List<String> lines = text(uri).content().lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            int at = lines.get(i).indexOf("def " + word);
            if (at >= 0 && !word.isEmpty()) {
                send(Message.result(
                        id,
                        RawJson.parse("[{\"targetUri\":\"" + uri + "\",\"targetRange\":" + span(i, 0, 1)
                                + ",\"targetSelectionRange\":" + span(i, at + 4, at + 4 + word.length()) + "}]")));
                return;
            }
        }
        send(Message.result(id, RawJson.NULL));
    }

    private String references(@Nullable RawJson params) throws IOException {
        String uri = uri(params);
        String word = word(uri, params);
        StringBuilder found = new StringBuilder("[");
        List<String> lines = text(uri).content().lines().toList();
        int times = is("huge") ? 10_000 : 1;
        for (int i = 0; i < lines.size(); i++) {
            int at = lines.get(i).indexOf(word);
            for (int n = 0; at >= 0 && n < times; n++) {
                found.append(found.length() > 1 ? "," : "")
                        .append("{\"uri\":\"" + uri + "\",\"range\":" + span(i, at, at + word.length()) + "}");
            }
        }
        return found.append("]").toString();
    }

    private String symbols(String uri) throws IOException {
        StringBuilder found = new StringBuilder("[");
        List<String> lines = text(uri).content().lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            int at = lines.get(i).indexOf("def ");
            if (at >= 0) {
                String name = lines.get(i).substring(at + 4).strip();
                found.append(found.length() > 1 ? "," : "")
                        .append("{\"name\":\"" + name + "\",\"kind\":12,\"range\":" + span(i, 0, 1)
                                + ",\"selectionRange\":" + span(i, at + 4, at + 5)
                                + ",\"children\":[{\"name\":\"body\",\"kind\":13,\"range\":" + span(i, 0, 1)
                                + ",\"selectionRange\":" + span(i, 0, 1) + "}]}");
            }
        }
        return found.append("]").toString();
    }

    private static String span(int line, int from, int to) {
        return "{\"start\":{\"line\":" + line + ",\"character\":" + from + "},\"end\":{\"line\":" + line
                + ",\"character\":" + to + "}}";
    }

    /** Returns the word at the position of a request, columns counted as Java does. */
    private String word(String uri, @Nullable RawJson params) throws IOException {
        Lsp.Position position =
                Objects.requireNonNull(Lsp.member(params, "position")).decode(LspPositionCodec.INSTANCE);
        String line = text(uri).content().lines().toList().get((int) position.line());
        int from = (int) position.character();
        int to = from;
        while (to < line.length() && Character.isLetter(line.charAt(to))) {
            to++;
        }
        return line.substring(from, to);
    }

    private Text text(String uri) throws IOException {
        Text text = texts.get(uri);
        if (text == null) {
            write("not open " + uri);
            throw new IOException("not open: " + uri);
        }
        return text;
    }

    private static String uri(@Nullable RawJson params) {
        return String.valueOf(Lsp.text(Lsp.member(params, "textDocument"), "uri"));
    }

    // ---- notifications

    private void told(String method, @Nullable RawJson params) throws IOException {
        String uri = uri(params);
        switch (method) {
            case "exit" -> {
                if (!is("deaf")) {
                    System.exit(0);
                }
            }
            case "textDocument/didOpen" -> {
                RawJson document = Lsp.member(params, "textDocument");
                changed(uri, new Text(version(document), String.valueOf(Lsp.text(document, "text"))));
            }
            case "textDocument/didChange" -> {
                JsonReader in = Objects.requireNonNull(Lsp.member(params, "contentChanges"))
                        .reader();
                in.beginArray();
                in.nextElement();
                changed(
                        uri,
                        new Text(
                                version(Lsp.member(params, "textDocument")),
                                String.valueOf(Lsp.text(in.raw(), "text"))));
            }
            case "textDocument/didClose" -> texts.remove(uri);
            default -> {
                // Written down before.
            }
        }
    }

    private static long version(@Nullable RawJson document) {
        return Objects.requireNonNull(Lsp.member(document, "version")).reader().int64();
    }

    private void changed(String uri, Text text) throws IOException {
        Text before = texts.put(uri, text);
        if (is("busy") && before != null) {
            notify("$/progress", "{\"token\":1,\"value\":{\"kind\":\"begin\",\"title\":\"Indexing\"}}");
        }
        if (is("flood")) {
            flood(uri);
        }
        if (is("pull") || is("mute")) {
            return;
        }
        publish(uri, is("late") && before != null ? before : text);
    }

    private void publish(String uri, Text text) throws IOException {
        notify(
                "textDocument/publishDiagnostics",
                "{\"uri\":\"" + uri + "\"," + (is("unversioned") ? "" : "\"version\":" + text.version() + ",")
                        + "\"diagnostics\":" + diagnostics(text.content()) + "}");
    }

    /** 60 MB, of many files. */
    private void flood(String uri) throws IOException {
        JsonWriter message = new JsonWriter();
        message.string("x".repeat(300_000));
        for (int i = 0; i < 200; i++) {
            notify(
                    "textDocument/publishDiagnostics",
                    "{\"uri\":\"" + uri + "." + i + "\",\"diagnostics\":[{\"range\":" + span(0, 0, 1) + ",\"message\":"
                            + message.toRawJson() + "}]}");
        }
    }

    private static String diagnostics(String content) {
        StringBuilder found = new StringBuilder("[");
        List<String> lines = content.lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            int at = lines.get(i).indexOf("bad");
            if (at >= 0) {
                found.append(found.length() > 1 ? "," : "")
                        .append("{\"range\":" + span(i, at, at + 3) + ",\"severity\":1,\"code\":\"E1\",\"source\":"
                                + "\"script\",\"message\":" + RawJson.string(lines.get(i)) + "}");
            }
        }
        return found.append("]").toString();
    }
}
