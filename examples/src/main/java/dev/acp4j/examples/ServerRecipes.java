package dev.acp4j.examples;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.http.AcpServlet;
import dev.acp4j.http.BearerTokens;
import dev.acp4j.http.Http;
import dev.acp4j.http.HttpServer;
import dev.acp4j.http.RunningServer;
import dev.acp4j.http.ServerLimits;
import dev.acp4j.http.StreamStore;
import dev.acp4j.http.Tls;
import dev.acp4j.http.gateway.Gateway;
import dev.acp4j.http.gateway.PrincipalFolders;
import dev.acp4j.process.Launch;
import jakarta.servlet.ServletContext;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;

/** How agents are served to clients on other machines, and used there, as shown in the documentation. */
final class ServerRecipes {
    private ServerRecipes() {}

    static void serve() throws InterruptedException {
        // recipe: serve
        Agent.builder("echo", "1.0")
                .onPrompt(turn -> turn.message("You said: " + turn.text()))
                .serve(Http.on(8080));
        // end
    }

    static RunningServer production(Agent agent, Path secrets) throws IOException {
        // recipe: production
        var server = Http.on(8443)
                .address("0.0.0.0")
                .allowedHosts("agents.example:8443")
                .tls(Tls.pem(secrets.resolve("server.pem"), secrets.resolve("server-key.pem")))
                .tokens(BearerTokens.read(secrets.resolve("tokens")))
                .limits(ServerLimits.STANDARD.withConnections(500, 20).withGrace(Duration.ofMinutes(5)))
                .drainTime(Duration.ofSeconds(20))
                .onEvent(event -> System.getLogger("agents").log(System.Logger.Level.INFO, event));
        RunningServer running = server.start(agent::connect);
        Runtime.getRuntime().addShutdownHook(new Thread(running::close));
        // end
        return running;
    }

    static HttpServer store() {
        // recipe: store
        var server = Http.on(8443).store(StreamStore.in(Path.of("/var/lib/my-agent/streams")));
        // end
        return server;
    }

    static void servlet(ServletContext context, BearerTokens tokens, Agent agent) {
        // recipe: servlet
        var servlet = new AcpServlet(Http.on(0).tokens(tokens).allowedHosts("agents.example"), agent::connect);
        var registration = context.addServlet("acp", servlet);
        registration.addMapping("/acp");
        registration.setAsyncSupported(true);
        // end
    }

    static void gateway(BearerTokens tokens) throws IOException, InterruptedException {
        // recipe: gateway
        try (Gateway gateway = Gateway.builder(Launch.of("my-agent", "--acp"))
                        .perUser()
                        .roots(PrincipalFolders.in(Path.of("/srv/homes")))
                        .build();
                RunningServer server =
                        Http.on(8080).tokens(tokens).pages(gateway.pages()).start(gateway)) {
            server.awaitClosed();
        }
        // end
    }

    static String ask(URI endpoint) throws InterruptedException {
        // recipe: connect
        var remote = Http.to(endpoint).bearer(() -> System.getenv("AGENT_TOKEN"));
        try (var agent = Client.builder("ask", "1.0").connect(remote)) {
            return agent.newSession(Path.of("/srv")).prompt("What is 2 + 2?").text();
        }
        // end
    }
}
