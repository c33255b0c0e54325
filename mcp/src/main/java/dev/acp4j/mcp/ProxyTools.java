package dev.acp4j.mcp;

import dev.acp4j.proxy.Proxy;
import dev.acp4j.schema.McpServer;
import java.io.IOException;
import java.util.Set;
import java.util.stream.Collectors;

/** The servers of a proxy's own, which it adds to each setup of a session that passes it. */
final class ProxyTools {
    private final ToolServer.ForSession servers;
    private final PassingSessions sessions = new PassingSessions(this::prepare, new Endpoints());

    ProxyTools(ToolServer.ForSession servers) {
        this.servers = servers;
    }

    Proxy.Builder addTo(Proxy.Builder proxy) {
        return sessions.addTo(proxy);
    }

    private void prepare(PassingSessions.Setup setup) throws IOException {
        Set<String> names = setup.servers().stream()
                .map(server -> Members.of(server).text("name", ""))
                .collect(Collectors.toSet());
        for (ToolServer server : servers.servers(setup.session())) {
            McpServer.Acp declared = server.declaration();
            String name = declared.name();
            // A name that is taken stays what it is to those before the proxy.
            for (int i = 2; !names.add(name); i++) {
                name = declared.name() + "-" + i;
            }
            McpServer.Acp named = new McpServer.Acp(name, declared.serverId(), declared.rest());
            setup.servers()
                    .add(setup.serve(
                            named, server.provider(setup.session().setup().orElse(null))));
        }
    }
}
