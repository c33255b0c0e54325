package dev.acp4j.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.RawJson;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One request of a servlet. What is written to a stream blocks a virtual thread that exists for as long as it takes; an
 * idle stream has none.
 *
 * <p>The lock guards who wants to know of the client's leaving. Nothing is called while it is held.
 */
final class ServletExchange implements Exchange, Exchange.Events, AsyncListener {
    private static final String CERTIFICATES = "jakarta.servlet.request.X509Certificate";
    private static final Set<String> LOOPBACKS = Set.of("::1", "0:0:0:0:0:0:0:1");

    private final HttpServletRequest request;
    private final HttpServletResponse response;
    private final AsyncContext async;
    private final HttpServer configuration;
    private final Body body;
    private final AtomicBoolean completed = new AtomicBoolean();
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final List<Runnable> onGone = new ArrayList<>();

    @GuardedBy("lock")
    private boolean isGone;

    private volatile @Nullable Principal caller;

    /** The thread that is writing now. */
    private volatile @Nullable Thread writing;

    ServletExchange(
            HttpServletRequest request, HttpServletResponse response, AsyncContext async, HttpServer configuration) {
        this.request = request;
        this.response = response;
        this.async = async;
        this.configuration = configuration;
        this.body = new Body(request::getInputStream, request.getContentLengthLong(), configuration.time());
        async.addListener(this);
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
        return request.getMethod();
    }

    /** Returns the configured path for the place of the servlet, wherever that is. */
    @Override
    public String path() {
        String below = request.getPathInfo();
        return below == null || below.equals("/") ? configuration.path() : below;
    }

    @Override
    public String query() {
        String query = request.getQueryString();
        return query == null ? "" : query;
    }

    @Override
    public String authority() {
        String host = request.getHeader("Host");
        if (host != null) {
            return host;
        }
        // HTTP/2 names it elsewhere, and the server knows where.
        int port = request.getServerPort();
        boolean isStandard = port == (request.isSecure() ? 443 : 80);
        return request.getServerName() + (isStandard ? "" : ":" + port);
    }

    @Override
    public boolean isSecure() {
        return request.isSecure();
    }

    @Override
    public boolean isLocal() {
        String address = request.getRemoteAddr();
        return address.startsWith("127.") || LOOPBACKS.contains(address);
    }

    @Override
    public boolean isUpgrade() {
        String upgrade = request.getHeader("Upgrade");
        return request.getMethod().equals("GET") && upgrade != null && upgrade.equalsIgnoreCase("websocket");
    }

    @Override
    public @Nullable String header(String name) {
        return request.getHeader(name);
    }

    @Override
    public List<X509Certificate> certificates() {
        return request.getAttribute(CERTIFICATES) instanceof X509Certificate[] chain ? List.of(chain) : List.of();
    }

    @Override
    public String address() {
        return request.getRemoteAddr();
    }

    @Override
    public RawJson body(int limit, IntConsumer counted) throws IOException {
        return body.read(limit, counted);
    }

    @Override
    public void answer(Answer answer) {
        if (response.isCommitted()) {
            abort();
            return;
        }
        response.setStatus(answer.status());
        answer.headers().forEach(response::setHeader);
        RawJson content = answer.body();
        if (content != null) {
            response.setHeader("Content-Type", answer.type());
        }
        response.setContentLength(content == null ? 0 : content.length());
        try {
            if (content != null) {
                response.getOutputStream().write(content.bytes(), content.from(), content.length());
            }
            if (body.hasRest(answer, header("Expect"))) {
                response.flushBuffer();
                body.discard();
            }
        } catch (IOException | RuntimeException e) {
            // Servers fail in their own ways when the client is gone.
            gone();
        }
        end();
    }

    @Override
    public Events events(Map<String, String> headers) {
        response.setStatus(200);
        headers.forEach(response::setHeader);
        return this;
    }

    @Override
    public void write(ByteBuffer bytes, Consumer<@Nullable Throwable> done) {
        HttpThreads.start("acp4j-http-servlet", () -> {
            Throwable failure = null;
            writing = Thread.currentThread();
            try {
                ServletOutputStream out = response.getOutputStream();
                out.write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
                out.flush();
            } catch (IOException | RuntimeException e) {
                // Servers fail in their own ways when the client is gone.
                failure = e;
            } finally {
                writing = null;
            }
            if (failure != null) {
                gone();
            }
            done.accept(failure);
        });
    }

    @Override
    public void end(Runnable done) {
        end();
        done.run();
    }

    private void end() {
        if (completed.compareAndSet(false, true)) {
            async.complete();
        }
    }

    @Override
    public void abort() {
        Thread stuck = writing;
        if (stuck != null) {
            stuck.interrupt();
        }
        end();
    }

    @Override
    public void upgrade(Map<String, String> headers, SocketSession session) {
        throw new Refusal(426, "no_websocket", "this server has no WebSocket: use POST and GET");
    }

    @Override
    public void onGone(Runnable action) {
        lock.lock();
        try {
            if (!isGone) {
                onGone.add(action);
                return;
            }
        } finally {
            lock.unlock();
        }
        action.run();
    }

    private void gone() {
        List<Runnable> actions;
        lock.lock();
        try {
            isGone = true;
            actions = List.copyOf(onGone);
            onGone.clear();
        } finally {
            lock.unlock();
        }
        actions.forEach(Runnable::run);
    }

    @Override
    public void onComplete(AsyncEvent event) {
        completed.set(true);
        gone();
    }

    @Override
    public void onTimeout(AsyncEvent event) {
        // There is none.
    }

    @Override
    public void onError(AsyncEvent event) {
        gone();
        end();
    }

    @Override
    public void onStartAsync(AsyncEvent event) {
        // It has begun already.
    }
}
