package dev.acp4j.mcp;

import dev.acp4j.json.RawJson;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.schema.McpServer;
import java.io.IOException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The servers of a proxy's own, which it adds to each setup of a session that passes it. */
final class ProxyTools implements PassingSessions.Renewal {
    private final ToolServer.ForSession servers;

    ProxyTools(ToolServer.ForSession servers) {
        this.servers = servers;
    }

    Proxy.Builder addTo(Proxy.Builder proxy) {
        return new PassingSessions(this::prepare, new Endpoints(), this).addTo(proxy);
    }

    private void prepare(PassingSessions.Setup setup) throws IOException {
        for (var server : named(setup.servers(), setup.session()).entrySet()) {
            McpServer.Acp declared = server.getValue().declaration();
            McpServer.Acp named = new McpServer.Acp(server.getKey(), declared.serverId(), declared.rest());
            setup.servers().add(setup.serve(setup.reach().noted(named), provider(server.getValue(), setup.session())));
        }
    }

    @Override
    public Face.@Nullable Provider renew(String name, Members setup, Collection<String> added, ProxySession session) {
        Map<String, ToolServer> named = named(setup.list("mcpServers"), session);
        ToolServer server = named.get(name);
        if (server == null) {
            return null;
        }
        String declared = server.declaration().name();
        Pattern same = Pattern.compile(Pattern.quote(declared) + "(-[0-9]+)?");
        // Then another proxy of this program has added a server of the same name.
        boolean isAmbiguous = added.stream()
                .anyMatch(one -> !named.containsKey(one) && same.matcher(one).matches());
        return isAmbiguous ? null : provider(server, session);
    }

    private static Face.Provider provider(ToolServer server, ProxySession session) {
        return server.provider(session.setup().orElse(null));
    }

    /** Returns the servers of a session by their names there: one that is taken stays what it is to those before us. */
    private Map<String, ToolServer> named(List<RawJson> others, ProxySession session) {
        Set<String> names = others.stream()
                .map(server -> Members.of(server).text("name", ""))
                .collect(Collectors.toSet());
        Map<String, ToolServer> named = new LinkedHashMap<>();
        for (ToolServer server : servers.servers(session)) {
            String declared = server.declaration().name();
            String name = declared;
            for (int i = 2; !names.add(name); i++) {
                name = declared + "-" + i;
            }
            named.put(name, server);
        }
        return named;
    }
}
