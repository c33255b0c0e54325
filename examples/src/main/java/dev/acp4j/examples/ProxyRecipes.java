package dev.acp4j.examples;

import dev.acp4j.Stdio;
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
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.trace.TraceFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

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
                    var release = call.ask("What is released?", Release.class);
                    return release.map(Release::version).orElse("Nothing is released.");
                })
                .build();
        // end
    }

    /** A conductor that makes servers over ACP usable for an agent that does not offer them. */
    static void bridge(Proxy tools) throws IOException, InterruptedException {
        // recipe: bridge
        try (McpBridge bridge = new McpBridge()) {
            Conductor.builder()
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
                var trace = ChainTrace.to(events, Redaction.SECRETS, System.err::println)) {
            Conductor.builder()
                    .proxy(BriefProxy.BRIEF)
                    .agent(Launch.of("gemini", "--acp"))
                    .trace(trace)
                    .build()
                    .serve(Stdio.system());
        }
        // end
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
