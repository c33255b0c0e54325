package dev.acp4j.cli;

import dev.acp4j.Agent;
import dev.acp4j.AgentSession;
import dev.acp4j.AgentTerminal;
import dev.acp4j.AgentTurn;
import dev.acp4j.ConnectedClient;
import dev.acp4j.Feature;
import dev.acp4j.PermissionAnswer;
import dev.acp4j.RemoteTerminal;
import dev.acp4j.Stdio;
import dev.acp4j.ToolCallHandle;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.Annotations;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.schema.AvailableCommand;
import dev.acp4j.schema.AvailableCommandInput;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PermissionOptionId;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.PlanEntry;
import dev.acp4j.schema.PlanEntryPriority;
import dev.acp4j.schema.PlanEntryStatus;
import dev.acp4j.schema.ResourceContents;
import dev.acp4j.schema.SessionMode;
import dev.acp4j.schema.SessionModeId;
import dev.acp4j.schema.SessionModeState;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.schema.Version;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchService;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * An agent for tests. Its argument says how it misbehaves as a process; the first word of a prompt says what it does in
 * the turn.
 */
public final class ScriptedAgent {
    private ScriptedAgent() {}

    /** Serves on standard input and output. */
    public static void main(String[] args) throws Exception {
        switch (args.length == 0 ? "" : args[0]) {
            case "banner" -> System.out.println("Welcome to the agent!\nVersion 7");
            case "silent" -> new CountDownLatch(1).await();
            case "mute" -> {
                System.out.println("Welcome!");
                System.err.println("loading the model");
                new CountDownLatch(1).await();
            }
            case "dies" -> {
                System.err.println("FATAL: the moon is in the wrong phase");
                System.exit(3);
            }
            case "chatter" -> {
                System.out.println("I am no agent at all.");
                return;
            }
            case "noisy" -> System.err.println("debug: \u001b[31mready\u001b[0m");
            default -> {}
        }
        agent(args.length == 0 ? "" : args[0]).serve(Stdio.system());
    }

    private static Agent agent(String how) {
        boolean mustSignIn = how.equals("locked");
        boolean[] signedIn = {!mustSignIn};
        Agent.Builder agent = Agent.builder("scripted", "1.0")
                .title("Scripted agent")
                .supports(Feature.PROMPT_RESOURCES)
                .onNewSession(session -> {
                    if (how.equals("shy")) {
                        new CountDownLatch(1).await();
                    }
                    if (!signedIn[0]) {
                        throw RpcError.authRequired();
                    }
                    open(session);
                })
                .onSetMode((session, mode) -> session.mode(mode))
                .onPrompt(ScriptedAgent::prompt);
        if (how.equals("v2")) {
            agent.protocol(Version.V2);
        }
        if (mustSignIn) {
            AuthMethod method = AuthMethod.Agent.builder(AuthMethodId.of("browser"), "Sign in with a browser")
                    .build();
            agent.onAuthenticate(List.of(method), (client, id) -> signedIn[0] = true);
        }
        return agent.build();
    }

    private static void open(AgentSession session) throws InterruptedException {
        session.modes(SessionModeState.of(
                SessionModeId.of("ask"),
                List.of(
                        SessionMode.of(SessionModeId.of("ask"), "Ask"),
                        SessionMode.of(SessionModeId.of("code"), "Code"))));
        session.commands(List.of(
                AvailableCommand.of("test", "Run the tests"),
                command("review", "Review what has changed", "what"),
                command("find", "Find files", "[<pattern>]")));
    }

    private static void prompt(AgentTurn turn) throws Exception {
        if (turn.text().endsWith("with a child")) {
            stubbornChild();
        }
        switch (turn.text().split("\\s+", 2)[0]) {
            case "permission" -> permission(turn);
            case "run" -> run(turn);
            case "silent" -> {}
            case "ambiguous" -> ambiguous(turn);
            case "edit" -> edit(turn);
            case "slow" -> slow(turn);
            case "stubborn" -> stubborn(turn);
            case "endless" -> endless(turn);
            case "stream" -> stream(turn);
            case "refuse" -> turn.stop(StopReason.REFUSAL);
            case "tokens" -> turn.stop(StopReason.MAX_TOKENS);
            case "requests" -> turn.stop(StopReason.MAX_TURN_REQUESTS);
            case "odd" -> turn.stop(StopReason.of("tired"));
            case "cancel" -> turn.stop(StopReason.CANCELLED);
            case "error" -> throw new RpcError(-32050, "out of cheese", RawJson.parse("{\"cheese\":0}"));
            case "die" -> die();
            case "plan" -> plan(turn);
            case "wait" -> await(turn);
            case "draw" -> draw(turn);
            case "pictures" -> pictures(turn);
            case "terminal" -> terminal(turn);
            case "own" -> own(turn);
            case "watch" -> watch(turn);
            case "files" -> files(turn);
            case "unasked" -> unasked(turn);
            case "title" -> turn.title("About retries");
            case "parts" -> parts(turn);
            case "meanwhile" -> meanwhile(turn);
            default -> echo(turn);
        }
    }

    /** Sends a PNG of 400 times 200 pixels, of which only the beginning matters here, and what is none. */
    private static void draw(AgentTurn turn) throws InterruptedException {
        turn.message("Look:");
        for (String data : List.of(
                "iVBORw0KGgoAAAANSUhEUgAAAZAAAADICAYAAAA=", "iVBORw0KGgoAAAANSUhEUg==", "\u001b]0;title\u0007")) {
            turn.message(ContentBlock.Image.builder(data, "image/png").build());
        }
        turn.message("Seen.");
    }

    /** Sends a picture twice, a recording in a tool call, and a file. */
    private static void pictures(AgentTurn turn) throws InterruptedException {
        ContentBlock picture = ContentBlock.Image.builder("AQID", "image/png")
                .annotations(Annotations.builder()
                        .lastModified("2026-11-02T12:00:00Z")
                        .priority(0.1)
                        .build())
                .build();
        turn.toolCall("Listen", ToolKind.OTHER)
                .content(ToolCallContent.of(ContentBlock.audio(new byte[] {4, 5}, "audio/wav")))
                .complete();
        for (ContentBlock content : List.of(
                picture,
                picture,
                ContentBlock.resource(ResourceContents.Blob.builder("????", "file:///tmp/odd")
                        .mimeType("x/../../y")
                        .build()))) {
            turn.session().update(SessionUpdate.AgentMessageChunk.of(content, null));
        }
    }

    private static void echo(AgentTurn turn) throws InterruptedException {
        turn.thought("Somebody says something.");
        ToolCallHandle call = turn.toolCall("Read notes.txt", ToolKind.READ);
        call.start();
        call.text("1 line");
        call.complete();
        turn.message("You said: **" + turn.text() + "**");
    }

    private static void permission(AgentTurn turn) throws InterruptedException {
        ToolCallHandle call = turn.toolCall("Delete everything", ToolKind.DELETE);
        PermissionAnswer permission = call.requestPermission(
                option("odd", "Do something odd", PermissionOptionKind.of("allow_sometimes")),
                option("yes", "Yes, just once", PermissionOptionKind.ALLOW_ONCE),
                option("ever", "Yes, always", PermissionOptionKind.ALLOW_ALWAYS),
                option("no", "No", PermissionOptionKind.REJECT_ONCE));
        if (permission.isAllowed()) {
            call.complete();
        } else {
            call.fail("not allowed");
        }
        PermissionOption option = permission.option();
        turn.message(option == null ? "Cancelled." : "Chosen: " + option.name());
    }

    /** Asks whether it may run a command, and names it. */
    private static void run(AgentTurn turn) throws InterruptedException {
        ToolCallHandle call = turn.toolCall("Run ls", ToolKind.EXECUTE)
                .rawInput(RawJson.parse("{\"command\":\"ls\"}"))
                .text("ls");
        PermissionAnswer permission = call.requestPermission(
                option("once", "Once", PermissionOptionKind.ALLOW_ONCE),
                option("ever", "Allow for this session", PermissionOptionKind.ALLOW_ALWAYS),
                option("no", "No", PermissionOptionKind.REJECT_ONCE));
        call.complete();
        PermissionOption option = permission.option();
        turn.message(option == null ? "Cancelled." : "Chosen: " + option.name());
    }

    /** Offers two answers that it cannot tell from one another, and takes the first. */
    private static void ambiguous(AgentTurn turn) throws InterruptedException {
        ToolCallHandle call = turn.toolCall("Delete everything", ToolKind.DELETE);
        PermissionAnswer permission = call.requestPermission(
                option("i", "Yes", PermissionOptionKind.ALLOW_ONCE),
                option("i", "No", PermissionOptionKind.REJECT_ONCE));
        turn.message(permission.isAllowed() ? "Deleted everything." : "Not allowed.");
    }

    private static void edit(AgentTurn turn) throws InterruptedException {
        Path file = turn.session().cwd().resolve("src/Retry.java");
        ToolCallHandle call = turn.toolCall("Edit Retry.java", ToolKind.EDIT);
        call.location(file, 2);
        call.diff(file, "class Retry {\n    int pause = 30;\n}\n", "class Retry {\n    int pause = 10;\n}\n");
        if (call.requestPermission().isAllowed()) {
            call.start();
            call.complete();
            turn.message("Done.");
        } else {
            call.fail("not allowed");
            turn.message("Then not.");
        }
    }

    private static void slow(AgentTurn turn) throws InterruptedException {
        turn.message("This takes long…");
        new CountDownLatch(1).await();
    }

    /** Does not stop when asked to. */
    private static void stubborn(AgentTurn turn) throws InterruptedException {
        turn.message("I shall not stop.");
        while (true) {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                // It was asked to stop, and says nothing: a word would end its turn.
            }
        }
    }

    private static void endless(AgentTurn turn) throws InterruptedException {
        while (!turn.isCancelled()) {
            turn.message("More. ");
        }
    }

    /** Says and thinks 40 MB each, at the pace of the client. */
    private static void stream(AgentTurn turn) throws InterruptedException {
        String text = ("word ".repeat(199) + "\n\n").repeat(10);
        Path file = turn.session().cwd().resolve("notes.txt");
        for (int i = 0; i < 4_000; i++) {
            turn.message(text);
            turn.thought(text);
            if (i % 50 == 0) {
                // The answer comes when everything before it has been handled.
                turn.files().readText(file);
            }
        }
        turn.message("The end.");
    }

    /** Ends when a file appears where the session works. */
    private static void await(AgentTurn turn) throws Exception {
        Path folder = turn.session().cwd();
        try (WatchService watch = folder.getFileSystem().newWatchService()) {
            folder.register(watch, StandardWatchEventKinds.ENTRY_CREATE);
            turn.message("Waiting for notes.txt.\n\n");
            watch.take();
        }
        turn.message("Waited.");
    }

    private static void parts(AgentTurn turn) throws InterruptedException {
        turn.message("One sen");
        turn.usage(1, 10);
        turn.message("tence.\r");
        turn.message("\n\tTabbed.");
        turn.toolCall("Think", ToolKind.THINK).complete();
        turn.message("Another.");
    }

    /** A tool call goes on in the middle of a sentence. */
    private static void meanwhile(AgentTurn turn) throws InterruptedException {
        ToolCallHandle call = turn.toolCall("Search", ToolKind.SEARCH);
        turn.message("One sen");
        call.start();
        turn.message("tence.");
        call.complete();
    }

    private static void terminal(AgentTurn turn) throws InterruptedException {
        ToolCallHandle call = turn.toolCall("Count", ToolKind.EXECUTE);
        call.start();
        Path folder = turn.session().cwd();
        String script = "echo one; echo two; pwd; exit 3";
        try (RemoteTerminal terminal = turn.terminals().start(folder, "sh", List.of("-c", script))) {
            call.terminal(terminal.id());
            turn.message("Ended with " + terminal.waitForExit().exitCode() + ".");
        }
        call.complete();
    }

    /** Runs a command by itself, which takes as long as the file {@code seen} is not there. */
    private static void own(AgentTurn turn) throws Exception {
        Path folder = turn.session().cwd();
        try (ToolCallHandle call = turn.toolCall("Build", ToolKind.EXECUTE).start();
                AgentTerminal terminal = call.openTerminal("make", folder)) {
            Process build = new ProcessBuilder("sh", "-c", "echo one; until [ -e seen ]; do :; done; echo two; exit 3")
                    .directory(folder.toFile())
                    .start();
            byte[] buffer = new byte[8192];
            InputStream output = build.getInputStream();
            for (int n = output.read(buffer); n >= 0; n = output.read(buffer)) {
                terminal.print(Arrays.copyOf(buffer, n));
            }
            terminal.exited(build.waitFor());
            turn.message("Ended with " + build.exitValue() + ".");
            call.complete();
        }
    }

    /** Waits for a command that does not end. */
    private static void watch(AgentTurn turn) throws InterruptedException {
        Path folder = turn.session().cwd();
        try (RemoteTerminal terminal = turn.terminals().start(folder, "sleep", List.of("60"))) {
            turn.message("Watching.\n\n");
            terminal.waitForExit();
        }
    }

    /** Starts a process that does not end when it is asked to. */
    private static void stubbornChild() throws IOException {
        new ProcessBuilder("sh", "-c", "trap '' TERM HUP; while :; do sleep 1; done")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private static void files(AgentTurn turn) throws InterruptedException {
        Path file = turn.session().cwd().resolve("notes.txt");
        turn.files().writeText(file, "from the agent\n");
        turn.message("Wrote: " + turn.files().readText(file));
        try {
            turn.files().readText(Path.of("/etc/passwd"));
        } catch (RpcError e) {
            turn.message("Refused: " + e.message());
        }
    }

    /** Does what it was not offered, and asks nobody. */
    private static void unasked(AgentTurn turn) throws InterruptedException {
        ConnectedClient client = turn.client();
        String session = "{\"sessionId\":\"" + turn.session().id() + "\",";
        String file = turn.session().cwd().resolve("hook").toString();
        String write = session + "\"path\":\"" + file + "\",\"content\":\"\"}";
        String command = session + "\"command\":\"touch\",\"args\":[\"" + file + "\"]}";
        turn.message("read " + client.supports(Feature.READ_FILES) + ", write "
                + client.supports(Feature.WRITE_FILES) + ", terminal " + client.supports(Feature.TERMINALS) + ": "
                + error(turn, "fs/write_text_file", write) + ", " + error(turn, "terminal/create", command));
    }

    private static String error(AgentTurn turn, String method, String params) throws InterruptedException {
        try {
            turn.session().client().call(method, RawJson.parse(params));
            return "done";
        } catch (RpcError e) {
            return e.message();
        }
    }

    private static void die() {
        System.err.println("FATAL: out of luck");
        Runtime.getRuntime().halt(9);
    }

    private static void plan(AgentTurn turn) throws InterruptedException {
        turn.plan(List.of(
                PlanEntry.of("Find it", PlanEntryPriority.HIGH, PlanEntryStatus.IN_PROGRESS),
                PlanEntry.of("Mend it", PlanEntryPriority.HIGH, PlanEntryStatus.PENDING)));
        turn.plan(List.of(
                PlanEntry.of("Find it", PlanEntryPriority.HIGH, PlanEntryStatus.COMPLETED),
                PlanEntry.of("Mend it", PlanEntryPriority.HIGH, PlanEntryStatus.IN_PROGRESS)));
    }

    private static AvailableCommand command(String name, String description, String hint) {
        return AvailableCommand.builder(name, description)
                .input(AvailableCommandInput.Unstructured.of(hint))
                .build();
    }

    private static PermissionOption option(String id, String name, PermissionOptionKind kind) {
        return PermissionOption.of(PermissionOptionId.of(id), name, kind);
    }
}
