package dev.acp4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.Session;
import dev.acp4j.Turn;
import dev.acp4j.it.ForeignAgent.Way;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.Version;
import dev.acp4j.testkit.LeakRule;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Our client's connections to a server of the official TypeScript SDK are cut. The server cannot resume: the client
 * makes a new connection and opens its sessions again, and what ran is of unknown outcome.
 */
@Timeout(300)
@Tag("TST-08")
@ExtendWith(LeakRule.class)
class CutTypeScriptAgentTest {
    private static final String HUNDRED =
            IntStream.range(0, 100).mapToObj(i -> i + " ").collect(Collectors.joining());

    @RegisterExtension
    final ForeignAgent peer = new ForeignAgent();

    @TempDir
    Path folder;

    static List<Object[]> waysAndVersions() {
        return CutTypeScriptClientTest.waysAndVersions();
    }

    private ConnectedAgent connect(Way way, Version version, Client.Builder client) throws Exception {
        boolean isFirst = version == Version.V1;
        ConnectedAgent agent = peer.connect(
                client.protocol(version),
                way,
                isFirst ? "every-agent.mjs" : "every-agent-v2.mjs",
                isFirst ? NodePrograms.SDK : NodePrograms.SDK_V2);
        agent.authenticate(AuthMethodId.of("token"));
        return agent;
    }

    @ParameterizedTest
    @MethodSource("waysAndVersions")
    @Tag("DUR-27")
    void aCutInATurnIsReportedAndTheSessionIsOpenedAgain(Way way, Version version) throws Exception {
        Client.Builder client = Client.builder("acp4j-it", "1").onPermission(PermissionQuestion::allowOnce);
        try (ConnectedAgent agent = connect(way, version, client)) {
            Session session = agent.newSession(folder);
            Turn lost = session.prompt("cut");

            assertThatThrownBy(lost::result).isInstanceOf(RpcException.class);
            assertThat(session.prompt("permission").result().stopReason()).isEqualTo(StopReason.END_TURN);
            assertThat(session.prompt("prompts").text()).isEqualTo("cut permission prompts");
            peer.end(agent);
        }
    }

    @ParameterizedTest
    @MethodSource("waysAndVersions")
    @Tag("DUR-27")
    void anOpenQuestionIsWithdrawnByACutAndItsTurnNotBegunAgain(Way way, Version version) throws Exception {
        AtomicReference<@Nullable Session> other = new AtomicReference<>();
        LinkedBlockingQueue<String> asked = new LinkedBlockingQueue<>();
        Client.Builder client = Client.builder("acp4j-it", "1").onPermission(question -> {
            asked.add(question.title());
            Session cutting = other.getAndSet(null);
            if (cutting != null) {
                assertThatThrownBy(cutting.prompt("cut")::result).isInstanceOf(RpcException.class);
            }
            return question.allowOnce();
        });
        try (ConnectedAgent agent = connect(way, version, client)) {
            Session session = agent.newSession(folder);
            other.set(agent.newSession(folder));
            Turn lost = session.prompt("permission");

            assertThatThrownBy(lost::result).isInstanceOf(RpcException.class);
            assertThat(session.prompt("permission").result().stopReason()).isEqualTo(StopReason.END_TURN);
            assertThat(asked).hasSize(2);
            assertThat(session.prompt("prompts").text()).isEqualTo("permission cut permission prompts");
            peer.end(agent);
        }
    }

    @ParameterizedTest
    @MethodSource("waysAndVersions")
    @Tag("DUR-27")
    void whereverItIsCutEachTurnIsWholeOrReportedAndNoneRunsTwice(Way way, Version version) throws Exception {
        int turns = 30;
        int whole = 0;
        Client.Builder client = Client.builder("acp4j-it", "1").onPermission(PermissionQuestion::allowOnce);
        try (ConnectedAgent agent = connect(way, version, client)) {
            Session session = agent.newSession(folder);
            assertThat(session.prompt("keep-cutting").text()).isEqualTo("cuts 0");
            for (int i = 0; i < turns; i++) {
                whole += isWhole(session.prompt("count")) ? 1 : 0;
            }
            String cuts = stop(session);
            String prompts = session.prompt("prompts").text();

            assertThat(cuts).startsWith("cuts ").isNotEqualTo("cuts 0");
            int ran = prompts.split("count", -1).length - 1;
            assertThat(ran).as("%s of %s, %s", prompts, turns, cuts).isBetween(whole, turns);
            assertThat(whole).as(cuts).isPositive().isLessThan(turns);
            peer.end(agent);
        }
    }

    private static boolean isWhole(Turn turn) throws InterruptedException {
        try {
            assertThat(turn.text()).isEqualTo(HUNDRED);
            return true;
        } catch (RpcException e) {
            return false;
        }
    }

    /** Says so until it has been heard: this turn may be cut, too. */
    private static String stop(Session session) throws InterruptedException {
        while (true) {
            try {
                return session.prompt("stop-cutting").text();
            } catch (RpcException e) {
                // The next one finds a new connection.
            }
        }
    }
}
