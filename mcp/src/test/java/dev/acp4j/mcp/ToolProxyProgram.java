package dev.acp4j.mcp;

import dev.acp4j.Stdio;
import dev.acp4j.proxy.Proxy;

/** A proxy with a tool that says which process it is. */
final class ToolProxyProgram {
    private ToolProxyProgram() {}

    public static void main(String[] args) throws InterruptedException {
        ToolServer own = ToolServer.builder("own", "1")
                .tool(
                        "pid",
                        "Names the process",
                        call -> ProcessHandle.current().pid() + " "
                                + call.setup()
                                        .map(setup -> setup.cwd().toString())
                                        .orElse(""))
                .build();
        ToolServer.addTo(Proxy.builder("tools", "1"), own).build().serve(Stdio.system());
    }
}
