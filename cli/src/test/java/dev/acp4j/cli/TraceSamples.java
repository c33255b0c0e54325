package dev.acp4j.cli;

/** Traces to be shown. */
public final class TraceSamples {
    public static final String HEADER =
            "{\"trace\":1,\"began\":\"2026-01-01T00:00:00Z\",\"subject\":\"gemini --acp\"}\n";

    /** A proxy between a client and an agent; a prompt that is never answered. */
    public static final String CHAIN = HEADER + """
            {"ts":0.5,"type":"request","from":"client","to":"proxy:0","id":0,"method":"initialize","params":{"protocolVersion":1}}
            {"ts":1,"type":"request","from":"proxy:0","to":"agent","id":0,"method":"initialize","params":{"protocolVersion":1,"big":12345678901234567890,"none":{},"list":[1,"a,b"]}}
            {"ts":1.5,"type":"result","from":"agent","to":"proxy:0","id":0,"method":"initialize","result":{"protocolVersion":1,"agentInfo":{"name":"gem","version":"2"}}}
            {"ts":2,"type":"result","from":"proxy:0","to":"client","id":0,"method":"initialize","result":{"protocolVersion":1}}
            {"ts":2.1,"type":"stderr","from":"agent","text":"warming up"}
            {"ts":3,"type":"request","from":"client","to":"agent","id":2,"method":"session/prompt","session":"s1","params":{"sessionId":"s1","prompt":[{"type":"text","text":"What is this?"}]}}
            {"ts":3.5,"type":"notification","from":"agent","to":"client","method":"session/update","session":"s1","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hello"}}}}
            {"ts":3.6,"type":"request","from":"agent","to":"client","id":9,"method":"fs/read_text_file","session":"s1","params":{"sessionId":"s1","path":"/a"}}
            {"ts":3.7,"type":"error","from":"client","to":"agent","id":9,"method":"fs/read_text_file","session":"s1","error":{"code":-32002,"message":"no such file"}}
            {"ts":4,"type":"noise","from":"agent","to":"client","text":"Welcome!"}
            {"ts":5,"type":"end","from":"agent","to":"client"}
            """;

    private TraceSamples() {}

    /** Returns a trace of many turns, each a prompt, 18 pieces of the answer and its end. */
    public static String large(int messages) {
        StringBuilder trace = new StringBuilder(HEADER);
        for (int i = 0; i < messages; i++) {
            int turn = i / 20;
            String session = "session-" + turn % 3;
            String ts = "{\"ts\":" + i / 100.0;
            String text = ("piece " + i % 20 + " of turn " + turn + " is about as long as pieces are. ").repeat(5);
            trace.append(
                    switch (i % 20) {
                        case 0 ->
                            ts + ",\"type\":\"request\",\"from\":\"client\",\"to\":\"agent\",\"id\":" + turn
                                    + ",\"method\":\"session/prompt\",\"session\":\"" + session
                                    + "\",\"params\":{\"prompt\":[{\"type\":\"text\",\"text\":\"go\"}]}}\n";
                        case 19 ->
                            ts + ",\"type\":\"result\",\"from\":\"agent\",\"to\":\"client\",\"id\":" + turn
                                    + ",\"method\":\"session/prompt\",\"session\":\"" + session
                                    + "\",\"result\":{\"stopReason\":\"end_turn\"}}\n";
                        default ->
                            ts
                                    + ",\"type\":\"notification\",\"from\":\"agent\",\"to\":\"client\",\"method\":\"session/update\",\"session\":\""
                                    + session
                                    + "\",\"params\":{\"update\":{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\""
                                    + text + "\"}}}}\n";
                    });
        }
        return trace.toString();
    }
}
