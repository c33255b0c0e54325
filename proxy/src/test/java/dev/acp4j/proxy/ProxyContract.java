package dev.acp4j.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What proxies do, wherever they stand. */
@Timeout(120)
abstract class ProxyContract {
    private static final String INITIALIZE = "{\"protocolVersion\":1,\"clientCapabilities\":{\"own\":1.50},\"x\":[ ]}";
    private static final String INITIALIZED = "{\"protocolVersion\":1,\"agentCapabilities\":{\"own\":1.50},\"x\":[ ]}";

    private final List<String> wire = Peer.newWire();
    private final List<AutoCloseable> open = new ArrayList<>();
    private Peer client = new Peer("client", MemoryTransport.pair().left(), wire);
    private Peer agent = new Peer("agent", MemoryTransport.pair().left(), wire);

    /**
     * Puts proxies between two transports.
     *
     * @param names of {@link SampleProxies}, the first next to the client
     */
    abstract AutoCloseable place(List<String> names, Transport client, Transport agent) throws Exception;

    private void start(String... names) throws Exception {
        place(names);
        initialize(INITIALIZE, INITIALIZED);
    }

    private void start2(String... names) throws Exception {
        place(names);
        initialize(
                "{\"protocolVersion\":2,\"info\":{\"name\":\"c\",\"version\":\"1\",\"x\":1.50}}",
                "{\"protocolVersion\":2,\"info\":{\"name\":\"a\",\"version\":\"1\",\"x\":1.50}}");
    }

    private void place(String... names) throws Exception {
        MemoryTransport.Pair clientSide = MemoryTransport.pair();
        MemoryTransport.Pair agentSide = MemoryTransport.pair();
        client = new Peer("client", clientSide.right(), wire);
        agent = new Peer("agent", agentSide.right(), wire);
        open.add(client);
        open.add(agent);
        open.add(place(List.of(names), clientSide.left(), agentSide.left()));
    }

    private void initialize(String params, String result) throws Exception {
        client.request("0", "initialize", params);
        Message asked = agent.receive();
        assertThat(asked.method()).isEqualTo("initialize");
        assertThat(asked.params()).hasToString(params);
        agent.answer(asked, result);
        assertThat(client.receive().result()).hasToString(result);
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable closeable : open) {
            closeable.close();
        }
    }

    private void openSession(String id) throws Exception {
        client.request("\"new\"", "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
        agent.answer(agent.receive(), "{\"sessionId\":\"" + id + "\"}");
        assertThat(client.receive().result()).hasToString("{\"sessionId\":\"" + id + "\"}");
    }

    private static String prompt(String session, String text) {
        return "{\"sessionId\":\"" + session + "\",\"prompt\":[{\"type\":\"text\",\"text\":\"" + text
                + "\",\"own\":1.50}],\"x\":[ ]}";
    }

    private static String said(String session, String text) {
        return "{\"sessionId\":\"" + session
                + "\",\"update\":{\"sessionUpdate\":\"agent_message_chunk\",\"own\":1.50,\"content\":{\"type\":\"text\",\"text\":\""
                + text + "\",\"own\":[ ]}}}";
    }

    @Test
    @Tag("PXL-02")
    @Tag("PXL-08")
    @Tag("PRX-06")
    @Tag("PRX-10")
    void whatIsNotInterceptedPassesByteForByte() throws Exception {
        start("nothing", "nothing");
        String odd =
                "{\"sessionId\":\"s\",\"a\":1.50,\"a\":1e3,\"\\u00e9\":\"\\ud83d\\ude00\",\"b\":[ ],\"_meta\":null}";
        client.request("\"1\"", "_own", odd);
        Message there = agent.receive();
        assertThat(there.method()).isEqualTo("_own");
        assertThat(there.params()).hasToString(odd);
        agent.fail(there, "{\"code\":-7,\"message\":\"no\",\"data\":null,\"own\":1.0}");
        Message back = client.receive();
        assertThat(back.id()).hasToString("\"1\"");
        assertThat(back.error()).hasToString("{\"code\":-7,\"message\":\"no\",\"data\":null,\"own\":1.0}");

        agent.request("9", "_ask", odd);
        Message question = client.receive();
        assertThat(question.params()).hasToString(odd);
        client.answer(question, odd);
        Message answer = agent.receive();
        assertThat(answer.id()).hasToString("9");
        assertThat(answer.result()).hasToString(odd);
        agent.notify("_told", odd);
        assertThat(client.receive().params()).hasToString(odd);
    }

    @Test
    @Tag("PXL-09")
    void interceptorsRunInTheirOrderAndChangeOnlyWhatTheyChange() throws Exception {
        start("brief", "polite");
        openSession("s");
        client.request("1", "session/prompt", prompt("s", "Hello"));
        Message there = agent.receive();
        assertThat(there.params())
                .hasToString("{\"sessionId\":\"s\",\"prompt\":[{\"type\":\"text\",\"text\":\"Hello\",\"own\":1.50},"
                        + "{\"type\":\"text\",\"text\":\"Be brief.\"},{\"type\":\"text\",\"text\":\"Say please.\"}],"
                        + "\"x\":[ ]}");
        agent.answer(there, "{\"stopReason\":\"end_turn\",\"own\":1.50}");
        assertThat(client.receive().result()).hasToString("{\"stopReason\":\"end_turn\",\"own\":1.50}");
    }

    @Test
    @Tag("PXL-09")
    @Tag("TST-06")
    void ofAnUpdateOnlyTheMemberThatWasChangedDiffers() throws Exception {
        start("loud");
        openSession("s");
        agent.notify("session/update", said("s", "Hi"));
        agent.notify("session/update", "{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"own\",\"x\":1.50}}");

        assertThat(client.receive().params()).hasToString(said("s", "Hi!"));
        assertThat(client.receive().params())
                .hasToString("{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"own\",\"x\":1.50}}");
    }

    @Test
    @Tag("PRX-23")
    void aSessionIsKnownFromItsFirstMessage() throws Exception {
        start("loud");
        for (int i = 0; i < 200; i++) {
            client.request(String.valueOf(i), "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
            agent.answer(agent.receive(), "{\"sessionId\":\"s" + i + "\"}");
            agent.notify("session/update", said("s" + i, "Hi"));
            assertThat(client.receive().result()).hasToString("{\"sessionId\":\"s" + i + "\"}");
            assertThat(client.receive().params()).hasToString(said("s" + i, "Hi!"));
        }
    }

    @Test
    void ofMembersWithOneNameTheLastIsSeenAndChanged() throws Exception {
        start("brief");
        openSession("s");
        client.request(
                "1",
                "session/prompt",
                "{\"prompt\":[{\"type\":\"text\",\"text\":\"first\"}],\"sessionId\":\"s\",\"prompt\":[{\"type\":\"text\",\"text\":\"last\"}]}");
        Message there = agent.receive();
        assertThat(there.params())
                .asString()
                .contains("last")
                .contains("Be brief.")
                .doesNotContain("first");
        agent.answer(there, "{\"stopReason\":\"end_turn\"}");
        assertThat(client.receive().id()).hasToString("1");
    }

    @Test
    @Tag("PXL-11")
    @Tag("PXL-21")
    void aFilterWithAStateRefusesWhatIsOfASessionThatItHasNotSeenOpened() throws Exception {
        start("guarding");
        openSession("s");
        String question =
                "\"toolCall\":{\"toolCallId\":\"t\"},\"options\":[{\"optionId\":\"o\",\"name\":\"Yes\",\"kind\":\"allow_once\"}]}";
        agent.request("5", "session/request_permission", "{\"sessionId\":\"subagent\"," + question);
        assertThat(agent.receive().error()).asString().contains("-32603");
        agent.notify("session/update", said("subagent", "unchecked"));
        agent.notify("session/update", said("s", "Hi"));
        assertThat(client.receive().params()).hasToString(said("s", "Hi"));
        client.request("1", "session/prompt", prompt("unseen", "Hello"));
        assertThat(client.receive().error()).asString().contains("-32603");
    }

    @Test
    @Tag("PXL-21")
    void aSessionHasItsOwnState() throws Exception {
        start("counting");
        openSession("a");
        openSession("b");
        assertThat(counted("a")).isEqualTo("1");
        assertThat(counted("a")).isEqualTo("2");
        assertThat(counted("b")).isEqualTo("1");
        assertThat(counted("unseen")).isNull();
        client.request("5", "session/close", "{\"sessionId\":\"a\"}");
        agent.answer(agent.receive(), "{}");
        assertThat(client.receive().result()).hasToString("{}");
        assertThat(counted("a")).isNull();
    }

    private static final Pattern COUNT = Pattern.compile("\"count\":(\\d+)");

    private @Nullable String counted(String session) throws Exception {
        client.request("1", "session/prompt", prompt(session, "count"));
        agent.answer(agent.receive(), "{\"stopReason\":\"end_turn\"}");
        String result = Objects.requireNonNull(client.receive().result()).toString();
        Matcher count = COUNT.matcher(result);
        return count.find() ? count.group(1) : null;
    }

    @Test
    void aRequestIsRefusedOrAnsweredWithoutTheAgent() throws Exception {
        start("refusing");
        client.request("1", "session/set_mode", "{\"sessionId\":\"s\",\"modeId\":\"m\"}");
        Message refused = client.receive();
        assertThat(refused.error()).asString().contains("-32602").contains("no modes here");
        client.request("2", "_secret", "{\"x\":1.50}");
        assertThat(client.receive().result()).hasToString("{\"x\":1.50}");
        client.notify("_next", "{}");
        assertThat(agent.receive().method()).isEqualTo("_next");
    }

    @Test
    @Tag("PXL-13")
    @Tag("PRX-11")
    void anUpdateDoesNotOvertakeTheAnswerBeforeIt() throws Exception {
        start("nothing");
        for (int i = 0; i < rounds(); i++) {
            client.request(String.valueOf(i), "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
            Message asked = agent.receive();
            agent.answer(asked, "{\"sessionId\":\"s" + i + "\"}");
            agent.notify("session/update", said("s" + i, "Hi"));
            assertThat(client.receive().id()).hasToString(String.valueOf(i));
            assertThat(client.receive().params()).hasToString(said("s" + i, "Hi"));
        }
    }

    int rounds() {
        return 10_000;
    }

    @Test
    @Tag("PRX-12")
    @Tag("CAN-16")
    void aCancellationReachesTheAgentOnceAndItsAnswerComesBack() throws Exception {
        start("brief");
        openSession("s");
        client.request("7", "session/prompt", prompt("s", "Hello"));
        Message there = agent.receive();
        client.notify("$/cancel_request", "{\"requestId\":7}");
        Message cancelled = agent.receive();
        assertThat(cancelled.method()).isEqualTo("$/cancel_request");
        assertThat(cancelled.params()).hasToString("{\"requestId\":" + there.id() + "}");
        agent.answer(there, "{\"stopReason\":\"cancelled\"}");
        assertThat(client.receive().result()).hasToString("{\"stopReason\":\"cancelled\"}");
    }

    @Test
    void neitherSideSpeaksForTheConductor() throws Exception {
        start("nothing");
        client.request("1", "proxy/successor", "{\"method\":\"session/prompt\",\"params\":{}}");
        assertThat(client.receive().error()).asString().contains("-32601");
        agent.request("1", "_proxy/successor", "{\"method\":\"session/request_permission\",\"params\":{}}");
        assertThat(agent.receive().error()).asString().contains("-32601");
        agent.notify("proxy/successor", "{\"method\":\"session/update\",\"params\":{}}");
        agent.notify("_next", "{}");
        assertThat(client.receive().method()).isEqualTo("_next");
    }

    @Test
    @Tag("INI-22")
    void anInitializationInAnEnvelopeIsRefused() throws Exception {
        place("nothing");
        for (String envelope : List.of("proxy/successor", "_proxy/successor")) {
            client.request("0", envelope, "{\"method\":\"initialize\",\"params\":" + INITIALIZE + "}");
            assertThat(client.receive().error()).asString().contains("-32601");
        }
        initialize(INITIALIZE, INITIALIZED);
    }

    @Test
    void theEndOfTheAgentIsTheEndForTheClient() throws Exception {
        start("brief");
        openSession("s");
        client.request("1", "session/prompt", prompt("s", "Hello"));
        assertThat(agent.receive().method()).isEqualTo("session/prompt");
        agent.notify("session/update", said("s", "last words"));
        agent.close();

        assertThat(client.receive().params()).hasToString(said("s", "last words"));
        Message failed = client.receive();
        assertThat(failed.id()).hasToString("1");
        assertThat(failed.error()).asString().contains("-32603").contains("\"acp4j\":{\"component\":");
        assertThat(client.isAtEnd()).isTrue();
    }

    // ---- what an interceptor may do

    @Test
    @Tag("PXL-06")
    void anInterceptorChangesAnswersLooksRepeatsAndRefusesInBothDirections() throws Exception {
        start("various");
        various(client, agent);
        various(agent, client);

        client.request("8", "session/fork", "{\"sessionId\":\"s\",\"cwd\":\"/\"}");
        assertThat(client.receive().result()).hasToString("{\"sessionId\":\"forked\"}");
        agent.request(
                "9",
                "session/request_permission",
                "{\"sessionId\":\"s\",\"toolCall\":{\"toolCallId\":\"t\"},\"options\":[{\"optionId\":\"o\",\"name\":\"Yes\",\"kind\":\"allow_once\"}]}");
        assertThat(agent.receive().result()).hasToString("{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"o\"}}");
    }

    private static void various(Peer from, Peer to) throws Exception {
        String params = "{\"sessionId\":\"s\",\"prompt\":[],\"x\":1.50}";
        String more = "{\"sessionId\":\"s\",\"prompt\":[{\"type\":\"text\",\"text\":\"more\"}],\"x\":1.50}";
        String again = "{\"sessionId\":\"s\",\"prompt\":[{\"type\":\"text\",\"text\":\"again\"}],\"x\":1.50}";
        String result = "{\"stopReason\":\"end_turn\",\"x\":1.50}";

        from.request("1", "_change", params);
        Message changed = to.receive();
        assertThat(changed.params()).hasToString(more);
        to.answer(changed, result);
        assertThat(from.receive().result()).hasToString(result);

        from.request("2", "_answer", params);
        assertThat(from.receive().result()).hasToString("{\"stopReason\":\"refusal\"}");

        from.request("3", "_look", params);
        to.answer(to.receive(), result);
        assertThat(from.receive().result()).hasToString("{\"stopReason\":\"refusal\",\"x\":1.50}");
        from.request("4", "_look", params);
        to.fail(to.receive(), "{\"code\":-7,\"message\":\"no\"}");
        assertThat(from.receive().result()).hasToString("{\"stopReason\":\"max_tokens\"}");

        from.request("5", "_twice", params);
        to.answer(to.receive(), "{\"stopReason\":\"refusal\"}");
        Message repeated = to.receive();
        assertThat(repeated.params()).hasToString(again);
        to.answer(repeated, result);
        assertThat(from.receive().result()).hasToString(result);

        from.request("6", "_refuse", params);
        assertThat(from.receive().error()).asString().contains("-32602").contains("not _refuse");

        from.notify("_drop", "{\"sessionId\":\"s\"}");
        from.notify("_note", "{\"sessionId\":\"s\",\"x\":1.50}");
        assertThat(to.receive().params()).hasToString("{\"sessionId\":\"s\",\"x\":1.50}");
        assertThat(to.receive().params()).hasToString("{\"sessionId\":\"other\"}");
    }

    @Test
    @Tag("PXL-07")
    void rawAndTypedInterceptorsOfAChainRunInTheirOrderTowardTheAgentAndInReverseTowardTheClient() throws Exception {
        start("tag-a", "tag-b");
        client.request("1", "_raw/both", "{\"x\":1.50,\"tags\":[0]}");
        Message there = agent.receive();
        assertThat(there.params())
                .hasToString("{\"x\":1.50,\"tags\":[0,\"tag-a\",\"tag-a-typed\",\"tag-b\",\"tag-b-typed\"]}");
        agent.answer(there, "{\"tags\":[1.0]}");
        assertThat(client.receive().result()).hasToString("{\"tags\":[1.0,\"tag-b_raw/both\",\"tag-a_raw/both\"]}");

        agent.request("2", "_raw/both", "{\"x\":1.50,\"tags\":[0]}");
        Message here = client.receive();
        assertThat(here.params())
                .hasToString("{\"x\":1.50,\"tags\":[0,\"tag-b-typed\",\"tag-b\",\"tag-a-typed\",\"tag-a\"]}");
        client.answer(here, "{\"tags\":[1.0]}");
        assertThat(agent.receive().result()).hasToString("{\"tags\":[1.0,\"tag-a_raw/both\",\"tag-b_raw/both\"]}");

        client.notify("_raw/note", "{\"tags\":[0]}");
        assertThat(agent.receive().params()).hasToString("{\"tags\":[0,\"tag-a\",\"tag-b\"]}");
        agent.notify("_raw/note", "{\"tags\":[0]}");
        assertThat(client.receive().params()).hasToString("{\"tags\":[0,\"tag-b\",\"tag-a\"]}");
    }

    @Test
    @Tag("PXL-11")
    void anInterceptorThatThrowsCostsOneMessage() throws Exception {
        start("throwing");
        client.request("1", "_fail", "{}");
        assertThat(client.receive().error()).asString().contains("-32603").doesNotContain("secret");
        client.notify("_fail/note", "{\"x\":1.50}");
        assertThat(agent.receive().params()).hasToString("{\"x\":1.50}");
        agent.notify("_fail/deep", "{\"x\":1.50}");
        assertThat(client.receive().params()).hasToString("{\"x\":1.50}");
    }

    @Test
    @Tag("PXL-11")
    void aFilterThatThrowsLetsNothingThrough() throws Exception {
        start("filtering");
        client.request("1", "_fail", "{}");
        assertThat(client.receive().error()).asString().contains("-32603").doesNotContain("secret");
        client.notify("_fail/note", "{}");
        client.notify("_next", "{}");
        assertThat(agent.receive().method()).isEqualTo("_next");
        agent.notify("_fail/deep", "{}");
        agent.notify("session/update", "{\"sessionId\":\"s\",\"update\":7}");
        agent.notify("_next", "{}");
        assertThat(client.receive().method()).isEqualTo("_next");
    }

    // ---- cancelling

    @Test
    @Tag("PXL-14")
    void aCancellationInterruptsAnInterceptorAndWhatItWaitsForUnlessItIsAbsorbed() throws Exception {
        start("waiting");
        client.request("1", "_wait", "{}");
        assertThat(agent.receive().method()).isEqualTo("_waits");
        client.notify("$/cancel_request", "{\"requestId\":1}");
        assertThat(client.receive().error()).asString().contains("-32800");

        client.request("2", "_ask", "{}");
        Message own = agent.receive();
        assertThat(own.method()).isEqualTo("_own");
        client.notify("$/cancel_request", "{\"requestId\":2}");
        assertThat(client.receive().error()).asString().contains("-32800");
        assertThat(agent.receive().params()).hasToString("{\"requestId\":" + own.id() + "}");

        client.notify("_next", "{}");
        assertThat(agent.receive().method()).isEqualTo("_next");

        client.request("1", "_absorb", "{}");
        Message absorbed = agent.receive();
        client.notify("$/cancel_request", "{\"requestId\":1}");
        client.notify("_next", "{}");
        assertThat(agent.receive().method()).isEqualTo("_next");
        agent.answer(absorbed, "{\"x\":1.50}");
        assertThat(client.receive().result()).hasToString("{\"x\":1.50}");

        client.request("2", "_passing", "{}");
        Message passed = agent.receive();
        client.notify("$/cancel_request", "{\"requestId\":2}");
        assertThat(agent.receive().params()).hasToString("{\"requestId\":" + passed.id() + "}");
        agent.fail(passed, "{\"code\":-32800,\"message\":\"late\",\"data\":null,\"x\":1.50}");
        assertThat(client.receive().error())
                .hasToString("{\"code\":-32800,\"message\":\"late\",\"data\":null,\"x\":1.50}");

        client.request("1", "session/prompt", prompt("s", "Hello"));
        assertThat(agent.receive().method()).isEqualTo("_waits");
        client.notify("session/cancel", "{\"sessionId\":\"s\"}");
        assertThat(client.receive().result()).hasToString("{\"stopReason\":\"cancelled\"}");

        client.notify("_next", "{\"sessionId\":\"s\"}");
        assertThat(agent.receive().method()).isEqualTo("_next");
    }

    // ---- prompts of a proxy's own

    private Message ownPrompt() throws Exception {
        openSession("s");
        client.request("1", "session/prompt", prompt("s", "Hello"));
        Message own = agent.receive();
        assertThat(own.method()).isEqualTo("session/prompt");
        assertThat(own.params())
                .hasToString("{\"sessionId\":\"s\",\"prompt\":[{\"type\":\"text\",\"text\":\"Be a sceptic.\"}]}");
        return own;
    }

    private Message clientsPrompt(String text) throws Exception {
        Message clients = agent.receive();
        assertThat(clients.method()).isEqualTo("session/prompt");
        assertThat(clients.params()).hasToString(prompt("s", text));
        return clients;
    }

    private static String update(String update) {
        return "{\"sessionId\":\"s\",\"update\":" + update + "}";
    }

    @Test
    @Tag("PXL-16")
    void aPromptOfTheProxysOwnGoesFirstAndItsUpdatesAreShownAndItsFailureEndsTheClients() throws Exception {
        start("leading", "brief");
        openSession("s");
        client.request("1", "session/prompt", prompt("s", "Hello"));
        client.request("2", "session/prompt", prompt("s", "Next"));
        Message own = agent.receive();
        assertThat(own.params()).asString().contains("Be a sceptic.").contains("Be brief.");
        agent.notify("session/update", said("s", "Hm"));
        assertThat(client.receive().params()).hasToString(said("s", "Hm"));
        agent.answer(own, "{\"stopReason\":\"end_turn\"}");

        Message first = agent.receive();
        assertThat(first.params()).asString().contains("Hello");
        Message second = agent.receive();
        assertThat(second.params()).asString().contains("Next");
        agent.answer(first, "{\"stopReason\":\"end_turn\",\"x\":1.50}");
        agent.answer(second, "{\"stopReason\":\"refusal\"}");
        Message answer = client.receive();
        assertThat(answer.id()).hasToString("1");
        assertThat(answer.result()).hasToString("{\"stopReason\":\"end_turn\",\"x\":1.50}");
        assertThat(client.receive().id()).hasToString("2");

        openSession("t");
        client.request("3", "session/prompt", prompt("t", "Hello"));
        agent.fail(agent.receive(), "{\"code\":-7,\"message\":\"no\"}");
        assertThat(client.receive().error()).asString().contains("-7").contains("no");
        client.request("4", "session/prompt", prompt("t", "Again"));
        Message again = agent.receive();
        assertThat(again.params()).asString().contains("Again");
        agent.answer(again, "{\"stopReason\":\"end_turn\"}");
        assertThat(client.receive().id()).hasToString("4");
    }

    @Test
    @Tag("PXL-16")
    void aPromptOfTheProxysOwnIsHiddenOrCancelledAndMayFail() throws Exception {
        start("leading-unseen");
        String commands = update("{\"sessionUpdate\":\"available_commands_update\",\"availableCommands\":[ ]}");
        Message own = ownPrompt();
        agent.notify("session/update", said("s", "Hm"));
        agent.notify("session/update", commands);
        agent.answer(own, "{\"stopReason\":\"end_turn\"}");
        agent.notify("session/update", said("s", "right behind it"));
        assertThat(client.receive().params()).hasToString(commands);
        assertThat(client.receive().params()).hasToString(said("s", "right behind it"));
        agent.answer(clientsPrompt("Hello"), "{\"stopReason\":\"end_turn\"}");
        assertThat(client.receive().id()).hasToString("1");

        client.request("2", "session/prompt", prompt("s", "Cancelled"));
        own = agent.receive();
        client.notify("session/cancel", "{\"sessionId\":\"s\"}");
        assertThat(agent.receive().method()).isEqualTo("session/cancel");
        agent.answer(own, "{\"stopReason\":\"cancelled\"}");
        Message cancelled = client.receive();
        assertThat(cancelled.id()).hasToString("2");
        assertThat(cancelled.result()).hasToString("{\"stopReason\":\"cancelled\"}");

        client.request("3", "session/prompt", prompt("s", "Withdrawn"));
        own = agent.receive();
        client.notify("$/cancel_request", "{\"requestId\":3}");
        assertThat(agent.receive().params()).hasToString("{\"requestId\":" + own.id() + "}");
        agent.fail(own, "{\"code\":-32800,\"message\":\"cancelled\"}");
        assertThat(client.receive().error()).asString().contains("-32800");

        client.request("4", "session/prompt", prompt("s", "Still"));
        agent.fail(agent.receive(), "{\"code\":-7,\"message\":\"no\"}");
        agent.answer(clientsPrompt("Still"), "{\"stopReason\":\"end_turn\"}");
        assertThat(client.receive().id()).hasToString("4");
    }

    @Test
    @Tag("PXL-16")
    void sessionCancelOfAHiddenPromptReachesAnAgentThatIgnoresTheCancellationOfTheRequest() throws Exception {
        start("leading-unseen");
        Message own = ownPrompt();
        client.notify("$/cancel_request", "{\"requestId\":1}");
        assertThat(agent.receive().params()).hasToString("{\"requestId\":" + own.id() + "}");

        client.notify("session/cancel", "{\"sessionId\":\"s\"}");

        assertThat(agent.receive().method()).isEqualTo("session/cancel");
        agent.answer(own, "{\"stopReason\":\"cancelled\"}");
        assertThat(client.receive().error()).asString().contains("-32800");
    }

    private void state(String state) throws Exception {
        agent.notify("session/update", update("{\"sessionUpdate\":\"state_update\",\"state\":\"" + state + "\"}"));
    }

    private void userMessage(String id) throws Exception {
        agent.notify("session/update", update("{\"sessionUpdate\":\"user_message\",\"messageId\":\"" + id + "\"}"));
    }

    private void chunk(String id) throws Exception {
        agent.notify(
                "session/update",
                update("{\"sessionUpdate\":\"agent_message_chunk\",\"messageId\":\"" + id
                        + "\",\"content\":{\"type\":\"text\",\"text\":\"Hm\"}}"));
    }

    @Test
    @Tag("PXL-17")
    void inVersion2TheClientSeesNoStateAndNoMessageOfAHiddenPrompt() throws Exception {
        start2("leading-unseen");
        Message own = ownPrompt();
        chunk("before");
        userMessage("own");
        state("running");
        agent.answer(own, "{\"messageId\":\"own\"}");
        chunk("hidden");
        state("idle");
        Message clients = clientsPrompt("Hello");
        userMessage("clients");
        state("running");
        agent.answer(clients, "{\"messageId\":\"clients\",\"x\":1.50}");

        assertThat(client.receive().params()).asString().contains("\"before\"");
        assertThat(client.receive().params())
                .asString()
                .contains("user_message")
                .contains("\"clients\"");
        assertThat(client.receive().params()).asString().contains("running");
        assertThat(client.receive().result()).hasToString("{\"messageId\":\"clients\",\"x\":1.50}");
        state("idle");
        assertThat(client.receive().params()).asString().contains("idle");

        client.request("2", "session/prompt", prompt("s", "Cancelled"));
        own = agent.receive();
        agent.answer(own, "{\"messageId\":\"own2\"}");
        userMessage("own2");
        state("running");
        agent.notify("_seen", "{}");
        assertThat(client.receive().method()).isEqualTo("_seen");
        client.notify("session/cancel", "{\"sessionId\":\"s\"}");
        assertThat(agent.receive().method()).isEqualTo("session/cancel");
        state("idle");
        assertThat(client.receive().error()).asString().contains("-32800");
        client.notify("_next", "{\"sessionId\":\"s\"}");
        assertThat(agent.receive().method()).isEqualTo("_next");
    }

    /** The state {@code running} may come before the message of the user and the answer, and is not repeated. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "running user answer chunk idle",
                "running answer chunk user idle",
                "user running answer requires_action chunk idle",
                "answer user running chunk idle end",
                "user answer chunk end"
            })
    @Tag("PXL-17")
    void inVersion2AHiddenPromptEndsInWhateverOrderTheAgentReportsItsTurn(String order) throws Exception {
        start2("leading-unseen");
        Message own = ownPrompt();
        for (String step : order.split(" ", -1)) {
            switch (step) {
                case "user" -> userMessage("own");
                case "answer" -> agent.answer(own, "{\"messageId\":\"own\"}");
                case "chunk" -> chunk("hidden");
                case "end" -> ended();
                default -> state(step);
            }
        }
        Message clients = clientsPrompt("Hello");
        agent.answer(clients, "{\"messageId\":\"clients\"}");

        // Behind the end of the hidden turn, an end that is repeated is the agent's own word.
        if (order.endsWith("idle end")) {
            assertThat(client.receive().params()).asString().contains("idle").contains("end_turn");
        }
        assertThat(client.receive().result()).hasToString("{\"messageId\":\"clients\"}");
    }

    private void ended() throws Exception {
        agent.notify(
                "session/update",
                update("{\"sessionUpdate\":\"state_update\",\"state\":\"idle\",\"stopReason\":\"end_turn\"}"));
    }

    @Test
    @Tag("PXL-17")
    void inVersion2AHiddenPromptEndsWhereTheAgentWasBusyBefore() throws Exception {
        start2("leading-unseen");
        openSession("s");
        state("running");
        assertThat(client.receive().params()).asString().contains("running");
        client.request("1", "session/prompt", prompt("s", "Hello"));
        Message own = agent.receive();
        userMessage("own");
        agent.answer(own, "{\"messageId\":\"own\"}");
        chunk("hidden");
        state("idle");

        agent.answer(clientsPrompt("Hello"), "{\"messageId\":\"clients\"}");
        assertThat(client.receive().params())
                .as("what the client has read as busy is idle again")
                .asString()
                .contains("idle");
        assertThat(client.receive().result()).hasToString("{\"messageId\":\"clients\"}");
    }

    @Test
    @Tag("PXL-17")
    @Tag("PXL-23")
    void inVersion2AShownPromptHasMessagesButNoStates() throws Exception {
        start2("leading", "brief");
        openSession("s");
        client.request("1", "session/prompt", prompt("s", "Hello"));
        Message own = agent.receive();
        assertThat(own.params()).asString().contains("Be a sceptic.").contains("Be brief.");
        userMessage("own");
        state("running");
        agent.answer(own, "{\"messageId\":\"own\"}");
        chunk("shown");
        state("idle");
        assertThat(client.receive().params()).asString().contains("\"shown\"");
        Message clients = agent.receive();
        assertThat(clients.params()).asString().contains("Hello").contains("Be brief.");
        agent.answer(clients, "{\"messageId\":\"clients\",\"x\":1.50}");
        assertThat(client.receive().result()).hasToString("{\"messageId\":\"clients\",\"x\":1.50}");
    }

    // ---- sessions

    @Test
    @Timeout(7200)
    @Tag("PXL-20")
    void sessionsHaveStatesOfTheirOwnInEachProxyOfAChainWhateverOpensThem() throws Exception {
        start("counting", "remembering", "counting");
        for (int i = 0; i < 64; i++) {
            openSession("s" + i);
        }
        long until = System.nanoTime()
                + Duration.ofSeconds(Long.getLong("acp4j.sessions.seconds", 0)).toNanos();
        int rounds = 0;
        while (rounds < 3 || System.nanoTime() < until) {
            rounds++;
            for (int i = 0; i < 64; i++) {
                assertThat(counted("s" + i)).isEqualTo(String.valueOf(rounds));
            }
        }
        if (rounds > 3) {
            // Standard output is nobody's here; the report of the test keeps it.
            System.out.println(64 * rounds + " requests");
        }

        openSession("new");
        opened("session/load", "{\"sessionId\":\"loaded\",\"cwd\":\"/\",\"mcpServers\":[]}", "{}");
        opened("session/resume", "{\"sessionId\":\"resumed\",\"cwd\":\"/\"}", "{}");
        opened("session/fork", "{\"sessionId\":\"new\",\"cwd\":\"/\"}", "{\"sessionId\":\"forked\"}");

        assertThat(origin("new")).isEqualTo("\"session/new new\"");
        assertThat(origin("loaded")).isEqualTo("\"session/load loaded\"");
        assertThat(origin("resumed")).isEqualTo("\"session/resume resumed\"");
        assertThat(origin("forked")).isEqualTo("\"session/fork forked of new\"");
    }

    private void opened(String method, String params, String result) throws Exception {
        client.request("1", method, params);
        agent.answer(agent.receive(), result);
        assertThat(client.receive().result()).hasToString(result);
    }

    private String origin(String session) throws Exception {
        client.request("1", "_origin", "{\"sessionId\":\"" + session + "\"}");
        return String.valueOf(client.receive().result());
    }

    @Test
    @Tag("PRX-24")
    void aReplayBeforeTheAnswerIsOfItsSessionAndAForkHasTheIdOfItsAnswer() throws Exception {
        start("loud", "nothing");
        for (String method : List.of("session/load", "session/resume")) {
            client.request("1", method, "{\"sessionId\":\"old\",\"cwd\":\"/\",\"mcpServers\":[]}");
            Message asked = agent.receive();
            agent.notify("session/update", said("old", "Hi"));
            agent.answer(asked, "{\"x\":1.50}");
            assertThat(client.receive().params()).hasToString(said("old", "Hi!"));
            assertThat(client.receive().result()).hasToString("{\"x\":1.50}");
        }
        client.request("2", "session/fork", "{\"sessionId\":\"old\",\"cwd\":\"/\"}");
        agent.answer(agent.receive(), "{\"sessionId\":\"forked\"}");
        agent.notify("session/update", said("forked", "Hi"));
        assertThat(client.receive().result()).hasToString("{\"sessionId\":\"forked\"}");
        assertThat(client.receive().params()).hasToString(said("forked", "Hi!"));
    }

    @Test
    @Tag("PRX-23")
    @Tag("CAN-18")
    void openingASessionIsCancelledAtTheAgentUnderTheIdThatItHasThere() throws Exception {
        start("loud", "nothing");
        client.request("7", "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
        Message asked = agent.receive();
        client.notify("$/cancel_request", "{\"requestId\":7}");
        Message cancelled = agent.receive();
        assertThat(cancelled.method()).isEqualTo("$/cancel_request");
        assertThat(cancelled.params()).hasToString("{\"requestId\":" + asked.id() + "}");
        agent.fail(asked, "{\"code\":-32800,\"message\":\"cancelled\"}");
        assertThat(client.receive().error()).asString().contains("-32800");
    }

    // ---- sessions of a proxy's own, and what it says to the client

    @Test
    @Tag("PXL-18")
    void aSessionOfAProxysOwnIsNoneOfTheClients() throws Exception {
        place("reviewing", "brief");
        String offers =
                "{\"protocolVersion\":1,\"agentCapabilities\":{\"sessionCapabilities\":{\"close\":{},\"list\":{}}}}";
        initialize(INITIALIZE, offers);
        openSession("s");

        client.request("1", "_review", "{}");
        Message opening = agent.receive();
        assertThat(opening.method()).as("it is initialized already").isEqualTo("session/new");
        agent.answer(opening, "{\"sessionId\":\"own\"}");
        agent.notify("session/update", said("own", "at once"));
        Message own = agent.receive();
        assertThat(own.method()).isEqualTo("session/prompt");
        assertThat(own.params()).asString().contains("Review.").contains("Be brief.");
        String options = "\"options\":[{\"optionId\":\"no\",\"name\":\"No\",\"kind\":\"reject_once\"}]}";
        agent.request(
                "5",
                "session/request_permission",
                "{\"sessionId\":\"own\",\"toolCall\":{\"toolCallId\":\"t\"}," + options);
        assertThat(agent.receive().result()).asString().contains("\"optionId\":\"no\"");
        agent.request("6", "fs/read_text_file", "{\"sessionId\":\"own\",\"path\":\"/a\"}");
        assertThat(agent.receive().result()).hasToString("{\"content\":\"the proxy's\"}");

        client.request("2", "session/list", "{}");
        agent.answer(
                agent.receive(),
                "{\"x\":[ ],\"sessions\":[{\"sessionId\":\"own\",\"cwd\":\"/\"},{\"sessionId\":\"s\",\"cwd\":\"/\",\"x\":1.50}]}");
        assertThat(client.receive().result())
                .hasToString("{\"x\":[ ],\"sessions\":[{\"sessionId\":\"s\",\"cwd\":\"/\",\"x\":1.50}]}");
        client.notify("session/cancel", "{\"sessionId\":\"own\"}");
        client.request("3", "session/close", "{\"sessionId\":\"own\"}");
        assertThat(client.receive().error()).asString().contains("-32002");

        agent.notify("session/update", said("own", "Fine."));
        agent.answer(own, "{\"stopReason\":\"end_turn\"}");
        assertThat(client.receive().result())
                .as("and nothing before")
                .asString()
                .endsWith("Fine.\"");
        assertThat(agent.receive().method()).isEqualTo("session/cancel");
        Message closing = agent.receive();
        assertThat(closing.method()).isEqualTo("session/close");
        agent.answer(closing, "{}");
        agent.notify("session/update", said("own", "late"));
        agent.notify("session/update", said("s", "Hi"));
        assertThat(client.receive().params()).hasToString(said("s", "Hi"));
    }

    @Test
    @Tag("PXL-18")
    void theSessionsOfAProxysOwnEndWithTheConnection() throws Exception {
        start("reviewing");
        client.request("1", "_review", "{}");
        agent.answer(agent.receive(), "{\"sessionId\":\"own\"}");
        assertThat(agent.receive().method()).isEqualTo("session/prompt");

        client.close();

        // As far as there is time for it, the agent is asked to cancel; then its input ends.
        for (Message last = agent.receiveOrEnd(); last != null; last = agent.receiveOrEnd()) {
            assertThat(last.method()).isIn("session/cancel", "$/cancel_request");
        }
    }

    @Test
    @Tag("PXL-18")
    void theClientOfAProxysOwnHearsThatTheAgentHasEnded() throws Exception {
        start("reviewing");
        client.request("1", "_review", "{}");
        agent.answer(agent.receive(), "{\"sessionId\":\"own\"}");
        assertThat(agent.receive().method()).isEqualTo("session/prompt");
        agent.close();

        assertThat(client.receive().error()).asString().contains("-326");
        assertThat(client.isAtEnd()).isTrue();
    }

    @Test
    @Tag("PXL-19")
    void aProxySpeaksToTheClientBehindTheAnswerThatOpensTheSessionAndAsksOnlyWhatIsOffered() throws Exception {
        start("speaking");
        client.request("1", "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
        agent.answer(agent.receive(), "{\"sessionId\":\"s\"}");
        agent.notify("session/update", said("s", "of the agent"));
        assertThat(client.receive().result()).hasToString("{\"sessionId\":\"s\"}");
        assertThat(client.receive().params())
                .asString()
                .contains("\"sessionUpdate\":\"tool_call\"")
                .contains("\"toolCallId\":\"speaking-");
        assertThat(client.receive().params()).hasToString(said("s", "of the agent"));

        client.request("2", "session/prompt", prompt("s", "Hello"));
        Message question = client.receive();
        assertThat(question.method()).isEqualTo("session/request_permission");
        client.answer(question, "{\"outcome\":{\"outcome\":\"cancelled\"}}");
        Message there = agent.receive();
        assertThat(there.params())
                .asString()
                .contains("the client does not offer fs.readTextFile, which fs/read_text_file needs");
        agent.answer(there, "{\"stopReason\":\"end_turn\"}");
        assertThat(client.receive().id()).hasToString("2");
    }

    // ---- initialization and versions

    @Test
    @Tag("PXL-04")
    void capabilitiesAreAddedToTheAnswerOfTheAgentAndTakenAway() throws Exception {
        place("capable");
        client.request("0", "initialize", INITIALIZE);
        agent.answer(
                agent.receive(),
                "{\"x\":[ ],\"agentCapabilities\":{\"own\":1.50,\"loadSession\":false,\"promptCapabilities\":{\"image\":true,\"own\":1e2}},\"protocolVersion\":1}");
        assertThat(client.receive().result())
                .hasToString(
                        "{\"x\":[ ],\"agentCapabilities\":{\"own\":1.50,\"loadSession\":true,\"promptCapabilities\":{\"own\":1e2}},\"protocolVersion\":1}");
        client.request("1", "session/load", "{\"sessionId\":\"s\",\"cwd\":\"/\",\"mcpServers\":[]}");
        assertThat(client.receive().result()).hasToString("{}");
    }

    @Test
    @Tag("PXL-04")
    @Tag("PXL-23")
    void anInitializationOfVersion2IsReadAndChangedInItsWords() throws Exception {
        place("capable");
        client.request("0", "initialize", "{\"protocolVersion\":2,\"info\":{\"name\":\"c\",\"version\":\"1\"}}");
        agent.answer(
                agent.receive(),
                "{\"protocolVersion\":2,\"info\":{\"name\":\"a\",\"version\":\"1\"},\"capabilities\":{\"own\":1.50}}");
        assertThat(client.receive().result())
                .hasToString(
                        "{\"protocolVersion\":2,\"info\":{\"name\":\"capable\",\"version\":\"1\"},\"capabilities\":{\"own\":1.50}}");
    }

    @Test
    @Tag("PXL-04")
    @Tag("PRX-02")
    @Tag("PRX-14")
    void aProxyThatChangesTheVersionFailsAtTheInitialization() throws Exception {
        place("newer");
        client.request("0", "initialize", INITIALIZE);
        agent.answer(agent.receive(), INITIALIZED);
        assertThat(client.receive().error()).asString().contains("-326");
    }

    @Test
    @Tag("PRX-02")
    @Tag("PRX-14")
    @Tag("PRX-18")
    void aProxyThatAsksForAnotherVersionFailsAndSoDoesEachLaterRequest() throws Exception {
        place("asking");
        client.request("0", "initialize", INITIALIZE);
        String refused = String.valueOf(client.receive().error());
        assertThat(refused).contains("-326");

        client.request("1", "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
        assertThat(client.receive().error()).hasToString(refused);
        client.notify("_next", "{}");
        assertThat(agent.receive().method())
                .as("the first that the agent hears")
                .isEqualTo("_next");
    }

    @Test
    @Tag("PRX-15")
    void anInitializationThatAnInterceptorChangesIsTheOneOfAllThatStandsBehind() throws Exception {
        place("modest", "nothing");
        client.request("0", "initialize", INITIALIZE);
        Message asked = agent.receive();
        assertThat(asked.params())
                .hasToString(
                        "{\"protocolVersion\":1,\"clientCapabilities\":{\"own\":1.50,\"terminal\":true},\"x\":[ ]}");
        agent.answer(asked, INITIALIZED);
        assertThat(client.receive().result()).hasToString(INITIALIZED);
    }

    @Test
    @Tag("PRX-17")
    void aVersionThatIsNoneIsAnsweredByTheAgentAndAnotherInitializationWorks() throws Exception {
        place("nothing", "brief");
        for (String version : List.of("{\"x\":1.50}", "{\"protocolVersion\":\"1\"}", "{\"protocolVersion\":-1}")) {
            client.request("0", "initialize", version);
            Message asked = agent.receive();
            assertThat(asked.params()).hasToString(version);
            agent.fail(asked, "{\"code\":-32602,\"message\":\"no version\",\"x\":1.50}");
            assertThat(client.receive().error()).hasToString("{\"code\":-32602,\"message\":\"no version\",\"x\":1.50}");
        }
        initialize(INITIALIZE, INITIALIZED);
    }

    @Test
    @Tag("PRX-16")
    void anAgentThatAnswersWithoutAVersionOrWithANewerOneIsRefused() throws Exception {
        place("nothing");
        client.request("0", "initialize", INITIALIZE);
        agent.answer(agent.receive(), "{\"agentCapabilities\":{}}");
        assertThat(client.receive().error()).asString().contains("The agent answered initialize without a protocol");
        client.request("1", "initialize", INITIALIZE);
        agent.answer(agent.receive(), "{\"protocolVersion\":2}");
        assertThat(client.receive().error())
                .asString()
                .contains("The agent answered initialize with protocolVersion 2, but the client asks for 1");
    }

    @Test
    @Tag("PXL-23")
    @Tag("PRX-20")
    @Tag("RTR-14")
    void aProxyThatKnowsVersion1OnlySaysSoAndOthersPassAnyVersion() throws Exception {
        place("nothing", "version-1");
        client.request("0", "initialize", "{\"protocolVersion\":2,\"info\":{\"name\":\"c\",\"version\":\"1\"}}");
        assertThat(client.receive().error())
                .asString()
                .contains("-32022")
                .contains("version-1")
                .contains("{\"requested\":2,\"supported\":[1]}");
        initialize(INITIALIZE, INITIALIZED);
        close();

        place("brief");
        initialize("{\"protocolVersion\":3,\"x\":1.50}", "{\"protocolVersion\":3,\"x\":1.50}");
    }

    @Test
    @Tag("PXL-24")
    @Tag("PRX-27")
    void draftsAndWhatVendorsSayPassBothWays() throws Exception {
        start("nothing");
        String meta = ",\"_meta\":{\"vendor\":{\"x\":1.50,\"own\":[ ]}}}";
        for (String method : List.of(
                "_session/steering",
                "_session/goal",
                "_session/async_task/stop",
                "_session/list/subscribe",
                "_session/batch_get",
                "_session/rename",
                "_session/archive",
                "_session/unarchive",
                "session/set_model",
                "craft/drainMidTurnQueue",
                "session/fork",
                "providers/list",
                "nes/start",
                "mcp/message")) {
            client.request("1", method, "{\"sessionId\":\"s\"" + meta);
            Message there = agent.receive();
            assertThat(there.method()).isEqualTo(method);
            assertThat(there.params()).hasToString("{\"sessionId\":\"s\"" + meta);
            agent.answer(there, "{\"outcome\":\"injected\"" + meta);
            assertThat(client.receive().result()).hasToString("{\"outcome\":\"injected\"" + meta);
        }
        for (String method : List.of("_auth/status_update", "qwen/notify/session/mode-update")) {
            agent.notify(method, "{\"sessionId\":\"s\"" + meta);
            Message here = client.receive();
            assertThat(here.method()).isEqualTo(method);
            assertThat(here.params()).hasToString("{\"sessionId\":\"s\"" + meta);
        }
        for (String update : List.of(
                "{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"t\",\"content\":[{\"type\":\"terminal\",\"terminalId\":\"t\"}],\"_meta\":{\"terminal_output\":{\"data\":\"\\u001b[1m\",\"terminal_id\":\"t\"},\"terminal_exit\":{\"exit_code\":0,\"signal\":null}}}",
                "{\"sessionUpdate\":\"session_info_update\",\"_meta\":{\"sessionFailure\":[{\"kind\":\"x\"}]}}",
                "{\"sessionUpdate\":\"subagent_update\",\"x\":1.50}",
                "{\"sessionUpdate\":\"notice\",\"x\":1.50}")) {
            agent.notify("session/update", update(update));
            assertThat(client.receive().params()).hasToString(update(update));
        }
        client.request("2", "session/prompt", "{\"sessionId\":\"s\",\"prompt\":[]" + meta);
        agent.answer(agent.receive(), "{\"stopReason\":\"end_turn\",\"usage\":{\"x\":1.50},\"quota\":1e2" + meta);
        assertThat(client.receive().result())
                .hasToString("{\"stopReason\":\"end_turn\",\"usage\":{\"x\":1.50},\"quota\":1e2" + meta);
    }
}
