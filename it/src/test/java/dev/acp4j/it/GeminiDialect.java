package dev.acp4j.it;

import dev.acp4j.it.ScriptedModel.Answer;
import dev.acp4j.json.RawJson;
import java.util.ArrayList;
import java.util.List;

/** {@code streamGenerateContent} of the Gemini API. */
final class GeminiDialect implements ScriptedModel.Dialect {
    private static final String GOES_ON = "";
    private static final String STOP = ",\"finishReason\":\"STOP\"";

    @Override
    public List<String> events(Answer answer) {
        List<String> events = new ArrayList<>();
        switch (answer) {
            case Answer.Say say -> {
                say.pieces().forEach(piece -> events.add(text(piece)));
                events.add(part("{\"text\":\"\"}", STOP));
            }
            case Answer.Call call -> {
                events.add(text(call.text()));
                events.add(part(
                        "{\"functionCall\":{\"name\":\"%s\",\"args\":%s}}"
                                .formatted(call.tool(), ScriptedModel.json(call.arguments())),
                        STOP));
            }
            case Answer.Stall stall -> events.add(text(stall.text()));
        }
        return events;
    }

    private static String text(String text) {
        return part("{\"text\":" + RawJson.string(text) + "}", GOES_ON);
    }

    private static String part(String part, String end) {
        return """
                {"candidates":[{"index":0,"content":{"role":"model","parts":[%s]}%s}],"modelVersion":"m",\
                "usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":2,"totalTokenCount":12}}\
                """.formatted(part, end);
    }
}
