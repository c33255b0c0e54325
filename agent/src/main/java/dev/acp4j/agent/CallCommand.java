package dev.acp4j.agent;

import dev.acp4j.json.JsonException;
import dev.acp4j.json.RawJson;
import dev.acp4j.mcp.McpServers;
import dev.acp4j.mcp.ToolResult;

/** {@code /call}: calls a tool of an MCP server of the session, after asking. */
final class CallCommand implements Command {
    @Override
    public String name() {
        return "call";
    }

    @Override
    public String description() {
        return "Call a tool of an MCP server, after asking";
    }

    @Override
    public String hint() {
        return "server.tool {\"argument\": \"value\"}";
    }

    @Override
    public void run(Work work, String arguments) throws InterruptedException {
        int end = 0;
        while (end < arguments.length() && !Character.isWhitespace(arguments.charAt(end))) {
            end++;
        }
        String tool = arguments.substring(0, end);
        if (tool.isEmpty()) {
            throw new UsageException("which tool? `/tools` lists them");
        }
        if (work.isReadOnly()) {
            work.say("The session is read-only, so " + Markdown.code(tool) + " was not called.\n");
            return;
        }
        ToolResult result = McpServers.of(work.turn()).call(work.turn(), tool, json(arguments.substring(end)));
        String text = result.text();
        String said = result.isError() ? " failed" : text.isEmpty() ? " returned no text" : " returned";
        work.say(Markdown.code(tool) + said + (text.isEmpty() ? ".\n" : ":\n\n" + Markdown.block("", text)));
    }

    private static RawJson json(String text) {
        try {
            return text.isBlank() ? RawJson.EMPTY_OBJECT : RawJson.parse(text);
        } catch (JsonException e) {
            throw new UsageException("the arguments are not JSON: " + e.getMessage());
        }
    }
}
