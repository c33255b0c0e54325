package dev.acp4j.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A component that is {@code @Nullable} may be absent, whether the class of the annotation is there or not. */
@Timeout(120)
class OptionalArgumentsTest {
    private static final String REQUESTS = """
            {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},\
            "clientInfo":{"name":"x","version":"1"}}}
            {"jsonrpc":"2.0","id":2,"method":"tools/list"}
            {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"search",\
            "arguments":{"words":"retry","folders":[],"inner":{"id":1}}}}
            """;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("MCX-31")
    void whatIsNullableMayBeAbsent(boolean withAnnotation) throws Exception {
        List<String> lines = output(withAnnotation).lines().sorted().toList();

        assertThat(lines).hasSize(3);
        assertThat(lines.get(0)).contains("\"version\":\"" + (withAnnotation ? "with" : "without") + "\"");
        assertThat(lines.get(1)).contains("\"required\":[\"id\"]", "\"required\":[\"words\",\"folders\"]");
        assertThat(lines.get(2)).contains("retry null Inner[id=1, note=null]").doesNotContain("isError");
    }

    private static String output(boolean withAnnotation) throws IOException, InterruptedException {
        String path = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> withAnnotation || !entry.contains("jspecify"))
                .collect(Collectors.joining(File.pathSeparator));
        Process program = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        path,
                        OptionalArgumentsProgram.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (OutputStream in = program.getOutputStream()) {
            in.write(REQUESTS.getBytes(StandardCharsets.UTF_8));
        }
        String said = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        program.waitFor();
        return said;
    }
}
