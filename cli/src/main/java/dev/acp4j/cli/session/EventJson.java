package dev.acp4j.cli.session;

import dev.acp4j.ConnectedAgent;
import dev.acp4j.Entry;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.TokenUsage;
import dev.acp4j.TurnResult;
import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.CompactionUpdate;
import dev.acp4j.schema.CompactionUpdateBuilder;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.Implementation;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.RequestPermissionOutcome;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.SessionModeId;
import dev.acp4j.schema.SessionNotification;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.TerminalExitStatus;
import dev.acp4j.schema.ToolCall;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolKind;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The events of a session, as one JSON object per line. {@code docs/cli.md} describes the objects; their member names
 * are stable.
 *
 * <p>An object has the member {@code type} and then the members that the protocol gives the matching update, so they
 * need no further documentation. Tool calls include all their updates, merged.
 */
public final class EventJson {
    private final Consumer<String> out;

    /** @param out receives one line at a time, without its end; from one thread at a time */
    public EventJson(Consumer<String> out) {
        this.out = out;
    }

    /** The first line: the agent and the session. */
    public void session(ConnectedAgent agent, Session session) {
        JsonWriter json = begin("session");
        string(json, "sessionId", session.id().value());
        string(json, "cwd", session.cwd().toString());
        json.name("protocolVersion");
        json.int64(agent.protocolVersion());
        agent.info().ifPresent(info -> agent(json, info));
        end(json);
    }

    /** An event of the session. */
    public void event(Session session, SessionEvent event) {
        switch (event) {
            case SessionEvent.Chunk chunk -> chunk(session, chunk);
            case SessionEvent.ToolCallChanged changed -> toolCall(session, changed.call());
            case SessionEvent.TerminalChanged changed -> terminal(changed);
            case SessionEvent.PlanChanged changed -> plan(session, changed);
            // Drafts, as they came.
            case SessionEvent.PlanRemoved removed -> asItCame(event);
            case SessionEvent.SubagentChanged changed -> asItCame(event);
            case SessionEvent.SessionMessageChanged changed -> asItCame(event);
            case SessionEvent.CommandsChanged changed ->
                update("commands", session, SessionUpdate.AvailableCommandsUpdate.of(changed.commands()));
            case SessionEvent.ConfigChanged changed -> config(session, changed);
            case SessionEvent.InfoChanged changed -> info(changed);
            case SessionEvent.UsageChanged changed -> update("usage", session, changed.usage());
            case SessionEvent.Noticed noticed -> update("notice", session, noticed.notice());
            case SessionEvent.CompactionChanged changed -> compaction(session, changed.compaction());
            case SessionEvent.MessageChanged changed -> message(changed.message());
            case SessionEvent.StateChanged changed -> state(changed.state());
            case SessionEvent.Missed missed -> missed(missed.count());
            case SessionEvent.Other other -> other(other.update());
        }
    }

    private void plan(Session session, SessionEvent.PlanChanged changed) {
        if (changed.plan().uri() == null && changed.plan().markdown() == null) {
            update("plan", session, SessionUpdate.Plan.of(changed.plan().entries()));
        } else {
            asItCame(changed);
        }
    }

    private void asItCame(SessionEvent event) {
        event.raw()
                .map(Message::params)
                .map(RawJson::value)
                .filter(JsonObject.class::isInstance)
                .flatMap(params -> ((JsonObject) params).get("update"))
                .ifPresent(update -> other(RawJson.of(update)));
    }

    private void config(Session session, SessionEvent.ConfigChanged changed) {
        update("config_options", session, SessionUpdate.ConfigOptionUpdate.of(changed.options()));
        String mode = ConfigOptions.newMode(changed);
        if (mode != null) {
            update("mode", session, SessionUpdate.CurrentModeUpdate.of(SessionModeId.of(mode)));
        }
    }

    /** A message has changed. */
    private void message(Entry.Message message) {
        JsonWriter json = begin("message_changed");
        string(json, "author", message.author().name().toLowerCase(Locale.ROOT));
        if (message.id() != null) {
            string(json, "messageId", message.id().value());
        }
        string(json, "text", message.text());
        end(json);
    }

    /** Has what is new only: the whole output may be long. */
    private void terminal(SessionEvent.TerminalChanged changed) {
        JsonWriter json = begin("terminal");
        string(json, "terminalId", changed.terminal().id().value());
        String cwd = changed.terminal().cwd();
        if (cwd != null) {
            string(json, "cwd", cwd);
        }
        string(json, "output", changed.output());
        TerminalExitStatus exit = changed.terminal().exitStatus();
        if (exit != null) {
            json.name("exitStatus");
            json.beginObject();
            if (exit.exitCode() != null) {
                json.name("exitCode");
                json.int64(exit.exitCode());
            }
            if (exit.signal() != null) {
                string(json, "signal", exit.signal());
            }
            json.endObject();
        }
        end(json);
    }

    private void state(SessionEvent.StateChanged.State state) {
        JsonWriter json = begin("state");
        string(json, "state", state.name().toLowerCase(Locale.ROOT));
        end(json);
    }

    private void missed(long count) {
        count("missed", count);
    }

    /** Messages of the agent could not be read. */
    public void dropped(int count) {
        count("dropped", count);
    }

    private void count(String type, long count) {
        JsonWriter json = begin(type);
        json.name("count");
        json.int64(count);
        end(json);
    }

    /** A question of the agent and its answer. */
    public void permission(PermissionQuestion request, RequestPermissionOutcome outcome) {
        JsonWriter json = begin("permission");
        if (request.toolCall() != null) {
            string(json, "toolCallId", request.toolCall().id().value());
        }
        string(json, "title", request.title());
        if (request.description() != null) {
            string(json, "description", request.description());
        }
        json.name("options");
        json.beginArray();
        for (PermissionOption option : request.options()) {
            json.beginObject();
            string(json, "optionId", option.optionId().value());
            string(json, "name", option.name());
            string(json, "kind", option.kind().value());
            json.endObject();
        }
        json.endArray();
        if (outcome instanceof RequestPermissionOutcome.Selected selected) {
            string(json, "outcome", "selected");
            string(json, "optionId", selected.optionId().value());
        } else {
            string(json, "outcome", "cancelled");
        }
        end(json);
    }

    /** The last line of a turn that the agent ended. */
    public void result(TurnResult result, ExitCode code) {
        JsonWriter json = begin("result");
        string(json, "stopReason", result.stopReason().value());
        result.usage().ifPresent(usage -> usage(json, usage));
        exitCode(json, code);
        end(json);
    }

    private static void usage(JsonWriter json, TokenUsage usage) {
        json.name("usage");
        json.beginObject();
        tokens(json, "totalTokens", usage.total());
        tokens(json, "inputTokens", usage.input());
        tokens(json, "outputTokens", usage.output());
        tokens(json, "thoughtTokens", usage.thought());
        tokens(json, "cachedReadTokens", usage.cachedRead());
        tokens(json, "cachedWriteTokens", usage.cachedWrite());
        json.endObject();
    }

    private static void tokens(JsonWriter json, String name, @Nullable Long count) {
        if (count != null) {
            json.name(name);
            json.int64(count);
        }
    }

    /** The last line of a run that failed. */
    public void error(String message, List<String> details, ExitCode code) {
        JsonWriter json = begin("error");
        string(json, "message", message);
        json.name("details");
        json.beginArray();
        for (String detail : details) {
            json.string(detail);
        }
        json.endArray();
        exitCode(json, code);
        end(json);
    }

    private void chunk(Session session, SessionEvent.Chunk chunk) {
        ContentBlock content = chunk.content();
        MessageId id = chunk.messageId();
        JsonWriter json;
        switch (chunk) {
            case SessionEvent.Message message -> {
                json = begin("message");
                members(json, session, new SessionUpdate.AgentMessageChunk(content, id, Rest.NONE));
            }
            case SessionEvent.Thought thought -> {
                json = begin("thought");
                members(json, session, new SessionUpdate.AgentThoughtChunk(content, id, Rest.NONE));
            }
            case SessionEvent.UserMessage message -> {
                json = begin("user_message");
                members(json, session, new SessionUpdate.UserMessageChunk(content, id, Rest.NONE));
            }
        }
        if (!chunk.text().isEmpty()) {
            string(json, "text", chunk.text());
        }
        end(json);
    }

    private void update(String type, Session session, SessionUpdate update) {
        JsonWriter json = begin(type);
        members(json, session, update);
        end(json);
    }

    /** The protocol omits a default kind and status; here they are always present. */
    private void toolCall(Session session, Entry.ToolCall call) {
        JsonWriter json = begin("tool_call");
        members(json, session, whole(call));
        if (call.kind().equals(ToolKind.OTHER)) {
            string(json, "kind", call.kind().value());
        }
        if (call.status().equals(ToolCallStatus.PENDING)) {
            string(json, "status", call.status().value());
        }
        end(json);
    }

    private void info(SessionEvent.InfoChanged changed) {
        JsonWriter json = begin("session_info");
        String title = changed.title();
        if (title != null) {
            string(json, "title", title);
        }
        String updatedAt = changed.updatedAt();
        if (updatedAt != null) {
            string(json, "updatedAt", updatedAt);
        }
        end(json);
    }

    private void compaction(Session session, Entry.Compaction compaction) {
        CompactionUpdateBuilder whole =
                CompactionUpdate.builder(compaction.id(), compaction.status()).summary(compaction.summary());
        if (compaction.error() != null) {
            whole.error(compaction.error());
        }
        update("compaction", session, whole.build());
    }

    private void other(RawJson update) {
        JsonWriter json = begin("other");
        json.name("update");
        json.raw(update);
        end(json);
    }

    /** Copies the members that the protocol's own codec writes for an update. */
    private static void members(JsonWriter json, Session session, SessionUpdate update) {
        RawJson notification =
                RawJson.encode(SessionNotification.of(session.id(), update), ClientMethods.UPDATE.params());
        JsonReader in = notification.reader();
        in.beginObject();
        while (in.nextMember()) {
            if (!in.name().equals("update")) {
                in.skip();
                continue;
            }
            in.beginObject();
            while (in.nextMember()) {
                String name = in.name();
                RawJson value = in.raw();
                if (!name.equals("sessionUpdate")) {
                    json.name(name);
                    json.raw(value);
                }
            }
        }
    }

    private static ToolCall whole(Entry.ToolCall call) {
        return ToolCall.builder(call.id(), call.title())
                .name(call.name())
                .kind(call.kind())
                .status(call.status())
                .content(call.content())
                .locations(call.locations())
                .rawInput(call.rawInput())
                .rawOutput(call.rawOutput())
                .build();
    }

    private static void agent(JsonWriter json, Implementation info) {
        json.name("agent");
        json.beginObject();
        string(json, "name", info.name());
        String title = info.title();
        if (title != null) {
            string(json, "title", title);
        }
        string(json, "version", info.version());
        json.endObject();
    }

    private static JsonWriter begin(String type) {
        JsonWriter json = new JsonWriter();
        json.beginObject();
        string(json, "type", type);
        return json;
    }

    private void end(JsonWriter json) {
        json.endObject();
        out.accept(json.toRawJson().toString());
    }

    private static void exitCode(JsonWriter json, ExitCode code) {
        json.name("exitCode");
        json.int64(code.number());
    }

    private static void string(JsonWriter json, String name, String value) {
        json.name(name);
        json.string(value);
    }
}
