package dev.acp4j.agent;

import dev.acp4j.mcp.ConnectedServer;
import dev.acp4j.mcp.McpServers;
import dev.acp4j.mcp.Tool;
import java.util.List;

/** {@code /tools}: the MCP servers of the session, and what they offer. */
final class ToolsCommand implements Command {
    @Override
    public String name() {
        return "tools";
    }

    @Override
    public String description() {
        return "List the tools of the session's MCP servers";
    }

    @Override
    public String hint() {
        return "";
    }

    @Override
    public void run(Work work, String arguments) throws InterruptedException {
        McpServers mcp = McpServers.of(work.turn());
        List<Tool> tools = mcp.tools(work.turn());
        if (mcp.servers().isEmpty()) {
            work.say("This session has no MCP servers. The client names them when it opens a session.\n");
            return;
        }
        StringBuilder text = new StringBuilder();
        for (ConnectedServer server : mcp.servers()) {
            text.append("**").append(Markdown.code(server.name())).append("**");
            switch (server.state()) {
                case READY -> text.append(":\n");
                case STARTING -> text.append(" is still starting.\n");
                default -> text.append(" is not connected.\n");
            }
            server.failure()
                    .filter(why -> server.state() != ConnectedServer.State.READY)
                    .ifPresent(why -> text.append('\n').append(Markdown.block("", why.toString())));
            for (Tool tool : tools) {
                if (tool.server().equals(server.name())) {
                    text.append("- ")
                            .append(Markdown.code(tool.fullName()))
                            .append(tool.description().isEmpty() ? "" : ": " + firstLine(tool.description()))
                            .append('\n');
                }
            }
            text.append('\n');
        }
        work.say(text.toString());
    }

    /** A server wrote the description: it is shown as text. */
    private static String firstLine(String description) {
        return Markdown.code(description.strip().lines().findFirst().orElse(""));
    }
}
