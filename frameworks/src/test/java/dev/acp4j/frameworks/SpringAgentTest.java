package dev.acp4j.frameworks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Client;
import dev.acp4j.json.RawJson;
import dev.acp4j.process.Launch;
import dev.acp4j.rpc.Problem;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Starts the application in a process of its own and speaks with it, as an editor does. */
@Timeout(120)
class SpringAgentTest {
    @TempDir
    Path folder;

    @Test
    void theBannerAndTheLogStayOutOfTheProtocol() throws Exception {
        List<String> log = new CopyOnWriteArrayList<>();
        CountDownLatch isLogged = new CountDownLatch(1);
        List<Problem> problems = new CopyOnWriteArrayList<>();
        String java = ProcessHandle.current().info().command().orElse("java");
        Launch launch = Launch.of(
                        java,
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        SpringAgent.class.getName())
                .onStderr(line -> {
                    log.add(line);
                    if (line.contains(" WARN ") && line.contains("dev.acp4j.Agent")) {
                        isLogged.countDown();
                    }
                });

        try (var agent = Client.builder("test", "1.0").onProblem(problems::add).connect(launch);
                var session = agent.newSession(folder)) {
            assertThat(session.prompt("hello").text()).isEqualTo("Spring says: hello");

            agent.send("session/cancel", RawJson.parse("{}")); // which lacks the session
            isLogged.await();
        }

        assertThat(problems).isEmpty();
        assertThat(log)
                .anySatisfy(line -> assertThat(line).contains(":: Spring Boot ::"))
                .anySatisfy(line -> assertThat(line).contains("Started SpringAgent"));
    }
}
