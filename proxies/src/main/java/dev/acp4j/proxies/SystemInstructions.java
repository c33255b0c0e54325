package dev.acp4j.proxies;

import dev.acp4j.proxy.Hop;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.proxy.SessionState;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.ForkSessionRequest;
import dev.acp4j.schema.InitializeResponse;
import dev.acp4j.schema.LoadSessionRequest;
import dev.acp4j.schema.NewSessionRequest;
import dev.acp4j.schema.PromptRequest;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.ResumeSessionRequest;
import dev.acp4j.schema.SessionCapabilitiesV2;
import dev.acp4j.schema.SessionSystemPromptCapabilities;
import dev.acp4j.schema.SystemPrompt;
import dev.acp4j.schema.SystemPromptMode;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.Version;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Gives the agent instructions in each session.
 *
 * <pre>{@code
 * Proxy brief = SystemInstructions.append("Answer in one sentence.");
 * }</pre>
 *
 * <p>An agent that accepts system prompts, a draft, gets them as one, before those of the client. Any other gets them
 * before the text of the first prompt, between marks, and that is reported; where the conversation is replayed, they
 * are taken out again. After {@code session/load} they are given again only if the replay had none, after
 * {@code session/resume} and {@code session/fork} always, since these show nothing of what the agent knows.
 *
 * @see <a href="https://agentclientprotocol.com/rfds/system-prompt">System prompts</a>
 */
@Unstable
public final class SystemInstructions {
    private static final String ID = "instructions";

    private final String text;
    private final boolean override;
    private final Consumer<String> onNotice;
    private final Inserted inserted = new Inserted("system-prompt");

    /** True as long as the next prompt of the session must carry them. */
    private final SessionState<AtomicBoolean> missing = SessionState.of(opening -> new AtomicBoolean(true));

    private SystemInstructions(Builder builder) {
        text = builder.text;
        override = builder.override;
        onNotice = builder.onNotice;
    }

    /** Returns a proxy that adds instructions to the agent's own. */
    public static Proxy append(String text) {
        return builder(text).build();
    }

    /**
     * Begins a proxy.
     *
     * @throws IllegalArgumentException when the text is blank
     */
    public static Builder builder(String text) {
        return new Builder(text);
    }

    private Proxy proxy() {
        Proxy.Builder proxy = Proxy.builder("system-prompt", "1")
                .state(missing)
                .onRequest(AgentMethods.INITIALIZE, (params, hop) -> {
                    var answer = hop.forward();
                    hop.initialized().ifPresent(this::report);
                    return answer;
                })
                .onRequest(
                        AgentMethods.NEW_SESSION,
                        giving(
                                NewSessionRequest::systemPrompt,
                                (params, prompt) ->
                                        params.toBuilder().systemPrompt(prompt).build()))
                .onRequest(
                        AgentMethods.LOAD_SESSION,
                        giving(
                                LoadSessionRequest::systemPrompt,
                                (params, prompt) ->
                                        params.toBuilder().systemPrompt(prompt).build()))
                .onRequest(
                        AgentMethods.RESUME_SESSION,
                        giving(
                                ResumeSessionRequest::systemPrompt,
                                (params, prompt) ->
                                        params.toBuilder().systemPrompt(prompt).build()))
                // A fork has the instructions of the session that it comes from, unless the client sets others.
                .onRequest(
                        AgentMethods.FORK_SESSION,
                        giving(
                                ForkSessionRequest::systemPrompt,
                                (params, prompt) -> params.systemPrompt() == null
                                        ? params
                                        : params.toBuilder()
                                                .systemPrompt(prompt)
                                                .build()))
                .onPrompt((prompt, hop) -> {
                    AtomicBoolean isMissing = hop.state(missing);
                    if (accepts(hop) || !isMissing.compareAndSet(true, false)) {
                        return hop.forward();
                    }
                    List<ContentBlock> blocks = new ArrayList<>();
                    blocks.add(ContentBlock.text(inserted.text(ID, text)));
                    blocks.addAll(prompt.prompt());
                    boolean isGiven = false;
                    try {
                        var answer = hop.forward(new PromptRequest(prompt.sessionId(), blocks, prompt.rest()));
                        isGiven = !answer.isError();
                        return answer;
                    } finally {
                        if (!isGiven) {
                            isMissing.set(true);
                        }
                    }
                });
        return inserted.takenOut(proxy, (hop, id) -> hop.state(missing).set(false))
                .build();
    }

    /** Returns an interceptor of requests that open sessions, in which an agent may take system prompts. */
    private <P, R> Proxy.RequestInterceptor<P, R> giving(
            Function<P, @Nullable SystemPrompt> ofClient, BiFunction<P, SystemPrompt, P> with) {
        return (params, hop) ->
                accepts(hop) ? hop.forward(with.apply(params, prompt(ofClient.apply(params), hop))) : hop.forward();
    }

    private void report(InitializeResponse agent) {
        SessionSystemPromptCapabilities accepted = accepted(agent, agent.protocolVersion() >= 2);
        if (accepted == null) {
            onNotice.accept("This agent takes no system prompt: the instructions are added to the first prompt"
                    + (override ? ", and replace none of its own." : "."));
        } else if (override && !canReplace(accepted)) {
            onNotice.accept("The instructions of this agent cannot be replaced: others are added to them.");
        }
    }

    private static boolean accepts(Hop hop) {
        return accepted(hop) != null;
    }

    private static @Nullable SessionSystemPromptCapabilities accepted(Hop hop) {
        return hop.initialized()
                .map(agent -> accepted(agent, hop.version() == Version.V2))
                .orElse(null);
    }

    private static @Nullable SessionSystemPromptCapabilities accepted(InitializeResponse agent, boolean isVersion2) {
        SessionCapabilitiesV2 session = agent.capabilities().session();
        if (isVersion2) {
            return session == null ? null : session.systemPrompt();
        }
        return agent.agentCapabilities().sessionCapabilities().systemPrompt();
    }

    private static boolean canReplace(SessionSystemPromptCapabilities accepted) {
        return accepted.mode() != null && accepted.mode().override() != null;
    }

    private SystemPrompt prompt(@Nullable SystemPrompt ofClient, Hop hop) {
        List<ContentBlock> content = new ArrayList<>();
        content.add(ContentBlock.text(text));
        SystemPromptMode mode = SystemPromptMode.APPEND;
        Rest rest = Rest.NONE;
        if (ofClient != null) {
            content.addAll(ofClient.content());
            mode = ofClient.mode();
            rest = ofClient.rest();
        }
        SessionSystemPromptCapabilities accepted = accepted(hop);
        if (override && accepted != null && canReplace(accepted)) {
            mode = SystemPromptMode.OVERRIDE;
        }
        return new SystemPrompt(mode, content, rest);
    }

    /** Builds a proxy that gives instructions. */
    public static final class Builder {
        private final String text;
        private boolean override;
        private Consumer<String> onNotice = Notices::log;

        private Builder(String text) {
            if (text.isBlank()) {
                throw new IllegalArgumentException("the instructions are blank");
            }
            this.text = text;
        }

        /** Replaces the agent's own instructions, if it offers that; otherwise they are added, which is reported. */
        public Builder override() {
            override = true;
            return this;
        }

        /** Takes what a user should know, a sentence each, such as what this agent cannot do; logged by default. */
        public Builder onNotice(Consumer<String> listener) {
            onNotice = Objects.requireNonNull(listener);
            return this;
        }

        /** Builds the proxy. */
        public Proxy build() {
            return new SystemInstructions(this).proxy();
        }
    }
}
