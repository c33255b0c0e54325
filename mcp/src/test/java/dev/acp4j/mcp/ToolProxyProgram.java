package dev.acp4j.mcp;

import dev.acp4j.Stdio;
import dev.acp4j.proxy.Proxy;
import java.util.List;

/**
 * A proxy with a tool that says which process it is, and a server whose name begins as that of the first; with an
 * argument, one that says which session it has.
 */
final class ToolProxyProgram {
    private ToolProxyProgram() {}

    public static void main(String[] args) throws InterruptedException {
        if (args.length > 0) {
            ToolServer.addTo(Proxy.builder("tools", "1"), ToolProxyProgram::bySession)
                    .build()
                    .serve(Stdio.system());
            return;
        }
        ToolServer own = ToolServer.builder("own", "1")
                .tool(
                        "pid",
                        "Names the process",
                        call -> ProcessHandle.current().pid() + " "
                                + call.setup()
                                        .map(setup -> setup.cwd().toString())
                                        .orElse(""))
                .build();
        ToolServer more = ToolServer.builder("own-more", "1")
                .tool("greet", "Greets", call -> "Hello!")
                .build();
        ToolServer.addTo(Proxy.builder("tools", "1"), own, more).build().serve(Stdio.system());
    }

    private static List<ToolServer> bySession(ProxySession session) {
        return List.of(ToolServer.builder("own", "1")
                .tool("session", "Names the session", call -> session.id().value())
                .build());
    }
}
