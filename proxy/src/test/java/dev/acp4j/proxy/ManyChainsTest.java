package dev.acp4j.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.process.Launch;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Transport;
import dev.acp4j.tap.Poll;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Chains that end, one after another, with programs that have children. */
@Timeout(300)
@EnabledOnOs({OS.LINUX, OS.MAC})
class ManyChainsTest {
    /** More by {@code -Dacp4j.chains=200}. */
    private static final int CHAINS = Integer.getInteger("acp4j.chains", 24);

    /** What the programs of this test have in their command lines. */
    private static final String MARK = "many-chains-" + ProcessHandle.current().pid();

    /** A shell that starts a program which reads until the end of its input, as wrappers do. */
    private static Launch wrapper() {
        return Launch.of("sh", "-c", "grep " + MARK + "; : " + MARK);
    }

    private static boolean isOurs(ProcessHandle process) {
        return process.info().commandLine().orElse("").contains(MARK);
    }

    /** Has a chain begin and end: by its client, by its owner, or in a hurry. */
    @SuppressWarnings("try") // How it is closed is what is tested.
    private static Void chain(int number) throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        Conductor.Builder conductor = Conductor.builder().agent(wrapper()).onNotice(unused -> {});
        for (int i = 0; i < 4; i++) {
            conductor.proxy(Component.of("wrapper" + i, wrapper()));
        }
        try (RunningChain chain = conductor.build().start(pair.left());
                Transport client = pair.right()) {
            assertThat(chain.status()).allMatch(one -> one.pid().isPresent());
            switch (number % 3) {
                case 0 -> {
                    client.close();
                    chain.awaitClosed();
                }
                case 1 -> chain.close();
                default -> chain.close(Duration.ZERO);
            }
        }
        return null;
    }

    @Test
    @Tag("CON-20")
    void noneOfTheProgramsOfManyChainsIsLeft() throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Future<Void>> chains = IntStream.range(0, CHAINS)
                    .mapToObj(number -> threads.submit(() -> chain(number)))
                    .toList();
            for (Future<Void> chain : chains) {
                chain.get();
            }
        }

        assertThat(Poll.until(() -> ProcessHandle.allProcesses().noneMatch(ManyChainsTest::isOurs)))
                .isTrue();
    }
}
