package dev.acp4j.proxies;

import dev.acp4j.json.RawJson;
import dev.acp4j.proxy.Answer;
import dev.acp4j.proxy.Hop;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.proxy.RequestHop;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.RequestPermissionOutcome;
import dev.acp4j.schema.RequestPermissionResponse;
import dev.acp4j.schema.RequestPermissionSubject;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionNotification;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.schema.Unstable;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Answers questions for permission by rules, in the place of the client; what no rule is for, the client is asked.
 *
 * <pre>{@code
 * Proxy rules = PermissionRules.builder().allow(ToolKind.READ, ToolKind.SEARCH).deny(ToolKind.DELETE).build();
 * }</pre>
 *
 * <p>Denying wins. A question is answered with the option for this once: always is for people. If an option for
 * allowing once is not offered, the client is asked; if one for rejecting once is not, the question is answered as
 * cancelled. Kinds and names are what the agent says of its calls, so rules save a person questions about an agent that
 * they trust to name its calls, and stop no agent that lies. A call whose kind is unknown is never allowed by its kind.
 * A question about a command has the kind execute, besides that of the call that it is part of: it is denied if one of
 * them is, and allowed if both are.
 *
 * <p>A decision is reported to the client with the call, in its {@code _meta} as {@code acp4j.dev/permission}; one
 * about a command that is part of no call reaches {@link Builder#onDecision} only.
 */
@Unstable
public final class PermissionRules {
    /** The member of {@code _meta} that says what was decided, and by which rule. */
    public static final String META = "acp4j.dev/permission";

    private final Set<ToolKind> allowedKinds;
    private final Set<ToolKind> deniedKinds;
    private final Set<String> allowedTools;
    private final Set<String> deniedTools;
    private final Consumer<Decision> onDecision;
    private final ToolCalls calls = new ToolCalls();

    /**
     * A question that a rule has answered.
     *
     * @param session the session of the question
     * @param isAllowed whether the call was allowed, once
     * @param rule the rule, such as {@code kind read} or {@code tool grep}
     */
    @Unstable
    public record Decision(SessionId session, boolean isAllowed, String rule) {
        /** Returns the decision as a text for people. */
        @Override
        public String toString() {
            return (isAllowed ? "allowed" : "denied") + " by the rule for " + rule;
        }
    }

    private PermissionRules(Builder builder) {
        allowedKinds = builder.allowedKinds;
        deniedKinds = builder.deniedKinds;
        allowedTools = builder.allowedTools;
        deniedTools = builder.deniedTools;
        onDecision = builder.onDecision;
    }

    /** Begins rules: without any, the client is asked everything. */
    public static Builder builder() {
        return new Builder();
    }

    private Proxy proxy() {
        return Proxy.builder("policy", "1")
                .filter()
                .onRequest(ClientMethods.REQUEST_PERMISSION, (question, hop) -> {
                    ToolCallUpdate call = question.toolCall();
                    Call asked = Call.of(calls.asked(hop, question.sessionId(), call));
                    return answer(question.sessionId(), asked, call, question.options(), hop);
                })
                .onRequest(ClientMethods.REQUEST_PERMISSION_V2, (question, hop) -> switch (question.subject()) {
                    case RequestPermissionSubject.ToolCall subject -> {
                        ToolCallUpdate call = subject.toolCall();
                        Call asked = Call.of(calls.asked(hop, question.sessionId(), call));
                        yield answer(question.sessionId(), asked, call, question.options(), hop);
                    }
                    case RequestPermissionSubject.Command command -> {
                        ToolCallId id = command.toolCallId();
                        ToolCalls.Known known =
                                id == null ? ToolCalls.Known.NOTHING : calls.of(hop, question.sessionId(), id);
                        yield answer(
                                question.sessionId(),
                                Call.of(known).and(ToolKind.EXECUTE),
                                id == null ? null : ToolCallUpdate.builder(id).build(),
                                question.options(),
                                hop);
                    }
                    case null, default -> hop.forward();
                })
                .onNotification(ClientMethods.UPDATE, (said, hop) -> {
                    ToolCalls.Known unused = calls.said(hop, said.sessionId(), said.update());
                    hop.forward();
                })
                .build();
    }

    private Answer<RequestPermissionResponse> answer(
            SessionId session,
            Call asked,
            @Nullable ToolCallUpdate call,
            List<PermissionOption> options,
            RequestHop<?, RequestPermissionResponse> hop)
            throws Exception {
        Decision decision = decide(session, asked);
        if (decision == null) {
            return hop.forward();
        }
        Optional<RequestPermissionOutcome> outcome =
                decision.isAllowed ? Choice.allow(options) : Optional.of(Choice.reject(options));
        if (outcome.isEmpty()) {
            return hop.forward();
        }
        if (call != null) {
            tell(decision, call, hop);
        }
        onDecision.accept(decision);
        return hop.answer(RequestPermissionResponse.of(outcome.get()));
    }

    private static void tell(Decision decision, ToolCallUpdate call, Hop hop) throws InterruptedException {
        Meta meta = call.rest().meta().with(META, RawJson.string(decision.toString()));
        hop.client()
                .send(
                        ClientMethods.UPDATE,
                        SessionNotification.of(
                                decision.session,
                                call.toBuilder()
                                        .rest(call.rest().withMeta(meta))
                                        .build()));
    }

    /**
     * What a question is about.
     *
     * @param tool the name of the tool; null if it was not said
     * @param kinds the kinds that it has: that of the call, if it was said, and that of the question, if it has one
     */
    private record Call(@Nullable String tool, Set<ToolKind> kinds) {
        static Call of(ToolCalls.Known known) {
            ToolKind kind = known.kind();
            return new Call(known.name(), kind == null ? Set.of() : Set.of(kind));
        }

        Call and(ToolKind kind) {
            Set<ToolKind> both = new LinkedHashSet<>(kinds);
            both.add(kind);
            return new Call(tool, both);
        }
    }

    private @Nullable Decision decide(SessionId session, Call call) {
        String tool = call.tool;
        if (tool != null && deniedTools.contains(tool)) {
            return new Decision(session, false, "tool " + tool);
        }
        for (ToolKind kind : call.kinds) {
            if (deniedKinds.contains(kind)) {
                return new Decision(session, false, "kind " + kind);
            }
        }
        if (tool != null && allowedTools.contains(tool)) {
            return new Decision(session, true, "tool " + tool);
        }
        if (!call.kinds.isEmpty() && allowedKinds.containsAll(call.kinds)) {
            String kinds = call.kinds.stream().map(ToolKind::value).collect(Collectors.joining(" and "));
            return new Decision(session, true, "kind " + kinds);
        }
        return null;
    }

    /** Builds rules. */
    public static final class Builder {
        private Set<ToolKind> allowedKinds = Set.of();
        private Set<ToolKind> deniedKinds = Set.of();
        private Set<String> allowedTools = Set.of();
        private Set<String> deniedTools = Set.of();
        private Consumer<Decision> onDecision = decision -> Notices.log("Permission: " + decision);

        private Builder() {}

        /**
         * Sets the kinds of calls that are allowed.
         *
         * @throws IllegalArgumentException when one is unknown, or {@link ToolKind#OTHER}, which says nothing
         */
        public Builder allow(ToolKind... kinds) {
            List<ToolKind> possible = new ArrayList<>(ToolKind.known());
            possible.remove(ToolKind.OTHER);
            allowedKinds = kinds(possible, kinds);
            return this;
        }

        /**
         * Sets the kinds of calls that are denied, also if something else allows them.
         *
         * @throws IllegalArgumentException when one is unknown
         */
        public Builder deny(ToolKind... kinds) {
            deniedKinds = kinds(ToolKind.known(), kinds);
            return this;
        }

        private static Set<ToolKind> kinds(List<ToolKind> possible, ToolKind... kinds) {
            for (ToolKind kind : kinds) {
                if (!possible.contains(kind)) {
                    throw new IllegalArgumentException("expected a kind that is known, got " + kind + "; there are "
                            + possible.stream().map(ToolKind::value).collect(Collectors.joining(", ")));
                }
            }
            return Set.copyOf(List.of(kinds));
        }

        /** Sets the tools that are allowed, by their exact names. */
        public Builder allowTools(String... names) {
            allowedTools = Stream.of(names).collect(Collectors.toUnmodifiableSet());
            return this;
        }

        /** Sets the tools that are denied, by their exact names, also if something else allows them. */
        public Builder denyTools(String... names) {
            deniedTools = Stream.of(names).collect(Collectors.toUnmodifiableSet());
            return this;
        }

        /** Takes each decision, on the thread that answers the question; logged by default. */
        public Builder onDecision(Consumer<Decision> listener) {
            onDecision = Objects.requireNonNull(listener);
            return this;
        }

        /** Builds the proxy. */
        public Proxy build() {
            return new PermissionRules(this).proxy();
        }
    }
}
