package dev.acp4j.proxies;

import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.proxy.Answer;
import dev.acp4j.proxy.Hop;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.proxy.RequestHop;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.CancelNotification;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.McpError;
import dev.acp4j.schema.MessageMcpRequest;
import dev.acp4j.schema.MessageMcpResponse;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.RequestPermissionResponse;
import dev.acp4j.schema.RequestPermissionSubject;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionNotification;
import dev.acp4j.schema.ToolCall;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.Unstable;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Forbids tools by their names.
 *
 * <pre>{@code
 * Proxy filter = ToolFilter.builder().deny("delete_branch", "mcp__github__merge").cancel().build();
 * }</pre>
 *
 * <p>A denied tool is forbidden; if any are allowed, so is each tool that is not among them. Names are compared
 * exactly, never titles. Tools of MCP servers whose messages pass through this connection are taken out of
 * {@code tools/list}, and a call of one is answered with an error of MCP. Questions for permission for a forbidden tool
 * are rejected, with allowed tools also those that name no tool.
 *
 * <p>What an agent does with its own tools without asking cannot be prevented here, which is reported at the start.
 * When an update shows a forbidden tool at work, that is reported, and the turn is cancelled if {@link Builder#cancel}
 * says so.
 */
@Unstable
public final class ToolFilter {
    private static final int INVALID_PARAMS = -32602;

    private final Set<String> allowed;
    private final Set<String> denied;
    private final boolean cancels;
    private final Consumer<String> onNotice;
    private final ToolCalls calls = new ToolCalls();

    private ToolFilter(Builder builder) {
        allowed = builder.allowed;
        denied = builder.denied;
        cancels = builder.cancels;
        onNotice = builder.onNotice;
    }

    /** Begins a filter. */
    public static Builder builder() {
        return new Builder();
    }

    private Proxy proxy() {
        return Proxy.builder("tools", "1")
                .filter()
                .onRequest(AgentMethods.INITIALIZE, (params, hop) -> {
                    onNotice.accept("The tools that an agent has itself can be seen, but not stopped: "
                            + (cancels ? "a turn that uses a forbidden one is cancelled." : "their use is reported."));
                    return hop.forward();
                })
                .onRequest(
                        ClientMethods.REQUEST_PERMISSION,
                        (question, hop) -> forbids(calls.asked(hop, question.sessionId(), question.toolCall())
                                        .name())
                                ? rejected(question.options(), hop)
                                : hop.forward())
                .onRequest(
                        ClientMethods.REQUEST_PERMISSION_V2,
                        (question, hop) -> forbids(question.sessionId(), question.subject(), hop)
                                ? rejected(question.options(), hop)
                                : hop.forward())
                .onRequest(ClientMethods.MESSAGE_MCP, this::mcp)
                .onNotification(ClientMethods.UPDATE, (said, hop) -> {
                    hop.forward();
                    watch(said, hop);
                })
                .build();
    }

    private boolean forbids(@Nullable String name) {
        return name == null
                ? !allowed.isEmpty()
                : denied.contains(name) || !(allowed.isEmpty() || allowed.contains(name));
    }

    private boolean forbids(SessionId session, @Nullable RequestPermissionSubject subject, Hop hop) {
        if (subject instanceof RequestPermissionSubject.ToolCall call) {
            return forbids(calls.asked(hop, session, call.toolCall()).name());
        }
        if (subject instanceof RequestPermissionSubject.Command command && command.toolCallId() != null) {
            return forbids(calls.of(hop, session, command.toolCallId()).name());
        }
        return forbids(null);
    }

    private static Answer<RequestPermissionResponse> rejected(
            List<PermissionOption> options, RequestHop<?, RequestPermissionResponse> hop) {
        return hop.answer(RequestPermissionResponse.of(Choice.reject(options)));
    }

    private void watch(SessionNotification said, Hop hop) throws InterruptedException {
        ToolCallId call = switch (said.update()) {
            case ToolCall announced -> announced.toolCallId();
            case ToolCallUpdate changed -> changed.toolCallId();
            default -> null;
        };
        if (call == null) {
            return;
        }
        String before = calls.of(hop, said.sessionId(), call).shown();
        String name = calls.said(hop, said.sessionId(), said.update()).shown();
        if (name != null && !name.equals(before) && forbids(name)) {
            onNotice.accept("The agent uses the tool " + name + ", which is not allowed"
                    + (cancels ? ": its turn is cancelled." : "."));
            if (cancels) {
                hop.agent().send(AgentMethods.CANCEL, CancelNotification.of(said.sessionId()));
            }
        }
    }

    // ---- tools of MCP servers behind the client

    private Answer<MessageMcpResponse> mcp(
            MessageMcpRequest request, RequestHop<MessageMcpRequest, MessageMcpResponse> hop) throws Exception {
        if (request.method().equals("tools/call")) {
            RawJson params = request.params();
            String name = params == null ? null : name(params);
            return name == null || forbids(name)
                    ? hop.answer(MessageMcpResponse.Failure.of(
                            McpError.builder(INVALID_PARAMS, "the tool " + name + " is not allowed here")
                                    .build()))
                    : hop.forward();
        }
        Answer<MessageMcpResponse> answer = hop.forward();
        if (!request.method().equals("tools/list")
                || answer.isError()
                || !(answer.result() instanceof MessageMcpResponse.Result result)) {
            return answer;
        }
        RawJson left = withoutForbidden(result.result());
        return left.equals(result.result()) ? answer : answer.with(new MessageMcpResponse.Result(left, result.rest()));
    }

    /** Returns a list of tools without those that are forbidden; what stays keeps its bytes. */
    private RawJson withoutForbidden(RawJson list) {
        JsonWriter out = new JsonWriter(list.length());
        JsonReader in = list.reader();
        boolean isChanged = false;
        in.beginObject();
        out.beginObject();
        while (in.nextMember()) {
            String member = in.name();
            out.name(member);
            if (!member.equals("tools")) {
                out.raw(in.raw());
                continue;
            }
            in.beginArray();
            out.beginArray();
            while (in.nextElement()) {
                RawJson tool = in.raw();
                String name = name(tool);
                if (name == null || forbids(name)) {
                    isChanged = true;
                } else {
                    out.raw(tool);
                }
            }
            out.endArray();
        }
        out.endObject();
        return isChanged ? out.toRawJson() : list;
    }

    private static @Nullable String name(RawJson object) {
        String name = null;
        JsonReader in = object.reader();
        in.beginObject();
        while (in.nextMember()) {
            if (in.name().equals("name")) {
                name = in.string();
            } else {
                in.skip();
            }
        }
        return name;
    }

    /** Builds a filter. */
    public static final class Builder {
        private Set<String> allowed = Set.of();
        private Set<String> denied = Set.of();
        private boolean cancels;
        private Consumer<String> onNotice = Notices::log;

        private Builder() {}

        /** Sets the tools that are allowed; all others are forbidden. */
        public Builder allow(String... tools) {
            allowed = Stream.of(tools).collect(Collectors.toUnmodifiableSet());
            return this;
        }

        /** Sets the tools that are forbidden, also if they are allowed. */
        public Builder deny(String... tools) {
            denied = Stream.of(tools).collect(Collectors.toUnmodifiableSet());
            return this;
        }

        /** Cancels the turn when an update shows that a forbidden tool is used; without this it is only reported. */
        public Builder cancel() {
            cancels = true;
            return this;
        }

        /** Takes what a user should know, a sentence each, such as the use of a forbidden tool; logged by default. */
        public Builder onNotice(Consumer<String> listener) {
            onNotice = Objects.requireNonNull(listener);
            return this;
        }

        /**
         * Builds the filter.
         *
         * @throws IllegalStateException when it neither allows nor denies a tool
         */
        public Proxy build() {
            if (allowed.isEmpty() && denied.isEmpty()) {
                throw new IllegalStateException("a filter allows or denies at least one tool");
            }
            return new ToolFilter(this).proxy();
        }
    }
}
