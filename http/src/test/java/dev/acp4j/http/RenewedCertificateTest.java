package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.testkit.TestAgent;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server whose certificate is replaced while it runs. */
@Timeout(120)
class RenewedCertificateTest {
    @TempDir
    private Path folder;

    private int changes;

    private void replace(String name, Path by) throws Exception {
        Path file = folder.resolve(name);
        Files.copy(by, file, StandardCopyOption.REPLACE_EXISTING);
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().plusSeconds(10 + changes++)));
    }

    private static Certificate shown(RunningServer server, KeyStore trusted) throws Exception {
        try (HttpClient client = HttpClient.newBuilder()
                .sslContext(Certificates.trusting(trusted, null))
                .build()) {
            HttpResponse<String> answer =
                    client.send(HttpRequest.newBuilder(server.uri()).build(), HttpResponse.BodyHandlers.ofString());
            return answer.sslSession().orElseThrow().getPeerCertificates()[0];
        }
    }

    @Test
    @Tag("HST-20")
    void newConnectionsGetTheNewCertificateOnceItsKeyIsThereAndOpenStreamsStay() throws Exception {
        LinkedBlockingQueue<ServerEvent> events = new LinkedBlockingQueue<>();
        KeyStore first = Certificates.make(folder, "first");
        KeyStore second = Certificates.make(folder, "second");
        KeyStore both = Certificates.authority(first, "first");
        both.setCertificateEntry("second", second.getCertificate("second"));
        Path certificate = Files.copy(folder.resolve("first.pem"), folder.resolve("server.pem"));
        Path key = Files.copy(folder.resolve("first-key.pem"), folder.resolve("server-key.pem"));
        try (RunningServer server = Http.on(0)
                        .tls(Tls.pem(certificate, key))
                        .drainTime(Duration.ZERO)
                        .onEvent(events::add)
                        .start(TestAgent.create()::connect);
                RawClient client = new RawClient(
                        server.uri(),
                        HttpClient.Version.HTTP_2,
                        server.token().orElseThrow(),
                        Certificates.trusting(both, null))) {
            client.initialize();
            RawClient.Events stream = client.stream();
            replace("server.pem", folder.resolve("second.pem"));
            server.tick();
            Certificate half = shown(server, both);
            replace("server-key.pem", folder.resolve("second-key.pem"));
            server.tick();
            Certificate whole = shown(server, both);
            client.post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/new\","
                    + "\"params\":{\"cwd\":\"/tmp\",\"mcpServers\":[]}}");

            assertThat(half).isEqualTo(first.getCertificate("first"));
            assertThat(events)
                    .anyMatch(event -> event instanceof ServerEvent.CertificateKept kept
                            && kept.problem().contains("server-key.pem"));
            assertThat(whole).isEqualTo(second.getCertificate("second"));
            assertThat(stream.data()).contains("test-1");
        }
    }
}
