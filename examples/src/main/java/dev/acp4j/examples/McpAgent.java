package dev.acp4j.examples;

import dev.acp4j.Agent;
import dev.acp4j.AgentTurn;
import dev.acp4j.Stdio;
import dev.acp4j.json.RawJson;
import dev.acp4j.mcp.McpServers;
import dev.acp4j.mcp.Tool;
import dev.acp4j.mcp.ToolResult;

/**
 * An agent that uses the MCP servers of its sessions. It lists their tools; a prompt that begins with the name of one
 * calls it, with the JSON behind the name.
 */
final class McpAgent {
    private McpAgent() {}

    // recipe: agent
    static Agent.Builder agent() {
        var agent = Agent.builder("tools", "1.0").onPrompt(McpAgent::answer);
        return McpServers.builder().http().addTo(agent);
    }

    private static void answer(AgentTurn turn) throws InterruptedException {
        McpServers mcp = McpServers.of(turn);
        String[] words = turn.text().split(" ", 2);
        for (Tool tool : mcp.tools(turn)) {
            if (words[0].equals(tool.modelName())) {
                ToolResult result = mcp.call(turn, words[0], RawJson.parse(words.length < 2 ? "{}" : words[1]));
                turn.message(result.text());
                return;
            }
            turn.message("- " + tool.modelName() + ": " + tool.description() + "\n");
        }
        if (mcp.tools(turn).isEmpty()) {
            turn.message("There are no tools.");
        }
    }
    // end

    public static void main(String[] args) throws Exception {
        agent().serve(Stdio.system());
    }
}
