package dev.acp4j.agent;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.StreamTransport;
import java.io.IOException;
import java.util.Objects;

/** An MCP server with a tool and a prompt, on standard input and output, which logs a lot at each call. */
final class ToolServer {
    private ToolServer() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        StreamTransport streams = StreamTransport.of(System.in, System.out);
        for (Message message = streams.reader().read();
                message != null;
                message = streams.reader().read()) {
            if (message.kind() == Message.Kind.REQUEST) {
                if (message.method().equals("tools/call")) {
                    for (int i = 0; i < 30; i++) {
                        String cloud = "cloud " + i + (i == 1 ? "x".repeat(992) + "😀😀" : "");
                        RawJson log =
                                RawJson.parse("{\"level\":\"error\",\"logger\":\"sky\",\"data\":\"" + cloud + "\"}");
                        streams.writer().write(Message.notification("notifications/message", log));
                    }
                }
                RawJson answer = RawJson.parse(answer(message.method()).replace('\'', '"'));
                streams.writer().write(Message.result(Objects.requireNonNull(message.id()), answer));
                streams.writer().flush();
            }
        }
    }

    private static String answer(String method) {
        return switch (method) {
            case "initialize" ->
                "{'protocolVersion':'2025-11-25','capabilities':{'tools':{},'prompts':{},'logging':{}},"
                        + "'serverInfo':{'name':'weather','version':'1'}}";
            case "tools/list" ->
                "{'tools':[{'name':'forecast','description':'Tells the weather','inputSchema':{'type':'object',"
                        + "'properties':{'city':{'type':'string'}},'required':['city']}}]}";
            case "tools/call" -> "{'content':[{'type':'text','text':'rain'}]}";
            case "prompts/list" -> "{'prompts':[{'name':'ask','description':'Asks','arguments':[{'name':'what'}]}]}";
            case "prompts/get" ->
                "{'messages':[{'role':'user','content':{'type':'text','text':'Where is RainGauge?'}}]}";
            default -> "{}";
        };
    }
}
