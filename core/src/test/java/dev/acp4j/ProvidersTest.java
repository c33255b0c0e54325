package dev.acp4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AuthAccount;
import dev.acp4j.schema.AuthState;
import dev.acp4j.schema.LlmProtocol;
import dev.acp4j.schema.ProviderCurrentConfig;
import dev.acp4j.schema.ProviderId;
import dev.acp4j.schema.ProviderInfo;
import dev.acp4j.schema.SetProviderRequest;
import dev.acp4j.schema.Version;
import dev.acp4j.trace.TraceEvent;
import dev.acp4j.trace.Tracer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients configure where requests to models go, and ask how the user is logged in, in both versions. */
@Timeout(20)
final class ProvidersTest {
    private static final ProviderId MAIN = ProviderId.of("main");
    private static final ProviderId OTHER = ProviderId.of("other");
    private static final LlmProtocol OWN = LlmProtocol.of("_corp");
    private static final String CANARY = "canary-4711-in-a-header";

    @RegisterExtension
    final Joined joined = new Joined();

    /** A required provider and another one. */
    private static final class Providers implements Agent.ProvidersHandler {
        final Map<ProviderId, SetProviderRequest> set = new ConcurrentHashMap<>();

        @Override
        public List<ProviderInfo> list(ConnectedClient client) {
            List<ProviderInfo> all = new ArrayList<>();
            for (ProviderId id : List.of(MAIN, OTHER)) {
                SetProviderRequest current = set.get(id);
                all.add(ProviderInfo.builder(id, List.of(LlmProtocol.ANTHROPIC, OWN), id.equals(MAIN))
                        .current(
                                current == null ? null : ProviderCurrentConfig.of(current.apiType(), current.baseUrl()))
                        .build());
            }
            return all;
        }

        @Override
        public void set(ConnectedClient client, SetProviderRequest configuration) {
            if (configuration.baseUrl().isEmpty()) {
                throw new IllegalArgumentException("no address in " + configuration);
            }
            set.put(configuration.providerId(), configuration);
        }

        @Override
        public void disable(ConnectedClient client, ProviderId provider) {
            set.remove(provider);
        }
    }

    private final Providers providers = new Providers();
    private final List<Problem> problems = new CopyOnWriteArrayList<>();
    private final List<TraceEvent> traced = Collections.synchronizedList(new ArrayList<>());

    private ConnectedAgent connect(Version version) throws Exception {
        return connect(Joined.client().protocol(version));
    }

    private ConnectedAgent connect(Client.Builder client) throws Exception {
        return joined.join(
                Joined.agent(turn -> {})
                        .protocol(Version.V1, Version.V2)
                        .onProblem(problems::add)
                        .trace(Tracer.of(traced::add))
                        .onProviders(providers),
                client.onProblem(problems::add).trace(Tracer.of(traced::add)));
    }

    private static SetProviderRequest configuration(ProviderId id, LlmProtocol protocol, String url) {
        return SetProviderRequest.builder(id, protocol, url)
                .headers(Map.of("Authorization", "Bearer " + CANARY, "X-Team", CANARY))
                .build();
    }

    @ParameterizedTest
    @EnumSource
    @Tag("AUT-07")
    void providersAreListedSetAndDisabled(Version version) throws Exception {
        ConnectedAgent agent = connect(version);
        assertThat(agent.supports(Feature.PROVIDERS)).isTrue();
        assertThat(agent.providers()).hasSize(2).allMatch(provider -> provider.current() == null);

        agent.setProvider(configuration(MAIN, LlmProtocol.ANTHROPIC, "https://llm.example"));
        agent.setProvider(configuration(OTHER, OWN, "https://own.example"));

        assertThat(providers.set)
                .containsEntry(MAIN, configuration(MAIN, LlmProtocol.ANTHROPIC, "https://llm.example"));
        List<ProviderInfo> listed = agent.providers();
        assertThat(listed.getFirst().current())
                .isEqualTo(ProviderCurrentConfig.of(LlmProtocol.ANTHROPIC, "https://llm.example"));
        assertThat(listed.getLast().supported()).contains(OWN);
        assertThat(listed.getLast().current()).isEqualTo(ProviderCurrentConfig.of(OWN, "https://own.example"));

        agent.disableProvider(OTHER);
        agent.disableProvider(OTHER);
        agent.disableProvider(ProviderId.of("unknown"));

        assertThat(agent.providers().getLast().current()).isNull();
    }

    @ParameterizedTest
    @EnumSource
    @Tag("AUT-07")
    void whatDoesNotFitTheListIsRefusedBeforeTheHandler(Version version) throws Exception {
        ConnectedAgent agent = connect(version);

        refused(() -> agent.setProvider(configuration(ProviderId.of("x"), OWN, "https://x.example")), "no such");
        refused(() -> agent.setProvider(configuration(MAIN, LlmProtocol.AZURE, "https://x.example")), "azure");
        refused(() -> agent.disableProvider(MAIN), "required");

        assertThat(providers.set).isEmpty();
    }

    private interface Asking {
        void ask() throws Exception;
    }

    private static void refused(Asking asking, String why) {
        assertThatThrownBy(asking::ask).isInstanceOfSatisfying(RpcError.class, e -> {
            assertThat(e.code()).isEqualTo(RpcError.INVALID_PARAMS);
            assertThat(e.getMessage()).contains(why);
        });
    }

    @ParameterizedTest
    @EnumSource
    @Tag("AUT-07")
    void secretsOfProvidersAreInNoTextErrorReportOrTrace(Version version) throws Exception {
        String address = "https://ada:" + CANARY + "@llm.example/v1?api_key=" + CANARY;
        List<Message> messages = Collections.synchronizedList(new ArrayList<>());
        Client.Builder client = Joined.client().interceptOutgoing((message, next) -> {
            messages.add(message);
            next.pass(message);
        });
        ConnectedAgent agent = connect(client.protocol(version));
        List<Throwable> thrown = new ArrayList<>();

        agent.setProvider(configuration(MAIN, OWN, address));
        thrown.add(catchThrowable(() -> agent.setProvider(configuration(MAIN, LlmProtocol.AZURE, address))));
        thrown.add(catchThrowable(() -> agent.setProvider(configuration(MAIN, OWN, ""))));
        thrown.add(catchThrowable(() -> agent.call(
                "providers/set",
                RawJson.parse("{\"providerId\":\"main\",\"apiType\":\"_corp\",\"baseUrl\":\"" + address + "\","
                        + "\"headers\":{\"Authorization\":[\"" + CANARY + "\"]}}"))));
        List<ProviderInfo> listed = agent.providers();

        assertThat(thrown).hasSize(3).doesNotContainNull();
        assertThat(problems).isNotEmpty();
        StringWriter said = new StringWriter();
        try (PrintWriter out = new PrintWriter(said)) {
            thrown.forEach(e -> e.printStackTrace(out));
            for (Problem problem : problems) {
                out.println(problem);
                if (problem.cause() != null) {
                    problem.cause().printStackTrace(out);
                }
            }
            synchronized (traced) {
                traced.forEach(out::println);
                traced.forEach(event -> out.println(event.body()));
            }
            out.println(listed);
            out.println(providers.set);
            out.println(messages);
        }
        assertThat(said.toString())
                .contains("providers/set", "Authorization", "llm.example/v1")
                .doesNotContain(CANARY);
    }

    // ---- how the user is logged in

    @ParameterizedTest
    @EnumSource
    @Tag("AUT-05")
    @Tag("AUT-06")
    void theStateOfTheLoginIsAskedForAndReported(Version version) throws Exception {
        AuthAccount account = AuthAccount.builder("Claude Max")
                .active(true)
                .email("a@b.example")
                .build();
        AuthStatus known = new AuthStatus(AuthState.AUTHENTICATED, List.of(account));
        BlockingQueue<AuthStatus> told = new LinkedBlockingQueue<>();
        BlockingQueue<ConnectedClient> clients = new LinkedBlockingQueue<>();
        ConnectedAgent agent = joined.join(
                Joined.agent(turn -> {}).protocol(Version.V1, Version.V2).onAuthStatus(client -> {
                    clients.add(client);
                    return known;
                }),
                Joined.client().protocol(version).onAuthStatus((from, status) -> told.add(status)));

        assertThat(agent.supports(Feature.AUTH_STATUS)).isTrue();
        assertThat(agent.authStatus()).isEqualTo(known);
        assertThat(known.isLoggedIn()).isTrue();
        assertThat(known.toString()).contains("Claude Max").doesNotContain("a@b.example");

        AuthStatus gone = new AuthStatus(AuthState.of("_expiring"), List.of());
        clients.take().authStatus(gone);

        assertThat(told.take()).isEqualTo(gone);
        assertThat(gone.isLoggedIn()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void anAgentThatDoesNotOfferItDoesNotReportTheLogin(Version version) throws Exception {
        BlockingQueue<ConnectedClient> clients = new LinkedBlockingQueue<>();
        ConnectedAgent agent = joined.join(
                Joined.agent(turn -> clients.add(turn.client())).protocol(Version.V1, Version.V2),
                Joined.client().protocol(version));
        TurnResult unused = agent.newSession(Joined.HERE).prompt("go").result();
        ConnectedClient client = clients.take();

        assertThatThrownBy(() -> client.authStatus(new AuthStatus(AuthState.NOT_REQUIRED, List.of())))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("onAuthStatus");
    }
}
