package dev.acp4j.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.McpRequestId;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.McpServerAcpId;
import dev.acp4j.schema.MessageMcpNotification;
import dev.acp4j.schema.MessageMcpRequest;
import dev.acp4j.schema.MessageMcpResponse;
import dev.acp4j.schema.Meta;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The rules of a server that an agent reaches over the connection of its client: whose error is whose, and what ends.
 */
@Timeout(60)
class EndpointsTest {
    private static final String META = "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
            + "\"io.modelcontextprotocol/clientCapabilities\":{}}}";

    private final Endpoints endpoints = new Endpoints();
    private final LinkedBlockingQueue<MessageMcpNotification> reported = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<String> begun = new LinkedBlockingQueue<>();
    private final CountDownLatch release = new CountDownLatch(1);
    private final List<Thread> threads = new ArrayList<>();

    @AfterEach
    void closeAll() throws InterruptedException {
        release.countDown();
        endpoints.close();
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private McpServer.Acp serve(Face.Provider provider) throws IOException {
        McpServer.Acp declared = McpServer.Acp.of("own", McpServerAcpId.of("own"));
        return (McpServer.Acp) endpoints.serve(declared, provider, Reach.ACP);
    }

    /** Says that it has begun, and answers when it is released. */
    private RawJson waits(String method, Members params, Face.Notices notices) throws InterruptedException {
        begun.add(method);
        release.await();
        return RawJson.EMPTY_OBJECT;
    }

    private static MessageMcpRequest request(McpServer.Acp server, String id, String params) {
        return MessageMcpRequest.builder(server.serverId(), McpRequestId.of(id), "tools/list")
                .params(RawJson.parse(params))
                .build();
    }

    private static MessageMcpRequest within(Meta meta, McpServer.Acp server, String params) {
        MessageMcpRequest request = request(server, "1", params);
        return new MessageMcpRequest(
                request.serverId(),
                request.requestId(),
                request.method(),
                request.params(),
                request.rest().withMeta(meta));
    }

    private MessageMcpResponse answer(McpServer.Acp server, String id) {
        return endpoints.answer(request(server, id, META), reported::add);
    }

    private FutureTask<MessageMcpResponse> start(McpServer.Acp server, String id) {
        FutureTask<MessageMcpResponse> task = new FutureTask<>(() -> answer(server, id));
        Thread thread = new Thread(task);
        threads.add(thread);
        thread.start();
        return task;
    }

    private static int code(Throwable error) {
        return error instanceof ExecutionException && error.getCause() instanceof RpcError cause
                ? cause.code()
                : ((RpcError) error).code();
    }

    @Tag("MCP-04")
    @Test
    void noTwoDeclarationsHaveTheSameIdAlsoAfterOneHasEnded() throws Exception {
        McpServer.Acp first = serve(this::waits);
        McpServer.Acp second = serve(this::waits);
        endpoints.end(first);
        McpServer.Acp third = serve(this::waits);

        assertThat(List.of(first.serverId(), second.serverId(), third.serverId()))
                .doesNotHaveDuplicates();
    }

    @Tag("MCP-05")
    @Tag("MCP-07")
    @Test
    void anIdThatIsInUseIsRefusedForItsServerOnlyAndCanBeUsedAgainAfterwards() throws Exception {
        McpServer.Acp server = serve(this::waits);
        McpServer.Acp other = serve((method, params, notices) -> RawJson.EMPTY_OBJECT);
        FutureTask<MessageMcpResponse> first = start(server, "1");
        begun.take();

        assertThatThrownBy(() -> answer(server, "1"))
                .satisfies(error -> assertThat(code(error)).isEqualTo(-32602));
        assertThat(answer(other, "1")).isEqualTo(MessageMcpResponse.Result.of(RawJson.EMPTY_OBJECT));
        FutureTask<MessageMcpResponse> second = start(server, "2");
        begun.take();
        release.countDown();

        assertThat(List.of(first.get(), second.get(), answer(server, "1")))
                .containsOnly(MessageMcpResponse.Result.of(RawJson.EMPTY_OBJECT));
    }

    @Tag("MCP-08")
    @Test
    void oneMoreThanTheMostRequestsAtOnceIsRefused() throws Exception {
        McpServer.Acp server = serve(this::waits);
        for (int i = 0; i < 64; i++) {
            FutureTask<MessageMcpResponse> unused = start(server, "r" + i);
            begun.take();
        }

        assertThatThrownBy(() -> answer(server, "one more"))
                .satisfies(error -> assertThat(code(error)).isEqualTo(-33000));
    }

    @Tag("MCP-09")
    @Test
    void aServerThatFailsIsAnErrorOfTheBindingWhichSaysNothingOfTheReason() throws Exception {
        McpServer.Acp server = serve((method, params, notices) -> {
            throw new IllegalStateException("the password is 1234");
        });

        // It is logged with its reason, which the rule on logs must not see.
        Logger log = Logger.getLogger("dev.acp4j.mcp");
        log.setUseParentHandlers(false);
        try {
            assertThatThrownBy(() -> answer(server, "1"))
                    .satisfies(error -> assertThat(code(error)).isEqualTo(-33002))
                    .hasMessageContaining("failed")
                    .hasMessageNotContaining("1234");
        } finally {
            log.setUseParentHandlers(true);
        }
    }

    @Tag("MCP-09")
    @Tag("MCP-11")
    @ParameterizedTest
    @CsvSource({"-33001", "-32800", "-32000", "-32601", "7"})
    void anErrorOfTheServerIsItsAnswerAndNeverAnErrorOfTheBinding(int code) throws Exception {
        McpServer.Acp server = serve((method, params, notices) -> {
            throw new RpcError(code, "of the server", RawJson.NULL);
        });

        MessageMcpResponse.Failure failure = (MessageMcpResponse.Failure) answer(server, "1");
        assertThat(failure.error().code()).isEqualTo(code);
        assertThat(failure.error().message()).isEqualTo("of the server");
        assertThat(failure.error().data().applyTo(null)).isEqualTo(RawJson.NULL);
    }

    @Tag("MCP-10")
    @Test
    void aCancelledRequestIsAnErrorOfTheBinding() throws Exception {
        McpServer.Acp server = serve(this::waits);
        FutureTask<MessageMcpResponse> waiting = start(server, "1");
        begun.take();

        threads.getLast().interrupt();

        assertThatThrownBy(waiting::get)
                .satisfies(error -> assertThat(code(error)).isEqualTo(-32800));
    }

    @Tag("MCP-10")
    @Test
    void aRequestThatIsCancelledBeforeItBeginsNeverRuns() throws Exception {
        McpServer.Acp server = serve(this::waits);
        FutureTask<MessageMcpResponse> late = new FutureTask<>(() -> {
            Thread.currentThread().interrupt();
            return answer(server, "1");
        });
        threads.add(new Thread(late));
        threads.getLast().start();

        assertThatThrownBy(late::get).satisfies(error -> assertThat(code(error)).isEqualTo(-32800));
        assertThat(begun).isEmpty();
    }

    @Tag("MCP-13")
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    no metadata at all           | {}                                                                      | -32602
                    no version                   | {"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}}             | -32602
                    a version that is no string  | {"_meta":{"io.modelcontextprotocol/protocolVersion":2,"io.modelcontextprotocol/clientCapabilities":{}}} | -32602
                    another version              | {"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25","io.modelcontextprotocol/clientCapabilities":{}}} | -32022
                    no capabilities              | {"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}      | -32602
                    capabilities that are a list | {"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":[]}} | -32602
                    """)
    void aRequestSaysItsVersionAndCapabilitiesOrDoesNotReachTheServer(String what, String params, int code)
            throws Exception {
        McpServer.Acp server = serve(this::waits);

        MessageMcpResponse answer = endpoints.answer(request(server, "1", params), reported::add);

        assertThat(((MessageMcpResponse.Failure) answer).error().code())
                .as(what)
                .isEqualTo(code);
        assertThat(begun).isEmpty();
    }

    @Tag("MCP-19")
    @Test
    void theMetadataOfTheMessageAroundARequestIsNotThatOfTheRequest() throws Exception {
        LinkedBlockingQueue<Members> got = new LinkedBlockingQueue<>();
        McpServer.Acp server = serve((method, params, notices) -> {
            got.add(params);
            return RawJson.EMPTY_OBJECT;
        });
        Meta around = Meta.EMPTY
                .with(Face.VERSION, RawJson.string("2026-07-28"))
                .with(Face.CAPABILITIES, RawJson.EMPTY_OBJECT)
                .with("progressToken", RawJson.number(1));

        MessageMcpResponse unused = endpoints.answer(within(around, server, META), reported::add);
        MessageMcpResponse refused = endpoints.answer(within(around, server, "{}"), reported::add);

        assertThat(got.take().json()).isEqualTo(RawJson.parse(META));
        assertThat(refused).isInstanceOf(MessageMcpResponse.Failure.class);
    }

    @Tag("MCP-15")
    @Test
    void nothingIsReportedAboutARequestBehindItsAnswer() throws Exception {
        LinkedBlockingQueue<Face.Notices> kept = new LinkedBlockingQueue<>();
        McpServer.Acp server = serve((method, params, notices) -> {
            kept.add(notices);
            notices.send("notifications/progress", RawJson.parse("{\"progress\":1}"));
            return RawJson.EMPTY_OBJECT;
        });

        MessageMcpResponse unused = answer(server, "1");
        kept.take().send("notifications/progress", RawJson.parse("{\"progress\":2}"));

        assertThat(reported).hasSize(1);
        MessageMcpNotification report = reported.take();
        assertThat(report.requestId()).isEqualTo(McpRequestId.of("1"));
        assertThat(report.serverId()).isEqualTo(server.serverId());
        assertThat(report.params()).isEqualTo(RawJson.parse("{\"progress\":1}"));
    }

    @Tag("MCP-16")
    @Test
    void aServerThatEndsHasNoRequestLeftThatRuns() throws Exception {
        LinkedBlockingQueue<String> ended = new LinkedBlockingQueue<>();
        McpServer.Acp server = serve((method, params, notices) -> {
            try {
                return waits(method, params, notices);
            } finally {
                ended.add(method);
            }
        });
        FutureTask<MessageMcpResponse> first = start(server, "1");
        FutureTask<MessageMcpResponse> second = start(server, "2");
        begun.take();
        begun.take();

        endpoints.end(server);

        assertThat(ended).hasSize(2);
        assertThatThrownBy(first::get)
                .satisfies(error -> assertThat(code(error)).isEqualTo(-32800));
        assertThatThrownBy(second::get)
                .satisfies(error -> assertThat(code(error)).isEqualTo(-32800));
    }

    @Tag("MCP-06")
    @Test
    void aServerThatIsUnknownOrHasEndedIsRefused() throws Exception {
        McpServer.Acp server = serve(this::waits);
        endpoints.end(server);

        for (McpServer.Acp gone : List.of(server, McpServer.Acp.of("own", McpServerAcpId.of("never")))) {
            assertThatThrownBy(() -> answer(gone, "1"))
                    .satisfies(error -> assertThat(code(error)).isEqualTo(-33001));
        }
    }

    @Test
    void aServerThatEndsItselfInARequestIsNotWaitedFor() throws Exception {
        LinkedBlockingQueue<McpServer.Acp> own = new LinkedBlockingQueue<>();
        McpServer.Acp server = serve(new Face.Provider() {
            @Override
            public RawJson answer(String method, Members params, Face.Notices notices) throws InterruptedException {
                endpoints.end(own.take());
                return RawJson.EMPTY_OBJECT;
            }
        });
        own.add(server);

        assertThat(answer(server, "1")).isEqualTo(MessageMcpResponse.Result.of(RawJson.EMPTY_OBJECT));
    }
}
