package dev.acp4j.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import dev.acp4j.process.Launch;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.Schedule;
import dev.acp4j.rpc.Time;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A whole conductor whose component dies at any moment: each prompt is answered once and reaches the agent at most
 * once, no update comes twice or out of order, and after a restart or a bypass the next prompt works.
 */
@NullMarked
@Timeout(3600)
class SupervisionSchedulesTest {
    private static final String SUCCESSOR = "proxy/successor";
    private static final List<String> SESSIONS = List.of("s", "t", "s");

    /** The threads and the time of a chain are those of a schedule. There are no deadlines. */
    private record ScheduledClock(Schedule schedule) implements Clock {
        @Override
        public long nanoTime() {
            return schedule.nanoTime();
        }

        @Override
        public void later(long nanos, Runnable action) {}

        @Override
        public void close() {}

        @Override
        public Time time() {
            return schedule;
        }

        @Override
        public Thread start(String name, Runnable body) {
            return schedule.begin(name, body::run);
        }

        @Override
        public boolean await(CountDownLatch what, long millis) throws InterruptedException {
            schedule.pause(millis);
            return what.getCount() == 0;
        }

        @Override
        public long jitter(long bound) {
            return 0;
        }
    }

    private static void send(Transport to, String members) throws Exception {
        to.writer().write(Message.parse("{\"jsonrpc\":\"2.0\"," + members + "}"));
        to.writer().flush();
    }

    /** A proxy that passes on everything, until its wire ends. */
    private static final class Relay {
        private final Transport transport;
        private final Map<RequestId, RequestId> asked = new HashMap<>();
        private int ids;

        Relay(Transport transport) {
            this.transport = transport;
        }

        void run() throws Exception {
            try {
                for (Message read; (read = transport.reader().read()) != null; ) {
                    pass(Message.parse(String.valueOf(read.raw())));
                }
            } catch (IOException e) {
                // It dies while it writes.
            } finally {
                transport.close();
            }
        }

        private void pass(Message message) throws Exception {
            RequestId id = message.id();
            if (message.kind().isResponse()) {
                send(
                        transport,
                        "\"id\":" + asked.remove(id)
                                + (message.isError()
                                        ? ",\"error\":" + message.error()
                                        : ",\"result\":" + message.result()));
                return;
            }
            String params = String.valueOf(message.params());
            String wrapped = message.method().equals(SUCCESSOR)
                    ? params.substring(1, params.length() - 1)
                    : "\"method\":\"" + SUCCESSOR + "\",\"params\":{\"method\":\""
                            + message.method().replace("proxy/initialize", "initialize") + "\",\"params\":" + params
                            + "}";
            String own = "";
            if (id != null) {
                asked.put(RequestId.of(++ids), id);
                own = "\"id\":" + ids + ",";
            }
            send(transport, own + wrapped);
        }
    }

    /** What the agent has seen. */
    private static final class Agent {
        final List<String> prompts = Collections.synchronizedList(new ArrayList<>());
        final List<String> cancelled = Collections.synchronizedList(new ArrayList<>());
        int initialized;

        void run(Transport transport) throws Exception {
            for (Message message; (message = transport.reader().read()) != null; ) {
                String method = message.method();
                if (method.equals("initialize")) {
                    initialized++;
                    send(
                            transport,
                            "\"id\":" + message.id() + ",\"result\":{\"protocolVersion\":1,\"agentCapabilities\":{}}");
                } else if (method.equals("session/prompt")) {
                    String text = text(message.params());
                    prompts.add(text);
                    String update = "\"method\":\"session/update\",\"params\":{\"sessionId\":\"" + message.session()
                            + "\",\"update\":{\"sessionUpdate\":\"" + text + "\"}}";
                    send(transport, update);
                    for (int i = 0; i < 8; i++) {
                        // It works on it, so that the component may die meanwhile.
                        Schedule.letOthersRun();
                    }
                    send(transport, "\"id\":" + message.id() + ",\"result\":{\"stopReason\":\"" + text + "\"}");
                } else if (method.equals("session/cancel")) {
                    cancelled.add(message.session());
                }
            }
            transport.close();
        }

        private static String text(@Nullable RawJson params) {
            String all = String.valueOf(params);
            int at = all.indexOf("prompt ");
            return all.substring(at, at + "prompt 0".length());
        }
    }

    @ParameterizedTest
    @EnumSource
    @Tag("CON-13")
    void aComponentDiesAtAnyMoment(Component.OnDeath policy) {
        Schedule.explore(schedule -> death(schedule, policy));
    }

    private static void death(Schedule schedule, Component.OnDeath policy) throws Exception {
        MemoryTransport.Pair toClient = MemoryTransport.pair();
        MemoryTransport.Pair toAgent = MemoryTransport.pair();
        List<Transport> components = Collections.synchronizedList(new ArrayList<>());
        List<Thread> threads = Collections.synchronizedList(new ArrayList<>());
        Conductor conductor = Conductor.builder()
                .proxy(Component.of("c", Launch.of("none"))
                        .onDeath(policy, Component.OnDeath.FAIL)
                        .deadlines(Deadlines.NONE))
                .connector("c", () -> {
                    MemoryTransport.Pair pair = MemoryTransport.pair();
                    components.add(pair.right());
                    threads.add(schedule.begin("component", () -> new Relay(pair.right()).run()));
                    return pair.left();
                })
                .agent(toAgent::left)
                .agentDeadlines(Deadlines.NONE)
                .onNotice(notice -> {})
                .clock(new ScheduledClock(schedule))
                .build();
        RunningChain chain = conductor.start(toClient.left());
        Agent agent = new Agent();
        threads.add(schedule.begin("agent", () -> agent.run(toAgent.right())));
        Transport client = toClient.right();
        send(client, "\"id\":100,\"method\":\"initialize\",\"params\":{\"protocolVersion\":1}");
        assertThat(String.valueOf(client.reader().read())).contains("agentCapabilities");

        Thread killer = schedule.begin("killer", () -> components.get(0).close());
        Thread asking = schedule.begin("asking", () -> {
            try {
                for (int i = 0; i < SESSIONS.size(); i++) {
                    prompt(client, i);
                }
            } catch (IOException e) {
                // The chain has ended.
                assertThat(policy).isEqualTo(Component.OnDeath.FAIL);
            }
        });
        List<String> heard = new ArrayList<>();
        boolean isOpen = hear(client, heard, SESSIONS.size());
        Schedule.join(killer, asking);
        if (policy == Component.OnDeath.FAIL) {
            // The chain ends, and the client reads that.
            assertThat(isOpen && hear(client, heard, Integer.MAX_VALUE)).isFalse();
        } else {
            int before = heard.size();
            prompt(client, SESSIONS.size());
            assertThat(hear(client, heard, SESSIONS.size() + 1)).isTrue();
            assertThat(heard.subList(before, heard.size())).endsWith("update prompt 3", "answer prompt 3");
        }
        client.close();
        chain.awaitClosed();
        for (Thread thread : List.copyOf(threads)) {
            thread.join();
        }

        int last = policy == Component.OnDeath.FAIL ? 3 : 4;
        assertThat(agent.initialized).isEqualTo(1);
        assertThat(agent.prompts).doesNotHaveDuplicates();
        // Turns of others are not cancelled.
        assertThat(agent.cancelled)
                .allSatisfy(session -> assertThat(heard)
                        .anyMatch(line -> line.startsWith("error")
                                && SESSIONS.get(line.charAt(line.length() - 1) - '0')
                                        .equals(session)));
        for (int i = 0; i < last; i++) {
            String text = "prompt " + i;
            String own = "answer " + text;
            assertThat(heard.stream().filter(("update " + text)::equals).count())
                    .isLessThan(2);
            long answers = heard.stream()
                    .filter(line -> line.equals(own) || line.equals("error " + text))
                    .count();
            assertThat(answers).as(text + " in " + heard).isLessThan(2);
            assertThat(answers > 0 || policy == Component.OnDeath.FAIL)
                    .as(text + " in " + heard)
                    .isTrue();
            if (heard.contains(own)) {
                assertThat(heard).containsSubsequence("update " + text, own);
                assertThat(agent.prompts).contains(text);
            }
        }
    }

    private static void prompt(Transport client, int number) throws Exception {
        String session = number < SESSIONS.size() ? SESSIONS.get(number) : "s";
        send(
                client,
                "\"id\":" + number + ",\"method\":\"session/prompt\",\"params\":{\"sessionId\":\"" + session
                        + "\",\"prompt\":[{\"type\":\"text\",\"text\":\"prompt " + number + "\"}]}");
    }

    /** Hears until there are so many answers; returns false when the wire ends before. */
    private static boolean hear(Transport client, List<String> heard, int answers) throws Exception {
        while (heard.stream().filter(line -> !line.startsWith("update")).count() < answers) {
            Message message = client.reader().read();
            if (message == null) {
                return false;
            }
            if (message.kind().isResponse()) {
                heard.add((message.isError() ? "error prompt " : "answer prompt ") + message.id());
            } else {
                heard.add("update " + Agent.text(message.params()));
            }
        }
        return true;
    }
}
