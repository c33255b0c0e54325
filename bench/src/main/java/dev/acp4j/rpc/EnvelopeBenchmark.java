package dev.acp4j.rpc;

import dev.acp4j.json.RawJson;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullMarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** The one pass over a message. Here, in the package of what it measures, since that is nobody's business but rpc's. */
@NullMarked
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class EnvelopeBenchmark {
    private final MessageParser parser = new MessageParser();
    private final RawJson update = RawJson.parse("{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":"
            + "{\"sessionId\":\"s1\",\"update\":{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\","
            + "\"text\":\"The quick brown fox jumps over the lazy dog again.\"}}}}");
    private final RawJson large = RawJson.parse(
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/prompt\",\"params\":{\"sessionId\":\"s1\",\"prompt\":[{"
                    + "\"type\":\"text\",\"text\":\"" + "A line of a file.\\n".repeat(55_000) + "\"}]}}");

    /** A small update. */
    @Benchmark
    public Object scanOfAnUpdate() {
        return parser.parse(update);
    }

    /** A prompt of a megabyte. */
    @Benchmark
    public Object scanOfAMegabyte() {
        return parser.parse(large);
    }
}
