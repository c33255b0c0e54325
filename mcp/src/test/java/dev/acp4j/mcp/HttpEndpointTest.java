package dev.acp4j.mcp;

import static dev.acp4j.mcp.HttpPosts.META;
import static dev.acp4j.mcp.HttpPosts.post;
import static dev.acp4j.mcp.HttpPosts.posted;
import static dev.acp4j.mcp.HttpPosts.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.McpServerAcpId;
import dev.acp4j.schema.Meta;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the address of a server serves, and what it refuses. */
@Timeout(60)
class HttpEndpointTest {
    private static final String VERSION = "MCP-Protocol-Version: 2026-07-28";

    private final LinkedBlockingQueue<String> begun = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<String> interrupted = new LinkedBlockingQueue<>();
    private final CountDownLatch release = new CountDownLatch(1);
    private final HttpEndpoint endpoint;
    private final McpServer.Http server;

    HttpEndpointTest() throws IOException {
        endpoint = new HttpEndpoint();
        server = add("own", this::answer);
    }

    @AfterEach
    void close() {
        release.countDown();
        endpoint.close();
    }

    private McpServer.Http add(String name, Face.Provider provider) {
        return endpoint.add(McpServer.Acp.of(name, McpServerAcpId.of(name)), provider);
    }

    private RawJson answer(String method, Members params, Face.Notices notices) throws InterruptedException {
        switch (params.text("name", "")) {
            case "wait" -> {
                begun.add(params.text("tag", ""));
                try {
                    release.await();
                } catch (InterruptedException e) {
                    interrupted.add(params.text("tag", ""));
                    throw e;
                }
            }
            case "report" -> notices.send("notifications/progress", RawJson.parse("{\"progress\":1}"));
            default -> {}
        }
        return RawJson.parse("{\"resultType\":\"complete\",\"content\":[]}");
    }

    private static String call(int id, String members) {
        return request(id, "tools/call", members + "," + META);
    }

    private static List<String> headers(String tool) {
        return List.of(VERSION, "Mcp-Method: tools/call", "Mcp-Name: " + tool);
    }

    private FutureTask<String> start(int id, String tag) {
        FutureTask<String> task = new FutureTask<>(
                () -> post(server, call(id, "\"name\":\"wait\",\"tag\":\"" + tag + "\""), headers("wait"), ""));
        new Thread(task).start();
        return task;
    }

    // ---- who may ask

    @Tag("MCP-25")
    @Test
    void aDeclarationKeepsNameAndExtensionDataAndGetsAnAddressOfTheLoopbackInterface() {
        Meta meta = Meta.EMPTY.with("example.com/origin", RawJson.parse("{\"a\":1}"));
        McpServer.Acp declared =
                McpServer.Acp.of("named", McpServerAcpId.of("n")).withMeta(meta);

        McpServer.Http served = endpoint.add(declared, this::answer);

        assertThat(served.name()).isEqualTo("named");
        assertThat(served.rest().meta()).isEqualTo(meta);
        assertThat(URI.create(served.url()).getHost()).isEqualTo("127.0.0.1");
        assertThat(URI.create(served.url()).getPort())
                .isEqualTo(URI.create(server.url()).getPort());
    }

    @Tag("MCP-27")
    @Tag("SEC-09")
    @Test
    void theTokenOfOneServerOpensNoOtherAndIsInNoAddress() throws Exception {
        McpServer.Http other = add("other", this::answer);
        String token = other.headers().getFirst().value();

        assertThat(post(server, "tools/list", "Authorization: " + token))
                .startsWith("HTTP/1.1 401")
                .containsIgnoringCase("www-authenticate: bearer");
        assertThat(post(other, "tools/list", "")).startsWith("HTTP/1.1 200");
        assertThat(server.url() + other.url()).doesNotContain(token.substring("Bearer ".length()));
    }

    @Tag("MCP-28")
    @Tag("SEC-09")
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    a page of the web          | Origin: https://example.com             | 403
                    a page of another port     | Origin: http://127.0.0.1:1              | 403
                    a frame without an origin  | Origin: null                            | 403
                    a method twice             | +Mcp-Method: tools/list                 | 400
                    another name too           | +Mcp-Name: rm                           | 400
                    two versions               | +MCP-Protocol-Version: 2025-11-25       | 400
                    two tokens                 | +Authorization: Bearer 0                | 400
                    """)
    void aRequestOfAnotherOriginOrWithAHeaderThatComesTwiceIsRefused(String what, String header, int status)
            throws Exception {
        String body = call(1, "\"name\":\"report\"");
        List<String> sent = new ArrayList<>(headers("report"));
        sent.add(header.replace("+", ""));

        assertThat(post(server, body, sent, "")).as(what).startsWith("HTTP/1.1 " + status);
        assertThat(post(server, body, headers("report"), "")).startsWith("HTTP/1.1 200");
    }

    // ---- what is a request

    @Tag("MCP-29")
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    JSON only                     | Accept: application/json                                 | 406
                    events only                   | Accept: text/event-stream                                | 406
                    both, one excluded            | Accept: application/json, text/event-stream;q=0          | 406
                    everything except one         | Accept: */*, application/json;q=0.0                      | 406
                    both with qualities           | Accept: text/event-stream;q=0.1, application/json; q=0.9 | 200
                    everything                    | Accept: */*                                              | 200
                    a range of types              | Accept: application/*, text/*                            | 200
                    a type that only begins alike | Content-Type: application/json-seq                       | 415
                    a type with a parameter       | Content-Type: Application/JSON; charset=utf-8            | 200
                    no type                       | Content-Type:                                            | 415
                    """)
    void whatCanBeReadAndAnsweredIsServed(String what, String header, int status) throws Exception {
        assertThat(post(server, "tools/list", header)).as(what).startsWith("HTTP/1.1 " + status);
    }

    @Tag("MCP-29")
    @Test
    void anotherPathAnotherMethodAndABodyThatIsTooLargeAreRefused() throws Exception {
        McpServer.Http elsewhere = McpServer.Http.of(server.name(), server.url() + "x", server.headers());

        assertThat(post(elsewhere, "tools/list", "")).startsWith("HTTP/1.1 404");
        assertThat(sent("GET")).startsWith("HTTP/1.1 405").contains("Allow: POST, DELETE");
        assertThat(sent("PUT")).startsWith("HTTP/1.1 405");
        String large = call(1, "\"name\":\"" + "x".repeat(4 * 1024 * 1024) + "\"");
        assertThat(post(server, large, headers("x"), "")).startsWith("HTTP/1.1 413");
    }

    private String sent(String method) throws IOException {
        URI uri = URI.create(server.url());
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), uri.getPort())) {
            String request = method + " " + uri.getPath() + " HTTP/1.1\r\nHost: " + uri.getAuthority()
                    + "\r\nAuthorization: " + server.headers().getFirst().value() + "\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Tag("MCP-29")
    @Test
    void oneMoreThanTheMostRequestsAtOnceIsRefusedAndTheOthersGoOn() throws Exception {
        List<FutureTask<String>> running = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            running.add(start(i, "r" + i));
            begun.take();
        }

        assertThat(post(server, call(64, "\"name\":\"one\""), headers("one"), ""))
                .startsWith("HTTP/1.1 429")
                .contains("-33000");
        release.countDown();
        for (FutureTask<String> one : running) {
            assertThat(one.get()).startsWith("HTTP/1.1 200");
        }
    }

    @Tag("MCP-30")
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    tools/call     | "name":"größe"      | größe         | größe
                    prompts/get    | "name":"größe"      | größe         | andere
                    resources/read | "uri":"file:///ä b" | file:///ä b   | file:///a b
                    """)
    void namesInHeadersAreThoseOfTheBodyAlsoInTheFormForWhatIsNotAscii(
            String method, String member, String name, String other) throws Exception {
        String body = request(1, method, member + "," + META);
        List<String> rest = List.of(VERSION, "Mcp-Method: " + method);

        assertThat(post(server, body, rest, "Mcp-Name: " + base64(name))).startsWith("HTTP/1.1 200");
        for (String wrong :
                List.of("Mcp-Name: x", "", "Mcp-Name: =?base64?%%%?=", "Mcp-Name: " + base64(other + "!"))) {
            assertThat(post(server, body, rest, wrong))
                    .as(wrong)
                    .startsWith("HTTP/1.1 400")
                    .contains("-32020");
        }
    }

    private static String base64(String text) {
        return "=?base64?" + Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8)) + "?=";
    }

    @Tag("MCP-31")
    @ParameterizedTest
    @ValueSource(strings = {"[]", "7", "{", "{\"jsonrpc\":\"2.0\"}"})
    void whatIsNoMessageIsRefused(String body) throws Exception {
        assertThat(post(server, body, List.of(), "")).startsWith("HTTP/1.1 400");
    }

    @Tag("MCP-31")
    @Test
    void aBatchIsRefusedAndNothingInItRuns() throws Exception {
        String body = "[" + call(1, "\"name\":\"wait\"") + "]";

        assertThat(post(server, body, headers("wait"), ""))
                .startsWith("HTTP/1.1 400")
                .contains("-32600");
        assertThat(begun).isEmpty();
    }

    // ---- one request, one answer

    @Tag("MCP-32")
    @Test
    void aClientThatClosesAnAnswerCancelsThatRequestAndNoOther() throws Exception {
        FutureTask<String> stays = start(1, "stays");
        begun.take();
        String body = call(1, "\"name\":\"wait\",\"tag\":\"leaves\"");
        try (Socket leaves = posted(server, body, "Accept: */*\r\n" + String.join("\r\n", headers("wait")))) {
            begun.take();
            assertThat(leaves.isConnected()).isTrue();
        }

        assertThat(interrupted.take()).isEqualTo("leaves");
        release.countDown();
        assertThat(stays.get()).contains("\"resultType\":\"complete\"");
        assertThat(interrupted).isEmpty();
    }

    @Tag("MCP-33")
    @Test
    void anAnswerIsAStreamOfEventsIfSomethingIsReportedOrItTakesLong() throws Exception {
        assertThat(post(server, call(1, "\"name\":\"report\""), headers("report"), ""))
                .containsIgnoringCase("content-type: text/event-stream")
                .contains("notifications/progress");

        FutureTask<String> slow = start(2, "slow");
        begun.take();
        try (Socket other = posted(
                server,
                call(3, "\"name\":\"wait\",\"tag\":\"read\""),
                "Accept: */*\r\n" + String.join("\r\n", headers("wait")))) {
            // The comment by which one sees whether the client is still there.
            String read = "";
            while (!read.contains("\n:\n")) {
                read += (char) other.getInputStream().read();
            }
            assertThat(read).containsIgnoringCase("content-type: text/event-stream");
        }
        release.countDown();
        assertThat(slow.get()).contains("\"resultType\":\"complete\"");
    }

    @Tag("MCP-33")
    @Test
    void anAnswerWithNothingBeforeItIsJson() throws Exception {
        assertThat(post(server, call(1, "\"name\":\"none\""), headers("none"), ""))
                .containsIgnoringCase("content-type: application/json")
                .endsWith("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\",\"content\":[]}}");
    }

    @Tag("MCP-34")
    @Test
    void whatIsSaidOfASubscriptionHasTheIdOfTheRequestThatBeganIt() throws Exception {
        String about = "{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":\"theirs\",\"x\":1}}";
        McpServer.Http changes = add("changes", (method, params, notices) -> {
            notices.send("notifications/subscriptions/acknowledged", RawJson.parse(about));
            return RawJson.parse(about);
        });

        String answer = post(
                changes,
                request(17, "subscriptions/listen", META),
                List.of(VERSION, "Mcp-Method: subscriptions/listen"),
                "");

        assertThat(answer)
                .contains("\"params\":{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":17,\"x\":1}}")
                .contains("\"result\":{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":17,\"x\":1}}")
                .doesNotContain("theirs");
    }

    @Tag("MCP-34")
    @Test
    void argumentsAreNotDemandedAsHeadersByAServerThatDoesNotReadThem() throws Exception {
        String marked = """
                {"tools":[{"name":"a","inputSchema":{"type":"object","properties":{
                "x-mcp-header":{"type":"string"},
                "to":{"type":"object","properties":{"host":{"type":"string","x-mcp-header":"Host-Name","minLength":1}}}}}},
                {"name":"b"}]}""";
        McpServer.Http lists = add("lists", (method, params, notices) -> RawJson.parse(marked));

        String answer = post(lists, "tools/list", "");

        assertThat(answer.substring(answer.indexOf('{')))
                .isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":"
                        + marked.replace("\n", "").replace(",\"x-mcp-header\":\"Host-Name\"", "") + "}");
    }

    // ---- clients with a handshake

    private String session() throws IOException {
        String greeting = post(server, request(1, "initialize", "\"protocolVersion\":\"2025-11-25\""), List.of(), "");
        return greeting.lines()
                .filter(line -> line.regionMatches(true, 0, "mcp-session-id:", 0, 15))
                .findFirst()
                .orElseThrow();
    }

    private FutureTask<String> startLegacy(String session, String id, String tag) {
        String body = "{\"jsonrpc\":\"2.0\",\"id\":" + id
                + ",\"method\":\"tools/call\",\"params\":{\"name\":\"wait\",\"tag\":\"" + tag + "\"}}";
        FutureTask<String> task = new FutureTask<>(() -> post(server, body, List.of(session), ""));
        new Thread(task).start();
        return task;
    }

    @Tag("MCP-36")
    @Test
    void requestsWithoutAnIdAreAnsweredEachOnItsOwn() throws Exception {
        String session = session();
        FutureTask<String> first = startLegacy(session, "null", "first");
        FutureTask<String> second = startLegacy(session, "null", "second");
        List<String> running = List.of(begun.take(), begun.take());
        release.countDown();

        assertThat(running).containsExactlyInAnyOrder("first", "second");
        for (FutureTask<String> one : List.of(first, second)) {
            assertThat(one.get()).startsWith("HTTP/1.1 200").contains("\"id\":null,\"result\"");
        }
    }

    @Tag("MCP-36")
    @Test
    void anIdThatIsUsedAgainGetsItsOwnAnswerAndABadRequestDisturbsNone() throws Exception {
        String session = session();
        FutureTask<String> first = startLegacy(session, "5", "first");
        begun.take();

        assertThat(post(server, "{\"jsonrpc\":\"2.0\",\"id\":5,", List.of(session), ""))
                .startsWith("HTTP/1.1 400");
        String cancel = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":5}}";
        assertThat(post(server, cancel, List.of(session), "")).startsWith("HTTP/1.1 202");
        assertThat(first.get()).contains("-32800");
        FutureTask<String> again = startLegacy(session, "5", "again");
        begun.take();
        release.countDown();

        assertThat(again.get()).contains("\"id\":5,\"result\"");
        assertThat(interrupted).containsExactly("first");
    }
}
