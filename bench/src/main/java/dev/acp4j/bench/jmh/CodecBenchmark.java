package dev.acp4j.bench.jmh;

import dev.acp4j.json.Codec;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.PromptRequest;
import dev.acp4j.schema.SessionNotification;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** From JSON to records and back. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CodecBenchmark {
    private final Codec<SessionNotification> updates = ClientMethods.UPDATE.params();
    private final Codec<PromptRequest> prompts = AgentMethods.PROMPT.params();

    private final RawJson chunkJson = RawJson.parse("{\"sessionId\":\"s1\",\"update\":{\"sessionUpdate\":"
            + "\"agent_message_chunk\",\"content\":{\"type\":\"text\","
            + "\"text\":\"The quick brown fox jumps over the lazy dog again.\"}}}");
    private final RawJson toolCallJson =
            RawJson.parse("{\"sessionId\":\"s1\",\"update\":{\"sessionUpdate\":\"tool_call\","
                    + "\"toolCallId\":\"call-1\",\"title\":\"Edit Main.java\",\"kind\":\"edit\",\"status\":\"in_progress\","
                    + "\"locations\":[{\"path\":\"/home/src/Main.java\",\"line\":12}],\"content\":[{\"type\":\"diff\","
                    + "\"path\":\"/home/src/Main.java\",\"oldText\":\"int a = 1;\\n\",\"newText\":\"int a = 2;\\n\"}],"
                    + "\"rawInput\":{\"path\":\"/home/src/Main.java\",\"edits\":[{\"from\":1,\"to\":2}]}}}");
    private final RawJson promptJson = RawJson.parse("{\"sessionId\":\"s1\",\"prompt\":[{\"type\":\"text\",\"text\":\""
            + "A line of a file.\\n".repeat(55_000) + "\"}]}");

    private final SessionNotification chunk = chunkJson.decode(updates);
    private final SessionNotification toolCall = toolCallJson.decode(updates);
    private final PromptRequest prompt = promptJson.decode(prompts);

    /** A piece of a message of fifty characters. */
    @Benchmark
    public Object decodeAChunk() {
        return chunkJson.decode(updates);
    }

    /** The same, written. */
    @Benchmark
    public Object encodeAChunk() {
        return RawJson.encode(chunk, updates);
    }

    /** A tool call with a diff. */
    @Benchmark
    public Object decodeAToolCall() {
        return toolCallJson.decode(updates);
    }

    /** The same, written. */
    @Benchmark
    public Object encodeAToolCall() {
        return RawJson.encode(toolCall, updates);
    }

    /** A prompt of a megabyte. */
    @Benchmark
    public Object decodeAMegabyte() {
        return promptJson.decode(prompts);
    }

    /** The same, written. */
    @Benchmark
    public Object encodeAMegabyte() {
        return RawJson.encode(prompt, prompts);
    }
}
