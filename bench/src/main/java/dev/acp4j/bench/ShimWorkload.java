package dev.acp4j.bench;

import dev.acp4j.mcp.OfferedServer;
import dev.acp4j.mcp.ToolServer;
import dev.acp4j.schema.EnvVariable;
import dev.acp4j.schema.McpServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The program that an agent starts to reach a server of its client, from its start to the first answer.
 *
 * @param floor answers by itself
 */
record ShimWorkload(Scale scale, Subject floor) implements Workload {
    private static final byte[] PING =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n".getBytes(StandardCharsets.UTF_8);
    private static final byte[] RESULT = "\"result\"".getBytes(StandardCharsets.UTF_8);

    @Override
    public String name() {
        return "MCP shim";
    }

    @Override
    public List<Subject> subjects() {
        return List.of(floor, new Subject(Subject.ACP4J, List.of("env")));
    }

    @Override
    public int rounds() {
        return scale.starts();
    }

    @Override
    public void measure(Subject subject, Sheet sheet) throws Exception {
        ToolServer server = ToolServer.builder("hello", "1")
                .tool("say", "Says it", call -> "said")
                .build();
        try (OfferedServer offered = server.offer(OfferedServer.Way.PROGRAM);
                Child shim = new Child(
                        subject.equals(floor) ? floor.command() : subject.with(command(offered)), scale.patience())) {
            shim.write(PING);
            shim.next();
            if (!shim.has(RESULT)) {
                throw new IOException("the answer is " + shim.text());
            }
            sheet.write("to the first answer, ms", (System.nanoTime() - shim.started) / 1e6);
            sheet.write("peak memory, MiB", ProcessFigures.peakMebibytes(shim.pid()));
            if (!subject.equals(floor)) {
                long ending = System.nanoTime();
                shim.finish();
                sheet.write("from the end of input to exit, ms", (System.nanoTime() - ending) / 1e6);
            }
        }
    }

    /** Returns what the program {@code env} starts; it becomes the program that is measured. */
    private static List<String> command(OfferedServer offered) {
        McpServer.Stdio declared = (McpServer.Stdio) offered.declaration();
        List<String> command = new ArrayList<>();
        for (EnvVariable variable : declared.env()) {
            command.add(variable.name() + "=" + variable.value());
        }
        command.add(declared.command());
        command.addAll(declared.args());
        return command;
    }
}
