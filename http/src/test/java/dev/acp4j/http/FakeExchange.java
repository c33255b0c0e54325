package dev.acp4j.http;

import dev.acp4j.json.RawJson;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** A request without a network, and what it is answered with. */
final class FakeExchange implements Exchange, Exchange.Events {
    static final String TOKEN = "a-token-that-is-long-enough";

    final Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    final List<Runnable> gone = new ArrayList<>();

    /** What happens when the endpoint looks at a header. */
    final Map<String, Runnable> whenAsked = new HashMap<>();

    /** Open until the endpoint wants to know when the client leaves. */
    final CountDownLatch watched = new CountDownLatch(1);

    String method;
    String path = "/acp";
    String query = "";
    String authority = "127.0.0.1:8080";
    String body = "";
    String address = "127.0.0.1";
    boolean upgrades;
    boolean wasRead;

    @Nullable
    Answer answer;

    @Nullable
    Map<String, String> streamHeaders;

    @Nullable
    SocketSession socket;

    StringBuilder stream = new StringBuilder();
    boolean ended;
    boolean aborted;

    /** Whether the client takes nothing for now. */
    boolean blocked;

    private @Nullable Runnable unblock;
    private @Nullable Principal caller;

    FakeExchange(String method) {
        this.method = method;
        with("Authorization", "Bearer " + TOKEN);
    }

    static FakeExchange post(String body) {
        FakeExchange exchange = new FakeExchange("POST").with("Content-Type", "application/json");
        exchange.body = body;
        return exchange;
    }

    static FakeExchange get(String connection) {
        return new FakeExchange("GET").with("Accept", "text/event-stream").with("Acp-Connection-Id", connection);
    }

    FakeExchange with(String name, String value) {
        headers.put(name, value);
        return this;
    }

    FakeExchange without(String name) {
        headers.remove(name);
        return this;
    }

    int status() {
        return streamHeaders != null ? 200 : socket != null ? 101 : answer == null ? -1 : answer.status();
    }

    String text() {
        return answer == null || answer.body() == null ? "" : answer.body().toString();
    }

    @Override
    public void caller(Principal principal) {
        caller = principal;
    }

    @Override
    public @Nullable Principal caller() {
        return caller;
    }

    @Override
    public String method() {
        return method;
    }

    @Override
    public String path() {
        return path;
    }

    @Override
    public String query() {
        return query;
    }

    @Override
    public String authority() {
        return authority;
    }

    @Override
    public boolean isSecure() {
        return false;
    }

    @Override
    public boolean isLocal() {
        return true;
    }

    @Override
    public boolean isUpgrade() {
        return upgrades;
    }

    @Override
    public RawJson body(int limit, IntConsumer counted) {
        wasRead = true;
        byte[] bytes = body.getBytes(StandardCharsets.ISO_8859_1);
        if (bytes.length > limit) {
            throw new Refusal(413, "too_large", "too large");
        }
        counted.accept(bytes.length);
        return RawJson.wrap(bytes, 0, bytes.length);
    }

    @Override
    public void onGone(Runnable action) {
        gone.add(action);
        watched.countDown();
    }

    void leave() {
        gone.forEach(Runnable::run);
    }

    @Override
    public void answer(Answer answer) {
        if (status() != -1) {
            throw new IllegalStateException("answered twice: " + this.answer + " and " + answer);
        }
        this.answer = answer;
    }

    @Override
    public Exchange.Events events(Map<String, String> headers) {
        streamHeaders = headers;
        return this;
    }

    @Override
    public void upgrade(Map<String, String> headers, SocketSession session) {
        streamHeaders = null;
        socket = session;
    }

    @Override
    public @Nullable String header(String name) {
        whenAsked.getOrDefault(name, () -> {}).run();
        return headers.get(name);
    }

    @Override
    public List<X509Certificate> certificates() {
        return List.of();
    }

    @Override
    public String address() {
        return address;
    }

    @Override
    public void write(ByteBuffer bytes, Consumer<@Nullable Throwable> done) {
        String text = StandardCharsets.UTF_8.decode(bytes).toString();
        Runnable write = () -> {
            stream.append(text);
            done.accept(null);
        };
        if (blocked) {
            unblock = write;
        } else {
            write.run();
        }
    }

    void unblock() {
        blocked = false;
        Runnable write = unblock;
        unblock = null;
        if (write != null) {
            write.run();
        }
    }

    /** Returns the data of the events so far. */
    List<String> data() {
        return stream.toString()
                .lines()
                .filter(line -> line.startsWith("data: "))
                .map(line -> line.substring(6))
                .toList();
    }

    /** Returns the ids of the messages so far. */
    List<String> ids() {
        return ids(true);
    }

    /** Returns the ids of the events so far that have nothing else. */
    List<String> places() {
        return ids(false);
    }

    private List<String> ids(boolean withData) {
        return Arrays.stream(stream.toString().split("\n\n"))
                .filter(event -> event.startsWith("id: ") && event.contains("\ndata: ") == withData)
                .map(event -> event.lines().findFirst().orElseThrow().substring(4))
                .toList();
    }

    @Override
    public void end(Runnable done) {
        Runnable end = () -> {
            ended = true;
            done.run();
        };
        if (blocked) {
            unblock = end;
        } else {
            end.run();
        }
    }

    @Override
    public void abort() {
        aborted = true;
    }
}
