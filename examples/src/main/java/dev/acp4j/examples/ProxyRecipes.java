package dev.acp4j.examples;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.Stdio;
import dev.acp4j.lsp.LanguageServer;
import dev.acp4j.lsp.LanguageTools;
import dev.acp4j.mcp.McpBridge;
import dev.acp4j.mcp.ToolServer;
import dev.acp4j.process.Launch;
import dev.acp4j.proxy.ChainTrace;
import dev.acp4j.proxy.Component;
import dev.acp4j.proxy.Conductor;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.proxy.SessionState;
import dev.acp4j.redaction.Redaction;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.SessionNotification;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.trace.TraceFile;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The code of the page about proxies. */
final class ProxyRecipes {
    private ProxyRecipes() {}

    /** A conductor in a program of one's own. */
    static void conduct() throws IOException, InterruptedException {
        // recipe: conductor
        Conductor.builder()
                .proxy(Component.of("context", Launch.of("context-proxy"))) // a program
                .proxy(BriefProxy.BRIEF) // in this JVM: no process, no message more
                .agent(Launch.of("gemini", "--acp"))
                .build()
                .serve(Stdio.system());
        // end
    }

    /** A proxy with a tool of its own. */
    static Proxy tools(ToolServer git) {
        // recipe: tools
        return ToolServer.addTo(Proxy.builder("git", "1.0"), git).build();
        // end
    }

    /** A tool that asks. */
    static ToolServer asks() {
        // recipe: ask
        record Release(String version, boolean draft) {}

        return ToolServer.builder("releases", "1.0")
                .tool("release", "Releases the project", call -> {
                    var release = call.ask("What is released?", new Release("1.1", true));
                    return release.map(Release::version).orElse("Nothing is released.");
                })
                .build();
        // end
    }

    /** A server with a prompt and resources. */
    static ToolServer notes(Map<String, String> notes) {
        // recipe: prompts
        enum Length {
            SENTENCE,
            PAGE
        }
        record Summary(String day, @Nullable Length length) {}
        record Day(String day) {}

        var ofDay = ContentBlock.ResourceLink.builder("notes of a day", "notes://{day}")
                .mimeType("text/markdown")
                .build();
        return ToolServer.builder("notes", "1.0")
                .prompt("summary", "Sums up a day", Summary.class, (summary, call) -> {
                    call.log(Level.INFO, "summary of " + summary.day());
                    return "Sum up the notes of " + summary.day() + ": " + notes.get(summary.day());
                })
                .completion(
                        "summary",
                        "day",
                        (typed, others) -> notes.keySet().stream()
                                .filter(day -> day.startsWith(typed))
                                .toList())
                .resourceTemplate(ofDay, Day.class, (day, call) -> notes.get(day.day()))
                .build();
        // end
    }

    /** Tools of language servers for an agent. */
    static void languages() throws IOException, InterruptedException {
        // recipe: languages
        var python = LanguageServer.of("python", Launch.of("pylsp"));
        var typescript = LanguageServer.of("typescript", Launch.of("typescript-language-server", "--stdio"));
        try (var tools = LanguageTools.of(python, typescript);
                var bridge = new McpBridge()) {
            Conductor.builder()
                    .proxy(tools.proxy())
                    .proxy(bridge.proxy())
                    .agent(Launch.of("gemini", "--acp"))
                    .build()
                    .serve(Stdio.system());
        }
        // end
    }

    /** A conductor that makes servers over ACP usable for an agent that does not offer them. */
    static void bridge(Proxy tools) throws IOException, InterruptedException {
        // recipe: bridge
        try (McpBridge bridge = new McpBridge()) {
            Conductor.builder()
                    .proxy(bridge.relay())
                    .proxy(tools)
                    .proxy(bridge.proxy())
                    .agent(Launch.of("gemini", "--acp"))
                    .build()
                    .serve(Stdio.system());
        }
        // end
    }

    /** A chain whose recording has all hops. */
    static void record(Path file) throws IOException, InterruptedException {
        // recipe: record
        try (var events = TraceFile.create(file, "my chain");
                var trace = ChainTrace.to(events, Redaction.SECRETS, ProxyRecipes::report)) {
            Conductor.builder()
                    .proxy(BriefProxy.BRIEF)
                    .agent(Launch.of("gemini", "--acp"))
                    .trace(trace)
                    .build()
                    .serve(Stdio.system());
        }
        // end
    }

    private static void report(String sentence) {
        System.getLogger("chain").log(System.Logger.Level.WARNING, sentence);
    }

    /** Interceptors of either direction. */
    static Proxy interceptors() {
        // recipe: interceptors
        return Proxy.builder("policy", "1.0")
                .onRequest(AgentMethods.SET_MODE, (params, hop) -> {
                    throw RpcError.invalidParams("the mode cannot be changed here");
                })
                .onNotification(ClientMethods.UPDATE, (params, hop) -> {
                    if (!(params.update() instanceof SessionUpdate.AgentThoughtChunk)) {
                        hop.forward();
                    }
                })
                .onRequests(Method.Side.AGENT, method -> method.startsWith("_own/"), (params, hop) -> {
                    var answer = hop.forward();
                    return answer.isError() ? hop.answer(params) : answer;
                })
                .filter()
                .build();
        // end
    }

    /** A prompt of the proxy's own, at the first prompt of each session. */
    static Proxy first() {
        // recipe: first
        SessionState<AtomicBoolean> begun = SessionState.of(opening -> new AtomicBoolean());
        return Proxy.builder("sceptic", "1.0")
                .state(begun)
                .onPrompt((prompt, hop) -> {
                    if (!hop.state(begun).getAndSet(true)) {
                        hop.promptFirst(List.of(ContentBlock.text("You are a sceptic.")), (update, shown) -> {
                            // What is forwarded here, the client sees: shown.forward()
                        });
                    }
                    return hop.forward();
                })
                .build();
        // end
    }

    /** Has the agent review what it has done, in a session that the client does not see. */
    static Proxy reviewed(Path folder) {
        // recipe: own
        Client.Builder reviewer = Client.builder("reviewer", "1.0"); // rejects permissions, has no files
        return Proxy.builder("reviewed", "1.0")
                .onRequest(AgentMethods.PROMPT, (prompt, hop) -> {
                    var answer = hop.forward();
                    try (ConnectedAgent agent = reviewer.connect(hop.ownTransport());
                            Session own = agent.newSession(folder)) {
                        String review = own.prompt("Review the last changes in one sentence.")
                                .text();
                        hop.client()
                                .send(
                                        ClientMethods.UPDATE,
                                        SessionNotification.of(
                                                prompt.sessionId(),
                                                SessionUpdate.AgentMessageChunk.of(ContentBlock.text(review), null)));
                    }
                    return answer;
                })
                .build();
        // end
    }

    /** Counts messages, without a delay for any. */
    static Proxy counted(Map<String, Long> counts) {
        // recipe: observe
        return Proxy.builder("counts", "1.0")
                .observe(seen -> counts.merge(seen.method(), 1 + seen.dropped(), Long::sum))
                .build();
        // end
    }

    /** What belongs to a session. */
    static Proxy state() {
        // recipe: state
        SessionState<AtomicInteger> prompts = SessionState.of(opening -> new AtomicInteger());
        return Proxy.builder("limit", "1.0")
                .state(prompts)
                .onPrompt((prompt, hop) -> {
                    if (hop.state(prompts).incrementAndGet() > 100) {
                        throw RpcError.invalidRequest("a session has at most 100 prompts");
                    }
                    return hop.forward();
                })
                .build();
        // end
    }
}
