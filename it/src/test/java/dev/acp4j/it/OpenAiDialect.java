package dev.acp4j.it;

import dev.acp4j.it.ScriptedModel.Answer;
import dev.acp4j.json.RawJson;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** The chat completions of OpenAI, streamed. */
final class OpenAiDialect implements ScriptedModel.Dialect {
    private static final String END = "[DONE]";

    private final AtomicInteger calls = new AtomicInteger();

    @Override
    public List<String> events(Answer answer) {
        List<String> events = new ArrayList<>();
        switch (answer) {
            case Answer.Say say -> {
                say.pieces().forEach(piece -> events.add(text(piece)));
                end(events, "stop");
            }
            case Answer.Call call -> {
                events.add(text(call.text()));
                events.add(call(call));
                end(events, "tool_calls");
            }
            case Answer.Stall stall -> events.add(text(stall.text()));
        }
        return events;
    }

    private static String text(String text) {
        return choice("{\"role\":\"assistant\",\"content\":" + RawJson.string(text) + "}", "null");
    }

    private String call(Answer.Call call) {
        return choice(
                """
                {"tool_calls":[{"index":0,"id":"call_%d","type":"function","function":{"name":"%s","arguments":%s}}]}\
                """.formatted(
                        calls.incrementAndGet(), call.tool(), RawJson.string(ScriptedModel.json(call.arguments()))),
                "null");
    }

    private static void end(List<String> events, String reason) {
        events.add(choice("{}", "\"" + reason + "\""));
        events.add("""
                {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[],\
                "usage":{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12}}\
                """);
        events.add(END);
    }

    private static String choice(String delta, String reason) {
        return """
                {"id":"c","object":"chat.completion.chunk","created":1,"model":"m",\
                "choices":[{"index":0,"delta":%s,"finish_reason":%s}]}\
                """.formatted(delta, reason);
    }
}
