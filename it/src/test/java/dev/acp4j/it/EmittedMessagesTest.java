package dev.acp4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.ConnectedClient;
import dev.acp4j.Feature;
import dev.acp4j.Session;
import dev.acp4j.TurnResult;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.PlanId;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.Version;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Holds every message that Client and Agent sent in the tests of all modules, processes that they started included,
 * against the official schema. It runs behind all others; see the root pom for where the recordings come from.
 */
@Tag("recordings")
class EmittedMessagesTest {
    private static final String FOLDER = "acp4j.trace";

    /** Those whose tests make connections. One that has recorded nothing has not been checked. */
    private static final List<String> MODULES =
            List.of("core", "testkit", "workspace", "nes", "mcp", "agent", "cli", "examples", "it");

    /**
     * What a test sends although the schema forbids it.
     *
     * @param test its class and name, or {@code spawned} for a process
     * @param fault what stands in the fault, or in the message
     * @param reason why it is sent
     */
    private record Meant(String test, String fault, String reason) {
        boolean is(String found) {
            return found.startsWith(test + ":") && found.contains(fault);
        }

        boolean isOfAnyOf(List<String> faults) {
            return faults.stream().anyMatch(this::is);
        }
    }

    private static final List<Meant> MEANT = List.of(
            new Meant(
                    "AgentFuzzTest.everyRequestHasItsOneRightAnswer",
                    EmittedMessages.UNCLEAR_ID,
                    "the peer asks with ids that are null, or in use already"),
            new Meant(
                    "ClientFuzzTest.everyCallEndsAndEveryRequestHasItsOneRightAnswer",
                    EmittedMessages.UNCLEAR_ID,
                    "the peer asks with ids that are null, or in use already"),
            new Meant(
                    "WhatCameTest.anEventHasTheExtensionDataOfItsUpdateAndTheMessage",
                    "\"sessionUpdate\":\"something_new\"",
                    "an update that this library does not know"),
            new Meant(
                    "ElicitationTest.fieldsOfAnAnswerThatAreNullOrNotInTheFormDoNotCount",
                    ": null found",
                    "the client answers a form with fields that are null"),
            new Meant(
                    "VendorDialectTest.modelsOfAnAgentWithoutThatOptionAreOneAndAreSetInTheirOwnWay",
                    "no Request of session/set_model",
                    "a method that left the schema, for agents that still have it"),
            new Meant(
                    "McpOverAcpTest.theConnectionsOfEarlierProposalsAreUnknown",
                    "no Request of mcp/",
                    "methods of earlier proposals, which are refused"),
            new Meant(
                    "ToolServerTest.anAnswerOverAcpThatHasNoOutcomeFailsItsCallOnly",
                    "no Response of mcp/message",
                    "an answer that has neither a result nor an error"),
            new Meant(
                    "AgentWithoutSessionsTest.theMethodsOfSessionsDoNotExist",
                    "",
                    "the raw calls of the API ask an agent without sessions for the methods of sessions"),
            new Meant("spawned", EmittedMessages.UNCLEAR_ID, "a bad peer asks twice with the same id"),
            new Meant("spawned", "\"sessionUpdate\":\"_test_update\"", "an update of an extension"),
            new Meant(
                    "ErrorsTest.aMethodWithoutAHandlerDoesNotExist",
                    "",
                    "the raw calls of the API ask for methods that do not exist, or not there"),
            new Meant(
                    "ErrorsTest.absentParamsAreAsGoodAsNullOrAnEmptyObjectWhereNothingIsRequired",
                    "params: ",
                    "the raw calls of the API leave the params out"),
            new Meant(
                    "ErrorsTest.paramsThatCannotBeReadAreAnsweredWithThePlace",
                    "params",
                    "the raw calls of the API send params of the wrong shape"),
            new Meant(
                    "McpHttpTest.aServerWithSessionsIsGreetedAndItsSessionIdAndTheDeclaredHeadersAreInEachRequest",
                    "\"type\":\"content",
                    "content of an MCP server, of a kind that is not in the protocol, is passed on as it came"),
            new Meant(
                    "McpHttpTest.anAnswerThatIsCutOffIsContinuedAfterItsLastEvent",
                    "\"type\":\"content",
                    "content of an MCP server, of a kind that is not in the protocol, is passed on as it came"),
            new Meant(
                    "McpServersTest.contentGoesOverOneToOneInOrder",
                    "\"type\":\"content",
                    "content of an MCP server, of a kind that is not in the protocol, is passed on as it came"),
            new Meant(
                    "McpServersTest.aCallIsAToolCallWithInputOutputProgressAndTheServersFailure",
                    "\"type\":\"content",
                    "content of an MCP server, of a kind that is not in the protocol, is passed on as it came"),
            new Meant(
                    "McpServersTest.aKindThatWasNotAdvertisedIsRefusedWithTheServersName",
                    "params/mcpServers/0",
                    "a client offers an MCP server of a kind that the agent cannot know"),
            new Meant(
                    "MisbehaviourTest.aClientReactsWellToABadAgent",
                    "the schema has no Request of vendor/next",
                    "a client asks for what no agent has, to see that the connection still works"),
            new Meant(
                    "ProvidersTest.secretsOfProvidersAreInNoTextErrorReportOrTrace",
                    "no Request of providers/set",
                    "the raw calls of the API send a header that is no text"),
            new Meant(
                    "SessionDraftsTest.anAgentRefusesASystemPromptThatItCannotApply",
                    "params/systemPrompt",
                    "the raw calls of the API send a system prompt that cannot be read"),
            new Meant(
                    "TestAgentTest.everyUpdateEveryContentAndEveryRequestToTheClientHasACommand",
                    "\"sessionUpdate\":\"_test_update\"",
                    "an update of an extension"),
            new Meant(
                    "TranslatorTest.aLoginAndAMethodOfAnExtensionAskTheUserOnBehalfOfTheClientsRequest",
                    "no Request of session/unknown",
                    "the raw calls of the API ask for a method that does not exist"),
            new Meant(
                    "TurnReadingTest.anUpdateThatCannotBeReadDoesNotKeepTheReaderFromTheOneBefore",
                    "{\"sessionUpdate\":\"agent_message_chunk\"}",
                    "an agent sends a chunk without its content"));

    private final String recordings = System.getProperty(FOLDER, "");
    private EmittedMessages emitted;

    @BeforeEach
    void readTheSchema() throws IOException {
        Path schema = Path.of(System.getProperty("acp4j.shared", ""), "schema");
        assumeTrue(
                Files.isDirectory(schema),
                "NOTHING THAT THE TESTS SENT IS HELD AGAINST THE SCHEMA, as it is not at " + schema);
        emitted = new EmittedMessages(OfficialSchema.in(schema.resolve("v1")), OfficialSchema.in(schema.resolve("v2")));
    }

    @AfterEach
    void recordWhereItWas() {
        System.setProperty(FOLDER, recordings);
    }

    /** It computes: gigabytes of recordings, on a machine that may have other work. */
    @Test
    @Timeout(1_800)
    @Tag("SCH-21")
    void everyMessageThatATestSentIsValid() throws IOException {
        EmittedMessages.Findings all = EmittedMessages.NOTHING;
        List<String> counts = new ArrayList<>();
        List<String> silent = new ArrayList<>();
        for (String module : MODULES) {
            EmittedMessages.Findings found = emitted.in(Path.of("..", module, "target", "traces"));
            all = all.plus(found);
            counts.add(module + " " + found.messages());
            if (found.messages() == 0) {
                silent.add(module);
            }
        }
        System.out.println(
                "Messages held against the schema: " + all.messages() + ", " + all.drafts() + " of them drafts, of "
                        + all.connections() + " ends of connections (" + String.join(", ", counts) + ")");

        assertThat(silent)
                .as("modules whose tests recorded nothing; run the tests of all modules before this one")
                .isEmpty();
        assertThat(all.faults().stream().filter(EmittedMessagesTest::isNotMeant))
                .as("messages that the schema forbids")
                .isEmpty();
        assertThat(stale(all)).as("allowances that nobody needs").isEmpty();
    }

    /** Returns the allowances without a message, unless some of their tests did not run: then nothing is known. */
    private static List<Meant> stale(EmittedMessages.Findings all) {
        List<Meant> notRun = MEANT.stream()
                .filter(meant -> !all.tests().contains(meant.test))
                .toList();
        if (!notRun.isEmpty()) {
            System.out.println("Allowances of tests that did not run, or are gone: " + notRun);
            return List.of();
        }
        return MEANT.stream().filter(meant -> !meant.isOfAnyOf(all.faults())).toList();
    }

    private static boolean isNotMeant(String fault) {
        return MEANT.stream().noneMatch(meant -> meant.is(fault));
    }

    @Test
    void aMessageThatTheSchemaForbidsIsFound(@TempDir Path folder) throws Exception {
        System.setProperty(FOLDER, folder.toString());
        MemoryTransport.Pair pair = MemoryTransport.pair();
        Agent serving = Agent.builder("agent", "1").onPrompt(turn -> {}).build();
        try (ConnectedClient client = serving.connect(pair.left());
                ConnectedAgent agent = Client.builder("client", "1").connect(pair.right())) {
            assertThat(client).isNotNull();
            try {
                RawJson unread = agent.call("session/prompt", RawJson.parse("{\"sessionId\":\"s\",\"prompt\":7}"));
                assertThat(unread).isNull();
            } catch (RpcError e) {
                assertThat(e.code()).isEqualTo(-32602);
            }
        }

        EmittedMessages.Findings found = emitted.in(folder);

        assertThat(found.connections()).isEqualTo(2);
        assertThat(found.messages()).isEqualTo(4);
        assertThat(found.faults()).singleElement().asString().contains("session/prompt", "/prompt", "array");
    }

    @Test
    void theVersionOfAConnectionDecidesWhatItMaySay(@TempDir Path folder) throws Exception {
        System.setProperty(FOLDER, folder.toString());
        for (Version version : Version.values()) {
            MemoryTransport.Pair pair = MemoryTransport.pair();
            Agent serving = Agent.builder("agent", "1")
                    .protocol(version)
                    .supports(Feature.PLANS)
                    .onPrompt(turn -> {
                        turn.update(bare("state_update"));
                        turn.update(bare("plan_removed"));
                        turn.update(SessionUpdate.PlanRemoved.of(PlanId.of("main")));
                    })
                    .build();
            Client.Builder client = Client.builder("client", "1")
                    .protocol(version)
                    .supports(Feature.PLANS)
                    .onProblem(problem -> {});
            try (ConnectedClient connected = serving.connect(pair.left());
                    ConnectedAgent agent = client.connect(pair.right());
                    Session session = agent.newSession(Path.of("").toAbsolutePath())) {
                assertThat(connected).isNotNull();
                TurnResult unused = session.prompt("Go").result();
            }
        }

        EmittedMessages.Findings found = emitted.in(folder);

        // Version 2 takes any update that it does not know, so only in version 1 it takes the drafts to allow one.
        assertThat(found.drafts()).isEqualTo(1);
        assertThat(found.faults()).hasSize(4);
        assertThat(found.faults())
                .filteredOn(fault -> fault.contains("state_update"))
                .hasSize(2);
    }

    private static SessionUpdate bare(String kind) {
        return new SessionUpdate.Unknown(kind, RawJson.parse("{\"sessionUpdate\":\"" + kind + "\"}"));
    }
}
