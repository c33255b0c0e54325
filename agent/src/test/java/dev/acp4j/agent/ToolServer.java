package dev.acp4j.agent;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.StreamTransport;
import java.io.IOException;
import java.util.Objects;

/** An MCP server with one tool, on standard input and output. */
final class ToolServer {
    private ToolServer() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        StreamTransport streams = StreamTransport.of(System.in, System.out);
        for (Message message = streams.reader().read();
                message != null;
                message = streams.reader().read()) {
            if (message.kind() == Message.Kind.REQUEST) {
                RawJson answer = RawJson.parse(answer(message.method()).replace('\'', '"'));
                streams.writer().write(Message.result(Objects.requireNonNull(message.id()), answer));
                streams.writer().flush();
            }
        }
    }

    private static String answer(String method) {
        return switch (method) {
            case "initialize" ->
                "{'protocolVersion':'2025-11-25','capabilities':{'tools':{}},"
                        + "'serverInfo':{'name':'weather','version':'1'}}";
            case "tools/list" ->
                "{'tools':[{'name':'forecast','description':'Tells the weather','inputSchema':{'type':'object',"
                        + "'properties':{'city':{'type':'string'}},'required':['city']}}]}";
            case "tools/call" -> "{'content':[{'type':'text','text':'rain'}]}";
            default -> "{}";
        };
    }
}
