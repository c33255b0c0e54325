package dev.acp4j.proxies;

import dev.acp4j.json.RawJson;
import dev.acp4j.mcp.ProxySession;
import dev.acp4j.mcp.ToolServer;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.schema.ClientCapabilities;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.CreateTerminalRequest;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PermissionOptionId;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.ReadTextFileRequest;
import dev.acp4j.schema.ReleaseTerminalRequest;
import dev.acp4j.schema.RequestPermissionOutcome;
import dev.acp4j.schema.RequestPermissionRequest;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.TerminalOutputRequest;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolCallLocation;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.WaitForTerminalExitRequest;
import dev.acp4j.schema.WriteTextFileRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Gives an agent that uses MCP only the files and terminals of the client, as tools of an MCP server: files as the
 * client has them, with changes that are not saved yet.
 *
 * <pre>{@code
 * Proxy tools = ClientTools.create();
 * }</pre>
 *
 * <p>The tools are {@code read_text_file}, {@code write_text_file} and {@code run_command}, each only if the client
 * offers what it needs. Paths are those of the session's folders; others are refused, also behind links. Before
 * something is written or run, the client is asked for permission, which proxies before this one see as any question.
 * In version 2 clients have neither files nor terminals, so there are no tools.
 */
@Unstable
public final class ClientTools {
    private static final long OUTPUT_BYTES = 64 * 1024;
    private static final PermissionOption ALLOW =
            PermissionOption.of(PermissionOptionId.of("allow"), "Allow", PermissionOptionKind.ALLOW_ONCE);
    private static final PermissionOption REJECT =
            PermissionOption.of(PermissionOptionId.of("reject"), "Reject", PermissionOptionKind.REJECT_ONCE);
    private static final AtomicLong QUESTIONS = new AtomicLong();

    private final Consumer<String> onNotice;
    private final OfferedByClients offered = new OfferedByClients();
    private final AtomicBoolean isSaid = new AtomicBoolean();

    private ClientTools(Consumer<String> onNotice) {
        this.onNotice = onNotice;
    }

    /** Returns the proxy. */
    public static Proxy create() {
        return create(Notices::log);
    }

    /**
     * Returns the proxy.
     *
     * @param onNotice takes what a user should know, a sentence each, such as that a client offers nothing
     */
    public static Proxy create(Consumer<String> onNotice) {
        return new ClientTools(Objects.requireNonNull(onNotice)).proxy();
    }

    private Proxy proxy() {
        return ToolServer.addTo(offered.addTo(Proxy.builder("client-tools", "1")), this::servers)
                .build();
    }

    private List<ToolServer> servers(ProxySession session) {
        ClientCapabilities client = offered.of(session.client());
        boolean isAny = client.fs().readTextFile() || client.fs().writeTextFile() || client.terminal();
        if (!isAny || !session.connectsServers() || session.setup().isEmpty()) {
            if (isSaid.compareAndSet(false, true)) {
                onNotice.accept(
                        isAny
                                ? "The agent cannot use files and terminals of the client: it connects to no MCP servers, "
                                        + "or the folder of the session is none of this machine."
                                : "The client offers neither files nor terminals, so the agent gets no tools for them.");
            }
            return List.of();
        }
        ToolServer.Builder server = ToolServer.builder("client", "1");
        if (client.fs().readTextFile()) {
            server.tool(
                    "read_text_file",
                    "Reads a text file as the user's editor has it, with changes that are not saved yet",
                    schema("\"line\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"The first line\"},"
                            + "\"limit\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"How many lines\"}"),
                    call -> read(session, call));
        }
        if (client.fs().writeTextFile()) {
            server.tool(
                    "write_text_file",
                    "Writes a text file in the user's editor, the whole text; the user may be asked",
                    schema("\"content\":{\"type\":\"string\"}", "content"),
                    call -> write(session, call));
        }
        if (client.terminal()) {
            server.tool(
                    "run_command",
                    "Runs a program in a terminal of the user's editor and returns its output; the user may be asked",
                    RawJson.parse("{\"type\":\"object\",\"properties\":{\"command\":{\"type\":\"string\","
                            + "\"description\":\"The program\"},\"args\":{\"type\":\"array\",\"items\":"
                            + "{\"type\":\"string\"}},\"cwd\":{\"type\":\"string\"}},\"required\":[\"command\"],"
                            + "\"additionalProperties\":false}"),
                    call -> run(session, call));
        }
        return List.of(server.build());
    }

    private static RawJson schema(String members, String... required) {
        return RawJson.parse("{\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\"}," + members
                + "},\"required\":[\"path\"" + (required.length == 0 ? "" : ",\"" + required[0] + "\"")
                + "],\"additionalProperties\":false}");
    }

    // ---- the tools

    private static String read(ProxySession session, ToolServer.Call call) throws Exception {
        Arguments arguments = Arguments.of(call.arguments());
        return session.client()
                .call(
                        ClientMethods.READ_TEXT_FILE,
                        ReadTextFileRequest.builder(session.id(), inside(session, call.text("path")))
                                .line(arguments.line())
                                .limit(arguments.limit())
                                .build())
                .content();
    }

    private static String write(ProxySession session, ToolServer.Call call) throws Exception {
        String path = inside(session, call.text("path"));
        requirePermission(session, "write_text_file", ToolKind.EDIT, "Write " + path, path, call.arguments());
        var unused = session.client()
                .call(ClientMethods.WRITE_TEXT_FILE, WriteTextFileRequest.of(session.id(), path, call.text("content")));
        return "Written.";
    }

    private static String run(ProxySession session, ToolServer.Call call) throws Exception {
        Arguments arguments = Arguments.of(call.arguments());
        String cwd = inside(session, arguments.cwd() == null ? "" : arguments.cwd());
        String line = String.join(" ", call.text("command"), String.join(" ", arguments.args()))
                .strip();
        requirePermission(session, "run_command", ToolKind.EXECUTE, "Run " + line, null, call.arguments());
        SessionId id = session.id();
        TerminalId terminal = session.client()
                .call(
                        ClientMethods.CREATE_TERMINAL,
                        CreateTerminalRequest.builder(id, call.text("command"))
                                .args(arguments.args())
                                .cwd(cwd)
                                .outputByteLimit(OUTPUT_BYTES)
                                .build())
                .terminalId();
        try {
            var exit = session.client()
                    .call(ClientMethods.WAIT_FOR_TERMINAL_EXIT, WaitForTerminalExitRequest.of(id, terminal));
            var output = session.client().call(ClientMethods.TERMINAL_OUTPUT, TerminalOutputRequest.of(id, terminal));
            String end = exit.signal() != null ? "Ended by " + exit.signal() : "Exit code " + exit.exitCode();
            return (output.truncated() ? "[The beginning is left out.]\n" : "") + output.output() + "\n[" + end + "]";
        } finally {
            // Also when the call is cancelled: that ends the command.
            var unused = session.client().call(ClientMethods.RELEASE_TERMINAL, ReleaseTerminalRequest.of(id, terminal));
        }
    }

    private static void requirePermission(
            ProxySession session, String tool, ToolKind kind, String title, @Nullable String path, RawJson input)
            throws InterruptedException {
        var call = ToolCallUpdate.builder(ToolCallId.of("client-tools-" + QUESTIONS.incrementAndGet()))
                .title(title)
                .name(tool)
                .kind(kind)
                .rawInput(input);
        if (path != null) {
            call.locations(List.of(ToolCallLocation.builder(path).build()));
        }
        RequestPermissionOutcome answer = session.client()
                .call(
                        ClientMethods.REQUEST_PERMISSION,
                        RequestPermissionRequest.of(session.id(), call.build(), List.of(ALLOW, REJECT)))
                .outcome();
        if (!(answer instanceof RequestPermissionOutcome.Selected chosen)
                || !chosen.optionId().equals(ALLOW.optionId())) {
            throw new IllegalStateException("the user has not allowed this");
        }
    }

    // ---- the folders

    /**
     * Returns the absolute path of what is in a folder of the session.
     *
     * @throws IllegalArgumentException when it is outside
     */
    private static String inside(ProxySession session, String path) throws IOException {
        List<Path> roots = session.setup().orElseThrow().roots();
        try {
            Path asked = roots.get(0).resolve(path).normalize();
            Path real = real(asked);
            for (Path root : roots) {
                if (asked.startsWith(root.normalize()) && real.startsWith(real(root.normalize()))) {
                    return asked.toString();
                }
            }
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("no path: " + path, e);
        }
        throw new IllegalArgumentException(path + " is outside of the session's folders");
    }

    /** Returns where a path leads; of what does not exist, where its folder leads. */
    private static Path real(Path path) throws IOException {
        Path existing = path;
        while (existing.getParent() != null && !Files.exists(existing, LinkOption.NOFOLLOW_LINKS)) {
            existing = existing.getParent();
        }
        return existing.toRealPath().resolve(existing.relativize(path));
    }
}
