package dev.acp4j.cli;

import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * An agent that puts {@link Hostile} text wherever the protocol has text. It writes its messages itself, since a
 * library might clean them. The first word of a prompt says how it ends.
 */
public final class HostileAgent {
    private static final String RAW = Hostile.raw();
    private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    private static final PrintStream ERR = new PrintStream(System.err, true, StandardCharsets.UTF_8);
    private static final String COMMAND = "{'name':'cmd','description':RAW,'input':{'hint':RAW}}";

    private HostileAgent() {}

    /** Serves on standard input and output. */
    public static void main(String[] args) throws IOException {
        ERR.println(RAW);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String line;
        while ((line = in.readLine()) != null) {
            JsonObject message = (JsonObject) RawJson.parse(line).value();
            String method = text(message, "method");
            String id = message.get("id").map(JsonValue::toString).orElse("null");
            switch (method) {
                case "initialize" -> answer(id, """
                            'protocolVersion':1,'agentInfo':{'name':RAW,'title':RAW,'version':RAW},
                            'authMethods':[{'id':RAW,'name':RAW,'description':RAW}],'agentCapabilities':{}""");
                case "session/new" -> {
                    if (args.length > 0) {
                        error(id, -32000);
                    } else {
                        answer(id, """
                                'sessionId':RAW,'modes':{'currentModeId':RAW,'availableModes':
                                [{'id':RAW,'name':RAW,'description':RAW},{'id':'plain','name':RAW}]},
                                'configOptions':[{'id':RAW,'name':RAW,'type':'select','currentValue':RAW,
                                'options':[{'value':RAW,'name':RAW},{'value':'v','name':RAW}]}]""");
                        update("'sessionUpdate':'available_commands_update','availableCommands':[" + COMMAND + ","
                                + COMMAND.replace("'cmd'", "RAW") + "]");
                    }
                }
                case "session/prompt" -> prompt(in, id, words(message));
                default -> {
                    if (!id.equals("null")) {
                        error(id, -32601);
                    }
                }
            }
        }
    }

    private static void prompt(BufferedReader in, String id, String how) throws IOException {
        switch (how.split(" ", 2)[0]) {
            case "error" -> error(id, -32603);
            case "die" -> Runtime.getRuntime().halt(9);
            case "noise" -> {
                OUT.println(RAW);
                answer(id, "'stopReason':'end_turn'");
            }
            case "bad" -> answer(id, "'stopReason':{RAW:RAW}");
            case "stop" -> answer(id, "'stopReason':RAW");
            case "form" -> {
                form(in);
                answer(id, "'stopReason':'end_turn'");
            }
            default -> {
                updates();
                ask(in);
                answer(id, "'stopReason':'end_turn'");
            }
        }
    }

    private static void updates() {
        update("'sessionUpdate':'agent_thought_chunk','content':{'type':'text','text':RAW}");
        update("'sessionUpdate':'agent_message_chunk','content':{'type':'text','text':RAW}");
        update("'sessionUpdate':'agent_message_chunk','content':{'type':'resource_link','name':RAW,'uri':RAW}");
        update("'sessionUpdate':'agent_message_chunk','content':{'type':'image','mimeType':RAW,'data':''}");
        update("'sessionUpdate':'agent_message_chunk','content':{'type':'resource','resource':{'uri':RAW,'text':RAW}}");
        update("'sessionUpdate':'plan','entries':[{'content':RAW,'priority':'high','status':'pending'}]");
        update("'sessionUpdate':'current_mode_update','currentModeId':RAW");
        update("'sessionUpdate':'session_info_update','title':RAW");
        update("'sessionUpdate':'usage_update','used':1,'size':2,'cost':{'amount':1,'currency':RAW}");
        update("'sessionUpdate':RAW,'member':RAW");
        toolCall("tool_call", "pending");
        toolCall("tool_call_update", "in_progress");
        toolCall("tool_call_update", "completed");
        update("'sessionUpdate':'tool_call','toolCallId':'f','title':RAW,'kind':RAW,'status':'failed',"
                + "'content':[{'type':RAW}]");
        update("'sessionUpdate':'agent_message_chunk','messageId':'md','content':{'type':'text','text':MARKDOWN}");
        update("'sessionUpdate':'agent_thought_chunk','content':{'type':'text','text':MARKDOWN}");
    }

    private static void toolCall(String kind, String status) {
        update("'sessionUpdate':'" + kind + "','toolCallId':RAW,'title':RAW,'kind':'edit','status':'" + status
                + "','locations':[{'path':RAW}],'content':[{'type':'content','content':{'type':'text','text':RAW}},"
                + "{'type':'diff','path':RAW,'oldText':RAW,'newText':'new RAW'},{'type':'terminal','terminalId':RAW}],"
                + "'rawInput':{RAW:RAW}");
    }

    private static void ask(BufferedReader in) throws IOException {
        send("'id':RAW,'method':'session/request_permission','params':{'sessionId':RAW,'toolCall':{'toolCallId':RAW,"
                + "'title':RAW,'content':[{'type':'content','content':{'type':'text','text':MARKDOWN}}]},'options':["
                + "{'optionId':RAW,'name':RAW,'kind':'allow_once'},{'optionId':'o','name':RAW,'kind':RAW},"
                + "{'optionId':'n','name':RAW,'kind':'reject_once'}]}");
        awaitAnswer(in);
    }

    private static void form(BufferedReader in) throws IOException {
        send("'id':RAW,'method':'elicitation/create','params':{'sessionId':RAW,'mode':'form','message':RAW,"
                + "'requestedSchema':{'type':'object','title':RAW,'description':MARKDOWN,'properties':{"
                + "RAW:{'type':'string','title':RAW,'description':RAW,'default':RAW,'pattern':RAW,'format':RAW},"
                + "'c':{'type':'string','title':MARKDOWN,'oneOf':[{'const':RAW,'title':RAW,'description':RAW},"
                + "{'const':'v','title':MARKDOWN}],'default':RAW},"
                + "'n':{'type':'number','title':RAW},'o':{'type':RAW,'title':RAW}},'required':['c']}}");
        awaitAnswer(in);
    }

    private static void awaitAnswer(BufferedReader in) throws IOException {
        String line;
        while ((line = in.readLine()) != null && line.contains("\"method\"")) {
            // Not the answer.
        }
    }

    private static void update(String members) {
        send("'method':'session/update','params':{'sessionId':RAW,'update':{" + members + "}}");
    }

    private static void answer(String id, String members) {
        send("'id':" + id + ",'result':{" + members + "}");
    }

    private static void error(String id, int code) {
        send("'id':" + id + ",'error':{'code':" + code + ",'message':RAW,'data':{'details':RAW}}");
    }

    private static void send(String members) {
        String message = "{\"jsonrpc\":\"2.0\"," + members.replace("\n", "").replace('\'', '"') + "}";
        OUT.println(message.replace("\"new RAW\"", quoted("new " + RAW))
                .replace("MARKDOWN", quoted(Hostile.markdown()))
                .replace("RAW", quoted(RAW)));
    }

    private static String quoted(String text) {
        JsonWriter json = new JsonWriter();
        json.string(text);
        return json.toRawJson().toString();
    }

    private static String words(JsonObject message) {
        JsonObject params = (JsonObject) message.get("params").orElseThrow();
        JsonArray prompt = (JsonArray) params.get("prompt").orElseThrow();
        return text((JsonObject) prompt.elements().getFirst(), "text");
    }

    private static String text(JsonObject object, String name) {
        return object.get(name)
                .map(value -> value instanceof JsonString string ? string.value() : "")
                .orElse("");
    }
}
