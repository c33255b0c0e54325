package dev.acp4j.cli;

import dev.acp4j.Agent;
import dev.acp4j.AgentSession;
import dev.acp4j.AgentTurn;
import dev.acp4j.Feature;
import dev.acp4j.Stdio;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.ListSessionsResponse;
import dev.acp4j.schema.SessionConfigGroupId;
import dev.acp4j.schema.SessionConfigId;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionCategory;
import dev.acp4j.schema.SessionConfigOptionValue;
import dev.acp4j.schema.SessionConfigSelectGroup;
import dev.acp4j.schema.SessionConfigSelectOption;
import dev.acp4j.schema.SessionConfigSelectOptions;
import dev.acp4j.schema.SessionConfigValueId;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionInfo;
import dev.acp4j.schema.SessionUpdate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An agent for tests that keeps its sessions in a folder, a file of prompts each, and offers what its further arguments
 * say: {@code list}, {@code load}, {@code resume}, {@code close}, {@code delete}, {@code models}, {@code dirs}. It
 * keeps no settings, and sets no model while there is a file {@code no-models} beside the folder. A session is dated by
 * its file, and has no date if that is of 1970; one that begins with {@code locked} is not deleted.
 */
public final class KeepingAgent {
    private final Path folder;
    private final List<String> offers;
    private String model = "fast";
    private boolean web;

    private KeepingAgent(Path folder, List<String> offers) {
        this.folder = folder;
        this.offers = offers;
    }

    /** Serves on standard input and output. */
    public static void main(String[] args) throws Exception {
        new KeepingAgent(Path.of(args[0]), List.of(args).subList(1, args.length))
                .agent()
                .serve(Stdio.system());
    }

    private Agent agent() {
        Agent.Builder agent = Agent.builder("keeping", "1.0")
                .sessionIds(this::next)
                .onNewSession(this::open)
                .onPrompt(this::prompt)
                .onSetConfigOption((session, id, value) -> set(id, value));
        if (offers.contains("list")) {
            agent.onListSessions(
                    (client, request) -> ListSessionsResponse.builder(infos()).build());
        }
        if (offers.contains("load")) {
            agent.onLoadSession(this::load);
        }
        if (offers.contains("resume")) {
            agent.onResumeSession(session -> {
                require(session);
                open(session);
            });
        }
        if (offers.contains("close")) {
            agent.onCloseSession(session -> {});
        }
        if (offers.contains("delete")) {
            agent.onDeleteSession((client, id) -> delete(folder.resolve(id.value())));
        }
        if (offers.contains("dirs")) {
            agent.supports(Feature.ADDITIONAL_DIRECTORIES);
        }
        return agent.build();
    }

    private SessionId next() {
        return SessionId.of("kept-" + (files().size() + 1) + "-" + folder.getFileName());
    }

    private List<Path> files() {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private List<SessionInfo> infos() throws IOException {
        List<SessionInfo> infos = new ArrayList<>();
        for (Path file : files()) {
            List<String> lines = Files.readAllLines(file);
            infos.add(SessionInfo.builder(SessionId.of(file.getFileName().toString()), lines.getFirst())
                    .title(lines.get(1))
                    .updatedAt(date(file))
                    .build());
        }
        return infos;
    }

    private static @Nullable String date(Path file) throws IOException {
        FileTime time = Files.getLastModifiedTime(file);
        return time.toMillis() == 0 ? null : time.toString();
    }

    private static void delete(Path file) throws IOException {
        if (Files.exists(file) && Files.readAllLines(file).get(1).equals("locked")) {
            throw RpcError.invalidRequest("it is locked");
        }
        Files.deleteIfExists(file);
    }

    private Path require(AgentSession session) {
        Path file = folder.resolve(session.id().value());
        if (!Files.exists(file)) {
            throw RpcError.sessionNotFound(session.id().value());
        }
        return file;
    }

    private void open(AgentSession session) throws InterruptedException {
        if (offers.contains("models")) {
            session.configOptions(options());
        }
    }

    private void load(AgentSession session) throws Exception {
        Path file = require(session);
        open(session);
        List<String> lines = Files.readAllLines(file);
        for (String line : lines.subList(1, lines.size())) {
            session.update(SessionUpdate.UserMessageChunk.of(ContentBlock.text(line), null));
            session.update(SessionUpdate.AgentMessageChunk.of(ContentBlock.text("An answer to " + line), null));
        }
    }

    private void prompt(AgentTurn turn) throws Exception {
        AgentSession session = turn.session();
        Path file = folder.resolve(session.id().value());
        String line = turn.text() + "\n";
        Files.writeString(
                file,
                Files.exists(file) ? line : session.cwd() + "\n" + line,
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
        turn.message("Prompt " + (Files.readAllLines(file).size() - 1) + " with " + model + (web ? " and web" : "")
                + " in " + session.roots());
        if (turn.text().equals("wait")) {
            new CountDownLatch(1).await();
        }
        if (turn.text().startsWith("read ")) {
            // A pipe, for example, which is there to be read when the test has written.
            turn.message(Files.readString(Path.of(turn.text().substring("read ".length()))));
        }
    }

    private List<SessionConfigOption> set(SessionConfigId id, SessionConfigOptionValue value) {
        switch (value) {
            case SessionConfigOptionValue.Id chosen -> {
                if (Files.exists(folder.resolveSibling("no-models"))) {
                    throw RpcError.invalidRequest("the models are out");
                }
                model = chosen.value().value();
            }
            case SessionConfigOptionValue.Toggle toggle -> web = toggle.value();
            case SessionConfigOptionValue.Unknown unknown -> throw RpcError.invalidParams(id + ": unknown value");
        }
        return options();
    }

    private List<SessionConfigOption> options() {
        SessionConfigSelectOptions models = SessionConfigSelectOptions.grouped(List.of(
                SessionConfigSelectGroup.of(
                        SessionConfigGroupId.of("small"), "Small", List.of(value("fast", "Fast 1"))),
                SessionConfigSelectGroup.of(
                        SessionConfigGroupId.of("large"),
                        "Large",
                        List.of(value("opus-4", "Opus"), value("deep", "Deep thought")))));
        return List.of(
                SessionConfigOption.Select.builder(
                                SessionConfigId.of("model"), "Model", SessionConfigValueId.of(model), models)
                        .category(SessionConfigOptionCategory.MODEL)
                        .build(),
                SessionConfigOption.Toggle.builder(SessionConfigId.of("web"), "Web search", web)
                        .build());
    }

    private static SessionConfigSelectOption value(String id, String name) {
        return SessionConfigSelectOption.builder(SessionConfigValueId.of(id), name)
                .build();
    }
}
