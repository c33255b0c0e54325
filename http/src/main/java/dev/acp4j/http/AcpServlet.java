package dev.acp4j.http;

import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.Unstable;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.Servlet;
import jakarta.servlet.ServletConfig;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The endpoint of an agent as a servlet, for programs that have a server already. Needs {@code jakarta.servlet-api} 6,
 * which each such server brings, and asynchronous requests.
 *
 * <pre>{@code
 * var servlet = new AcpServlet(Http.on(0).tokens(tokens).allowedHosts("agents.example"), agent::connect);
 * var registration = context.addServlet("acp", servlet);
 * registration.addMapping("/acp");
 * registration.setAsyncSupported(true);
 * }</pre>
 *
 * <p>Where it listens, its TLS and its proxies are the server's matter; the rest of the configuration counts. There is
 * no WebSocket: clients that ask for one are answered 426, and use events. A client that leaves without a word is
 * noticed when something is written to it, at the latest by the next sign of life.
 */
@Unstable
public final class AcpServlet implements Servlet {
    private final HttpServer configuration;
    private final Endpoint endpoint;

    private @Nullable ServletConfig config;
    private @Nullable RunningServer running;

    /**
     * Creates a servlet.
     *
     * @param agents takes the transport of each client, as in {@link HttpServer#start}
     * @throws IllegalStateException when the configuration has no authenticator, or no names of hosts: a servlet does
     *     not know by which names it is reached
     */
    public AcpServlet(HttpServer configuration, Consumer<? super Transport> agents) {
        Authenticator authenticator = configuration.authenticator();
        if (authenticator == null) {
            throw new IllegalStateException("a servlet needs an authenticator: tokens(…) or authenticator(…)");
        }
        if (configuration.allowedHosts().isEmpty()) {
            throw new IllegalStateException("a servlet needs the names by which clients reach it: allowedHosts(…)");
        }
        configuration.check();
        this.configuration = configuration.webSocket(false);
        Guard guard = new Guard(
                configuration.allowedHosts(), configuration.origins(), authenticator, "", configuration.time());
        this.endpoint = new Endpoint(this.configuration, guard, agents, new SecureRandom());
    }

    @Override
    public void init(ServletConfig config) throws ServletException {
        this.config = config;
        try {
            this.running = RunningServer.inContainer(configuration, endpoint);
        } catch (IOException e) {
            throw new ServletException(e.getMessage(), e);
        }
    }

    @Override
    public @Nullable ServletConfig getServletConfig() {
        return config;
    }

    @Override
    public String getServletInfo() {
        return "Agent Client Protocol";
    }

    @Override
    public void service(ServletRequest request, ServletResponse response) throws ServletException {
        if (!(request instanceof HttpServletRequest http) || !(response instanceof HttpServletResponse answer)) {
            throw new ServletException("the Agent Client Protocol needs HTTP");
        }
        if (!request.isAsyncSupported()) {
            throw new ServletException("this servlet needs asynchronous requests: call setAsyncSupported(true) on its"
                    + " registration, and on those of filters before it");
        }
        AsyncContext async = request.startAsync(request, response);
        // Streams end when their clients do, and an agent may take its time.
        async.setTimeout(0);
        ServletExchange exchange = new ServletExchange(http, answer, async, configuration);
        HttpThreads.start("acp4j-http-servlet", () -> endpoint.handle(exchange));
    }

    /** Lets running turns end within {@link HttpServer#drainTime}, and ends all connections; blocks until then. */
    @Override
    public void destroy() {
        RunningServer last = running;
        if (last != null) {
            last.close();
        }
    }
}
