package dev.acp4j.cli.trace;

import dev.acp4j.trace.TraceEvent;
import java.util.ArrayList;
import java.util.List;

/**
 * The summary of a message in one line. It may contain any text of a peer: the caller must make it safe for its
 * destination.
 */
final class MessageSummary {
    /** The maximum length: longer lines are hard to read, and increase the size of a page with many messages. */
    private static final int LONGEST = 400;

    private MessageSummary() {}

    static String of(TraceStep step) {
        String text = text(step);
        return text.length() <= LONGEST ? text : text.substring(0, end(text)) + "…";
    }

    private static int end(String text) {
        return Character.isHighSurrogate(text.charAt(LONGEST - 1)) ? LONGEST - 1 : LONGEST;
    }

    private static String text(TraceStep step) {
        TraceEvent event = step.event();
        MessageFacts body = MessageFacts.of(event.body());
        return switch (event.type()) {
            case REQUEST, NOTIFICATION -> call(step.method(), body);
            case RESULT -> body.at("leftOut").isThere() ? leftOut(body) : result(step, body);
            case ERROR -> body.at("leftOut").isThere() ? leftOut(body) : error(body);
            case NOISE, STDERR -> body.text();
            case CHAIN -> String.join(" — ", TraceLanes.names(event));
            case END -> event.from() + " closed its side" + (body.isThere() ? ": " + body.text() : "");
        };
    }

    private static String leftOut(MessageFacts body) {
        return "too large to be recorded: " + body.text("leftOut");
    }

    private static String error(MessageFacts error) {
        return facts(error.text("message") + " (" + error.text("code") + ")", error.text("data"));
    }

    private static String call(String method, MessageFacts params) {
        if (params.at("leftOut").isThere()) {
            return leftOut(params);
        }
        return switch (method) {
            case "initialize" -> facts(party(params.at("clientInfo")), version(params));
            case "authenticate" -> params.text("methodId");
            case "session/new", "session/load", "session/resume", "session/fork" ->
                facts(params.text("cwd"), count(params.list("mcpServers"), "MCP server"), bridged(params));
            case "session/prompt" -> content(params.list("prompt"));
            case "session/update" -> UpdateSummary.of(params.at("update"));
            case "session/request_permission" -> permission(params);
            case "session/set_mode" -> params.text("modeId");
            case "session/set_config_option" -> params.text("configId") + " = " + params.text("value");
            case "fs/read_text_file" ->
                facts(params.text("path"), labelled("from line", params, "line"), labelled("lines:", params, "limit"));
            case "fs/write_text_file" -> facts(params.text("path"), size(params.text("content")));
            case "terminal/create" -> commandLine(params);
            case "mcp/message" -> params.text("params");
            case "$/cancel_request" -> "#" + params.text("requestId");
            default -> rest(method, params);
        };
    }

    /** Returns how the agent reaches the servers that a client, a proxy or a bridge has rewritten, and why so. */
    private static String bridged(MessageFacts setup) {
        List<String> ways = new ArrayList<>();
        for (MessageFacts server : setup.list("mcpServers")) {
            String way = server.text("_meta", "acp4j/mcpWay");
            if (!way.isEmpty()) {
                ways.add(server.text("name") + " " + way);
            }
        }
        return String.join("; ", ways);
    }

    private static String rest(String method, MessageFacts params) {
        if (method.startsWith("terminal/")) {
            return params.text("terminalId");
        }
        return method.equals("session/cancel") || method.equals("session/close") ? "" : params.text();
    }

    private static String result(TraceStep step, MessageFacts result) {
        return switch (step.method()) {
            case "initialize" -> facts(party(result.at("agentInfo")), version(result), ways(result));
            case "session/new", "session/fork" -> facts(result.text("sessionId"), mode(result));
            case "session/load", "session/resume" -> mode(result);
            case "session/list" -> count(result.list("sessions"), "session");
            case "session/prompt" ->
                facts(result.text("stopReason"), labelled("tokens:", result, "usage", "totalTokens"));
            case "session/request_permission" ->
                facts(result.text("outcome", "outcome"), result.text("outcome", "optionId"));
            case "fs/read_text_file" -> facts(size(result.text("content")), quoted(result.text("content")));
            case "terminal/create" -> result.text("terminalId");
            case "terminal/output" ->
                facts(exit(result.at("exitStatus")), size(result.text("output")), quoted(result.text("output")));
            case "terminal/wait_for_exit" -> exit(result);
            default -> result.text().equals("{}") ? "" : result.text();
        };
    }

    private static String party(MessageFacts info) {
        return (info.text("name") + " " + info.text("version")).strip();
    }

    private static String version(MessageFacts body) {
        return labelled("protocol", body, "protocolVersion");
    }

    private static String ways(MessageFacts result) {
        List<String> ids = new ArrayList<>();
        result.list("authMethods").forEach(way -> ids.add(way.text("id")));
        return ids.isEmpty() ? "" : "log in: " + String.join(", ", ids);
    }

    private static String mode(MessageFacts result) {
        return labelled("mode", result, "modes", "currentModeId");
    }

    private static String permission(MessageFacts params) {
        List<String> names = new ArrayList<>();
        params.list("options").forEach(option -> names.add(option.text("name")));
        String title = params.text("toolCall", "title");
        return facts(title.isEmpty() ? params.text("toolCall", "toolCallId") : title, String.join(" | ", names));
    }

    private static String commandLine(MessageFacts params) {
        StringBuilder line = new StringBuilder(params.text("command"));
        params.list("args").forEach(argument -> line.append(' ').append(argument.text()));
        return line.toString();
    }

    private static String exit(MessageFacts status) {
        return facts(labelled("exit code", status, "exitCode"), status.text("signal"));
    }

    /** Returns the text of content blocks. */
    static String content(List<MessageFacts> blocks) {
        List<String> parts = new ArrayList<>();
        blocks.forEach(block -> parts.add(content(block)));
        return String.join(" ", parts);
    }

    static String content(MessageFacts block) {
        return switch (block.text("type")) {
            case "text" -> quoted(block.text("text"));
            case "resource_link" -> "[" + block.text("uri") + "]";
            case "resource" -> "[" + block.text("resource", "uri") + "]";
            case "" -> block.text();
            default -> "[" + block.text("type") + "]";
        };
    }

    // ---- parts of a line

    /** Returns the parts that are not empty, with a dot between them. */
    static String facts(String... parts) {
        StringBuilder line = new StringBuilder();
        for (String part : parts) {
            if (!part.isEmpty()) {
                line.append(line.isEmpty() ? "" : " · ").append(part);
            }
        }
        return line.toString();
    }

    static String quoted(String text) {
        return text.isEmpty() ? "" : "“" + text + "”";
    }

    static String labelled(String label, MessageFacts body, String... path) {
        String text = body.text(path);
        return text.isEmpty() ? "" : label + " " + text;
    }

    static String count(List<?> list, String what) {
        return list.isEmpty() ? "" : list.size() + " " + what + (list.size() == 1 ? "" : "s");
    }

    private static String size(String text) {
        return text.length() + (text.length() == 1 ? " character" : " characters");
    }
}
