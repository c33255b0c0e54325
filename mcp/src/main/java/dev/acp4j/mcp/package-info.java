/**
 * Servers of the Model Context Protocol (MCP).
 *
 * <p>For agents: {@link dev.acp4j.mcp.McpServers} connects the servers that clients name when they open a session, and
 * calls their tools as tool calls of the session's turns. {@link dev.acp4j.mcp.ConnectedServer} is one of them,
 * {@link dev.acp4j.mcp.Tool} what it offers and {@link dev.acp4j.mcp.ToolResult} what a call returns.
 *
 * <p>For clients: {@link dev.acp4j.mcp.McpConfig} reads the servers that a user has configured. For clients and
 * proxies: {@link dev.acp4j.mcp.ToolServer} is a server of the program itself, with tools, prompts and resources.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-setup#mcp-servers">MCP servers of a session</a>
 * @see <a href="https://modelcontextprotocol.io/specification">Model Context Protocol</a>
 */
@NullMarked
package dev.acp4j.mcp;

import org.jspecify.annotations.NullMarked;
