package dev.acp4j.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class SecretsTest {
    private static final String SECRET = "s3cr3t";

    @Test
    void textOfAnMcpServerHasNoValuesOfItsEnvironment() {
        McpServer server =
                McpServer.Stdio.of("files", "/bin/files", List.of("--stdio"), List.of(EnvVariable.of("KEY", SECRET)));

        assertThat(server.toString()).contains("files", "KEY").doesNotContain(SECRET);
    }

    @Test
    void textOfAnMcpServerHasNoValuesOfItsHeaders() {
        List<HttpHeader> headers = List.of(HttpHeader.of("Authorization", SECRET));

        assertThat(McpServer.Http.of("web", "https://example.com", headers).toString())
                .contains("Authorization")
                .doesNotContain(SECRET);
        assertThat(McpServer.Sse.of("web", "https://example.com", headers).toString())
                .contains("Authorization")
                .doesNotContain(SECRET);
    }

    @Test
    void textOfAProviderHasNoValuesOfItsHeaders() {
        SetProviderRequest request = SetProviderRequest.builder(
                        ProviderId.of("main"), LlmProtocol.OPENAI, "https://example.com")
                .headers(Map.of("Authorization", SECRET))
                .build();

        assertThat(request.toString()).contains("main", "Authorization").doesNotContain(SECRET);
    }

    @Test
    void textOfAProviderHasNoUserAndNoQueryOfItsAddress() {
        String address = "https://ada:" + SECRET + "@example.com/v1?api_key=" + SECRET + "#" + SECRET;

        assertThat(ProviderCurrentConfig.of(LlmProtocol.OPENAI, address).toString())
                .contains("example.com/v1")
                .doesNotContain(SECRET);
        assertThat(SetProviderRequest.builder(ProviderId.of("main"), LlmProtocol.OPENAI, address)
                        .build()
                        .toString())
                .contains("example.com/v1")
                .doesNotContain(SECRET);
    }

    @Test
    void textOfAnUnknownMcpServerHasOnlyItsType() {
        RawJson json = RawJson.parse("{\"type\":\"pipe\",\"token\":\"" + SECRET + "\"}");

        McpServer server = json.decode(McpServerCodec.INSTANCE);

        assertThat(server.toString()).contains("pipe").doesNotContain(SECRET);
    }

    @Test
    void textOfARequestHasNoValuesOfItsMcpServers() {
        McpServer server = McpServer.Stdio.of("files", "/bin/files", List.of(), List.of(EnvVariable.of("KEY", SECRET)));

        NewSessionRequest request =
                NewSessionRequest.builder("/work", List.of(server)).build();

        assertThat(request.toString()).contains("/work").doesNotContain(SECRET);
    }

    @Test
    void textOfATerminalLoginHasNoValuesOfItsEnvironment() {
        AuthMethod method = AuthMethod.Terminal.builder(AuthMethodId.of("login"), "Log in")
                .env(List.of(EnvVariable.of("TOKEN", SECRET)))
                .build();

        assertThat(method.toString()).contains("login", "TOKEN").doesNotContain(SECRET);
    }

    @Test
    void textOfAnUnknownWayToAuthenticateHasOnlyItsType() {
        RawJson json = RawJson.parse("{\"type\":\"env_var\",\"value\":\"" + SECRET + "\"}");

        AuthMethod method = json.decode(AuthMethodCodec.INSTANCE);

        assertThat(method.toString()).contains("env_var").doesNotContain(SECRET);
    }
}
