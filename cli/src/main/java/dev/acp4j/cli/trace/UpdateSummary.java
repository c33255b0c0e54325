package dev.acp4j.cli.trace;

import static dev.acp4j.cli.trace.MessageSummary.count;
import static dev.acp4j.cli.trace.MessageSummary.facts;

import java.util.List;

/** The summary of a session update in one line. */
final class UpdateSummary {
    private UpdateSummary() {}

    static String of(MessageFacts update) {
        String kind = update.text("sessionUpdate");
        return switch (kind) {
            case "agent_message_chunk", "agent_thought_chunk", "user_message_chunk" ->
                facts(kind, MessageSummary.content(update.at("content")));
            case "tool_call", "tool_call_update" -> toolCall(kind, update);
            case "plan" -> plan(update.list("entries"));
            case "available_commands_update" -> facts(kind, count(update.list("availableCommands"), "command"));
            case "current_mode_update" -> facts(kind, update.text("currentModeId"));
            case "config_option_update" -> facts(kind, count(update.list("configOptions"), "option"));
            case "session_info_update" -> facts(kind, update.text("title"));
            case "usage_update" -> facts(kind, update.text("used") + " of " + update.text("size"));
            default -> update.text();
        };
    }

    private static String toolCall(String kind, MessageFacts update) {
        String content = update.list("content").stream()
                .map(UpdateSummary::content)
                .reduce("", (before, next) -> facts(before, next));
        return facts(
                kind,
                update.text("toolCallId"),
                update.text("title"),
                update.text("kind"),
                update.text("status"),
                places(update),
                content);
    }

    private static String places(MessageFacts update) {
        return update.list("locations").stream()
                .map(place -> facts(place.text("path"), MessageSummary.labelled("line", place, "line")))
                .reduce("", (before, next) -> facts(before, next));
    }

    private static String content(MessageFacts part) {
        return switch (part.text("type")) {
            case "diff" -> "diff of " + part.text("path");
            case "terminal" -> "terminal " + part.text("terminalId");
            default -> MessageSummary.content(part.at("content"));
        };
    }

    private static String plan(List<MessageFacts> entries) {
        long done = entries.stream()
                .filter(entry -> entry.text("status").equals("completed"))
                .count();
        String current = entries.stream()
                .filter(entry -> entry.text("status").equals("in_progress"))
                .map(entry -> entry.text("content"))
                .findFirst()
                .orElse("");
        return facts("plan", done + " of " + entries.size() + " done", current);
    }
}
