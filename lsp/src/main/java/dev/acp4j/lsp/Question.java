package dev.acp4j.lsp;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.RequestTimeoutException;
import dev.acp4j.rpc.RpcError;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One question of a model to the servers of its session, from the files as they are now to an answer that says what it
 * is of. For one thread.
 */
final class Question {
    private static final int MOST_TRIES = 3;

    /** How long a server that reads the project is waited for. */
    private static final Duration BUSY_TIME = Duration.ofSeconds(10);

    private final Workspace workspace;
    private final Contents contents;
    private final LanguageTools.Settings settings;
    private final AnswerText answer = new AnswerText();
    private final long end;
    private final long revision;
    private final Set<Path> writing;
    private final Map<RunningServer, RunningServer.Session> asked = new LinkedHashMap<>();

    Question(Workspace workspace, LanguageTools.Settings settings) {
        this.workspace = workspace;
        this.contents = workspace.contents();
        this.settings = settings;
        this.end = now() + settings.answerTime().toNanos();
        this.revision = contents.revision();
        this.writing = new TreeSet<>(contents.underWay());
    }

    Workspace workspace() {
        return workspace;
    }

    Contents contents() {
        return contents;
    }

    LanguageTools.Settings settings() {
        return settings;
    }

    AnswerText answer() {
        return answer;
    }

    /** Returns when the time for the answer is over, in nanoseconds. */
    long end() {
        return end;
    }

    private long now() {
        return settings.time().nanoTime();
    }

    /** Returns when a time from now is over, and at the latest the time for the answer. */
    long endOf(Duration time) {
        return Math.min(end, now() + time.toNanos());
    }

    /** A server that knows the files as they are. */
    record Asked(RunningServer server, RunningServer.Session session, Documents.Synced synced, Path file) {
        ServerLink link() {
            return session.link();
        }
    }

    /**
     * Brings the server of a file up to date, and starts it if need be.
     *
     * @throws IllegalArgumentException when there is no server for it
     * @throws ServerUnavailableException when the server is not there
     */
    Asked of(Path file) throws InterruptedException, ServerUnavailableException {
        RunningServer server = workspace.server(file);
        RunningServer.Session session = server.await(end);
        Asked about = new Asked(server, session, sync(server, session, file), file);
        busy(server, session);
        if (!about.synced().isSaved()) {
            answer.note(contents.name(file) + " is as the client has it, which is not saved.");
        }
        return about;
    }

    /** Brings a server up to date for a question about no file. */
    RunningServer.Session of(RunningServer server) throws InterruptedException, ServerUnavailableException {
        RunningServer.Session session = server.await(end);
        Documents.Synced unused = sync(server, session, null);
        busy(server, session);
        return session;
    }

    private Documents.Synced sync(RunningServer server, RunningServer.Session session, @Nullable Path file)
            throws InterruptedException, ServerUnavailableException {
        try {
            Documents.Synced synced = session.documents().sync(file);
            if (synced.isCut()) {
                answer.note("The folders have too many files to look for changes of all of them: the server may not"
                        + " know those of files that nobody has asked about.");
            }
            return synced;
        } catch (IOException e) {
            throw new ServerUnavailableException(
                    (file == null ? "the files" : contents.name(file)) + ": " + e.getMessage());
        } catch (ConnectionClosedException e) {
            throw ended(server, "what has changed");
        }
    }

    /** Waits for a server that reads the project, for a while. */
    private void busy(RunningServer server, RunningServer.Session session) throws InterruptedException {
        asked.put(server, session);
        List<String> unused = session.link().awaitIdle(endOf(BUSY_TIME));
    }

    /**
     * Asks a server about a file, and once more if the text has changed meanwhile.
     *
     * @throws ServerUnavailableException when it refuses, ends, or does not answer in time
     */
    RawJson ask(Asked about, String method, RawJson params) throws InterruptedException, ServerUnavailableException {
        return ask(about.server(), about.link(), method, params);
    }

    RawJson ask(RunningServer server, ServerLink link, String method, RawJson params)
            throws InterruptedException, ServerUnavailableException {
        for (int tries = 1; ; tries++) {
            try {
                RawJson result = link.request(method, params, end);
                server.answered();
                return result;
            } catch (RequestTimeoutException e) {
                server.silent();
                throw new ServerUnavailableException("the language server for "
                        + server.server().language() + " did not answer " + method + " in time");
            } catch (ConnectionClosedException e) {
                throw ended(server, method);
            } catch (RpcError e) {
                boolean again = e.code() == ServerLink.CONTENT_MODIFIED || e.code() == ServerLink.SERVER_CANCELLED;
                if (!again || tries == MOST_TRIES) {
                    throw new ServerUnavailableException("the language server for "
                            + server.server().language() + " refused " + method + ": " + e.message());
                }
            }
        }
    }

    private static ServerUnavailableException ended(RunningServer server, String what) {
        return new ServerUnavailableException(
                "the language server for " + server.server().language() + " ended while it was told " + what
                        + "; the next question starts it again");
    }

    /** Reads an answer, in its own words if that fails. */
    <T> List<T> read(RawJson result, Codec<T> codec, String method) throws ServerUnavailableException {
        try {
            return Lsp.list(result, codec);
        } catch (JsonException e) {
            throw new ServerUnavailableException(
                    "the answer of the language server to " + method + " cannot be read: " + e.messageWithoutValue());
        }
    }

    /** Writes the params of a request about a file. */
    static RawJson about(Path file, Consumer<JsonWriter> more) {
        return Lsp.object(out -> {
            out.name("textDocument");
            out.beginObject();
            out.name("uri");
            out.string(Lsp.uri(file));
            out.endObject();
            more.accept(out);
        });
    }

    /** Ends the answer with what limits it: servers that are busy, and writes that it may not know. */
    String finish() throws InterruptedException {
        for (Map.Entry<RunningServer, RunningServer.Session> one : asked.entrySet()) {
            List<String> busy = one.getValue().link().awaitIdle(now());
            if (!busy.isEmpty()) {
                answer.note("The language server for " + one.getKey().server().language() + " is still busy ("
                        + String.join(", ", busy) + "): something may be missing.");
            }
        }
        writing.addAll(contents.underWay());
        if (!writing.isEmpty()) {
            answer.note("This may be from before a write that was under way: " + names(writing) + ". Ask again.");
        } else if (contents.revision() != revision) {
            answer.note("This may be from before a write that came meanwhile: " + names(Set.copyOf(contents.written()))
                    + ". Ask again.");
        }
        if (!contents.lost().isEmpty()) {
            answer.note("The client may have these unsaved, and not as the server knows them: "
                    + names(Set.copyOf(contents.lost())) + ".");
        }
        return answer.toString();
    }

    /** Says so if a file is another by now than the one that was asked about. */
    void check(Asked about) {
        try {
            Contents.Content now = contents.read(about.file());
            if (now == null || !now.digest().equals(about.synced().digest())) {
                answer.note(contents.name(about.file()) + " has changed since this was asked. Ask again.");
            }
        } catch (IOException e) {
            answer.note(contents.name(about.file()) + " cannot be read any more: " + e.getMessage());
        }
    }

    private String names(Set<Path> files) {
        return files.stream().map(contents::name).sorted().collect(Collectors.joining(", "));
    }
}
