package dev.acp4j.proxies;

import dev.acp4j.json.JsonBoolean;
import dev.acp4j.json.JsonNull;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import dev.acp4j.proxy.Hop;
import dev.acp4j.proxy.NotificationHop;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.proxy.SessionState;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.SessionNotification;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.ToolCall;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.Version;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The output of an agent's own commands, in {@code _meta} of their tool calls, as content. */
final class TerminalDialect {
    private static final String ID = "terminal_id";
    private static final int MOST = 64 * 1024;
    private static final int SHORT = 4 * 1024;
    private static final Pattern TERMINAL_CODE = Pattern.compile("\u001b\\[[0-9;?]*+[ -/]*+[@-~]");

    private final OfferedByClients offered = new OfferedByClients();

    /** What the commands of a session have printed; used by the direction to the client only. */
    private final SessionState<Map<ToolCallId, Output>> outputs = SessionState.of(opening -> new ConcurrentHashMap<>());

    void addTo(Proxy.Builder proxy) {
        offered.addTo(proxy).state(outputs).onNotification(ClientMethods.UPDATE, this::update);
    }

    private void update(SessionNotification said, NotificationHop<SessionNotification> hop)
            throws InterruptedException {
        SessionUpdate changed =
                hop.version() == Version.V1 && !shows(hop) ? changed(said.update(), hop.state(outputs)) : said.update();
        hop.forward(
                changed.equals(said.update()) ? said : new SessionNotification(said.sessionId(), changed, said.rest()));
    }

    private boolean shows(Hop hop) {
        Meta meta = offered.of(hop.client()).meta();
        return isTrue(meta, "terminal_output") || isTrue(meta, "terminal_output_delta");
    }

    private static boolean isTrue(Meta meta, String name) {
        return meta.get(name)
                .filter(value -> value.value() instanceof JsonBoolean some && some.value())
                .isPresent();
    }

    private static SessionUpdate changed(SessionUpdate update, Map<ToolCallId, Output> all) {
        if (update instanceof ToolCall call) {
            List<ToolCallContent> content =
                    content(call.toolCallId(), call.meta(), call.content(), isOver(call.status()), all);
            return content == null ? call : call.toBuilder().content(content).build();
        }
        if (update instanceof ToolCallUpdate change) {
            List<ToolCallContent> came =
                    change.content().isKeep() ? null : change.content().applyTo(List.of());
            List<ToolCallContent> content = content(
                    change.toolCallId(),
                    change.meta(),
                    came,
                    isOver(change.status().applyTo(null)),
                    all);
            return content == null
                    ? change
                    : change.toBuilder().content(content).build();
        }
        return update;
    }

    private static boolean isOver(@Nullable ToolCallStatus status) {
        return ToolCallStatus.COMPLETED.equals(status) || ToolCallStatus.FAILED.equals(status);
    }

    /** Returns the content of a call for the client; null to leave it as it came. */
    private static @Nullable List<ToolCallContent> content(
            ToolCallId call,
            Meta meta,
            @Nullable List<ToolCallContent> came,
            boolean isOver,
            Map<ToolCallId, Output> all) {
        JsonObject info = part(meta, "terminal_info");
        JsonObject whole = part(meta, "terminal_output");
        JsonObject printed = whole == null ? part(meta, "terminal_output_delta") : whole;
        JsonObject exit = part(meta, "terminal_exit");
        JsonObject any = info != null ? info : printed != null ? printed : exit;
        Output output = all.get(call);
        if (output == null) {
            if (any == null) {
                return null;
            }
            output = new Output(any.text(ID).orElse(call.value()));
            all.put(call, output);
        }
        if (printed != null) {
            output.add(printed.text("data").orElse(""));
        }
        if (exit != null) {
            output.exit = exit(exit);
        }
        if (came != null) {
            output.keep(came, call);
        }
        boolean isShown = came != null || exit != null || isOver || output.hasGrown();
        if (isOver) {
            all.remove(call);
        }
        return isShown ? output.content() : null;
    }

    private static @Nullable JsonObject part(Meta meta, String name) {
        RawJson part = meta.get(name).orElse(null);
        return part != null && part.value() instanceof JsonObject object ? object : null;
    }

    private static String exit(JsonObject exit) {
        String signal = exit.text("signal").orElse("");
        String code = exit.get("exit_code")
                .filter(value -> !value.equals(JsonNull.INSTANCE))
                .map(Object::toString)
                .orElse("0");
        return !signal.isEmpty() ? "\n[Ended by " + signal + "]" : code.equals("0") ? "" : "\n[Exit code " + code + "]";
    }

    /** What a command has printed. */
    private static final class Output {
        private final String terminal;
        private final StringBuilder text = new StringBuilder();

        /** What else the agent shows of the call. */
        private List<ToolCallContent> others = List.of();

        private String exit = "";
        private long printed;
        private long shown;
        private boolean isCut;

        Output(String terminal) {
            this.terminal = terminal;
        }

        void add(String more) {
            printed += more.length();
            text.append(more);
            if (text.length() > MOST) {
                text.delete(0, text.length() - MOST);
                isCut = true;
            }
        }

        void keep(List<ToolCallContent> came, ToolCallId call) {
            List<ToolCallContent> kept = new ArrayList<>();
            for (ToolCallContent content : came) {
                boolean isOurs = content instanceof ToolCallContent.Terminal shownThere
                        && (shownThere.terminalId().value().equals(terminal)
                                || shownThere.terminalId().value().equals(call.value()));
                if (!isOurs) {
                    kept.add(content);
                }
            }
            others = List.copyOf(kept);
        }

        /** Whether there is enough more to be shown again: all of it is sent each time. */
        boolean hasGrown() {
            return printed - shown > (text.length() < SHORT ? 0 : text.length() / 10);
        }

        List<ToolCallContent> content() {
            shown = printed;
            List<ToolCallContent> all = new ArrayList<>(others);
            String plain = TERMINAL_CODE.matcher(text).replaceAll("").replace("\r\n", "\n");
            if (!plain.isEmpty() || !exit.isEmpty()) {
                String fence = "```";
                while (plain.contains(fence)) {
                    fence += "`";
                }
                String body = (isCut ? "[The beginning is left out.]\n" : "") + plain + exit;
                all.add(ToolCallContent.Content.of(
                        ContentBlock.text(fence + "\n" + body + (body.endsWith("\n") ? "" : "\n") + fence)));
            }
            return all;
        }
    }
}
