package dev.acp4j.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.process.Launch;
import dev.acp4j.proxy.Component;
import dev.acp4j.proxy.Conductor;
import dev.acp4j.proxy.RunningChain;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Transport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tools of a proxy that is a program, and is started again while sessions are open. */
class RestartedProxyTest extends McpSession {
    private final LinkedBlockingQueue<String> notices = new LinkedBlockingQueue<>();
    private @Nullable RunningChain chain;
    private @Nullable Transport agentSide;

    private Conductor conductor(Component.OnDeath policy) {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Launch program = Launch.of(
                java,
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                ToolProxyProgram.class.getName());
        return Conductor.builder()
                .proxy(Component.of("tools", program).onDeath(policy))
                .agent(() -> Objects.requireNonNull(agentSide))
                .onNotice(notices::add)
                .build();
    }

    private Transport chained(Transport agent, Component.OnDeath policy) {
        agentSide = agent;
        MemoryTransport.Pair pair = MemoryTransport.pair();
        try {
            chain = closing(conductor(policy).start(pair.left()));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        return pair.right();
    }

    private void awaitNotice(String words) throws InterruptedException {
        String notice = notices.take();
        while (!notice.contains(words)) {
            notice = notices.take();
        }
    }

    @Tag("CON-15")
    @Tag("CON-21")
    @Test
    void toolsOfOpenSessionsAreServedAgainUnderTheSameIds() throws Exception {
        ConnectedAgent agent = connect(
                McpServers.builder().acp().required().asks(tool -> false).patience(Duration.ofSeconds(50)),
                client.builder(),
                transport -> chained(transport, Component.OnDeath.RESTART));
        RunningChain running = Objects.requireNonNull(chain);
        List<Session> sessions = new ArrayList<>(List.of(agent.newSession(with()), agent.newSession(with())));
        String first = say(sessions.get(0), "call own.pid");
        assertThat(first).endsWith(folder.toString());
        assertThat(say(sessions.get(1), "call own.pid")).isEqualTo(first);

        long pid = running.status().get(0).pid().orElseThrow();
        assertThat(ProcessHandle.of(pid).orElseThrow().destroyForcibly()).isTrue();
        awaitNotice("started again");

        String second = say(sessions.get(0), "call own.pid");
        assertThat(second).endsWith(folder.toString()).isNotEqualTo(first);
        assertThat(say(sessions.get(1), "call own.pid")).isEqualTo(second);

        running.reload(conductor(Component.OnDeath.RESTART));

        assertThat(say(sessions.get(0), "call own.pid"))
                .endsWith(folder.toString())
                .isNotEqualTo(second);
    }

    @Tag("CON-16")
    @Test
    void toolsOfAProxyThatIsLeftOutAreGoneAndThoseOfTheClientStay() throws Exception {
        ToolServer tools = ToolServer.builder("mine", "1")
                .tool("greet", "Greets", call -> "Hello!")
                .build();
        ConnectedAgent agent = connect(
                McpServers.builder().acp().required().asks(tool -> false).patience(Duration.ofSeconds(50)),
                ToolServer.addTo(client.builder(), tools),
                transport -> chained(transport, Component.OnDeath.BYPASS));
        Session session = agent.newSession(with(tools.declaration()));
        assertThat(say(session, "call own.pid")).endsWith(folder.toString());

        long pid = Objects.requireNonNull(chain).status().get(0).pid().orElseThrow();
        assertThat(ProcessHandle.of(pid).orElseThrow().destroyForcibly()).isTrue();
        awaitNotice("left out");

        assertThat(say(session, "call own.pid")).startsWith("error: ").contains("there is no MCP server own-");
        assertThat(wire()).anyMatch(line -> line.contains("-33001"));
        assertThat(say(session, "call mine.greet")).isEqualTo("Hello!");
        assertThat(say(agent.newSession(with(tools.declaration())), "tools")).isEqualTo("mine__greet");
    }
}
