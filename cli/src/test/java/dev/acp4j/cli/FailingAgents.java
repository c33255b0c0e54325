package dev.acp4j.cli;

import java.util.List;

/** Agents that fail, one for each way to fail, as shell scripts. */
final class FailingAgents {
    /**
     * What scripts may use: {@code ask} reads a request, {@code answer} answers it, {@code session} gets to a prompt.
     */
    static final String PRELUDE = """
            #!/bin/sh
            ask() { read -r line || exit 0; id=${line#*'"id":'}; id=${id%%[,\\}]*}; }
            say() { echo '{"jsonrpc":"2.0",'"$1"'}'; }
            answer() { ask; say '"id":'"$id"',"result":'"$1"; }
            refuse() { ask; say '"id":'"$id"',"error":'"$1"; }
            hello() { answer '{"protocolVersion":1}'; }
            session() { hello; answer '{"sessionId":"s"}'; }
            text() {
              say '"method":"session/update","params":{"sessionId":"s","update":
                {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"'"$1"'"}}}' | tr -d '\\n'
              echo
            }
            """;

    /** A time in which nothing comes that is still waited for. */
    static final List<String> IMPATIENT = List.of("--start-timeout", "3s");

    /**
     * One way to fail.
     *
     * @param name names the file with the texts
     * @param script what the agent does; empty for a command that is not there
     * @param options what {@code acp prompt} is given besides
     */
    record Case(String name, String script, List<String> options) {
        Case(String name, String script) {
            this(name, script, List.of());
        }

        /** Whether it concerns the command only, or the library would wait for ever. */
        boolean isForCommandsOnly() {
            return !options.isEmpty() && !isImpatient() && !isCancelled() && !name.equals("session-never-opened");
        }

        /** Whether nothing comes that the library has a time limit for. */
        boolean isImpatient() {
            return options.equals(IMPATIENT) || name.equals("session-never-opened");
        }

        /** Whether the turn is cancelled when the agent has said something. */
        boolean isCancelled() {
            return name.startsWith("cancelled-");
        }

        /** Whether the agent's file may be run. */
        boolean isExecutable() {
            return !name.equals("not-executable");
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> ALL = List.of(
            new Case("command-missing", ""),
            new Case("not-executable", "exit 0"),
            new Case("interpreter-missing", "#!/no/such/interpreter\n"),
            new Case("exits-with-0", "ask; exit 0"),
            new Case("exits-with-1", "ask; exit 1"),
            new Case("exits-with-stderr", "ask; echo loading >&2; echo 'FATAL: no moon tonight' >&2; exit 3"),
            new Case("runtime-missing", "ask; exec no-such-node agent.js"),
            new Case("module-missing", "ask; echo \"Error: Cannot find module '/lib/agent.js'\" >&2; exit 1"),
            new Case("arguments-refused", "ask; echo 'error: unexpected argument --acp' >&2; exit 2"),
            new Case("not-logged-in", "ask; echo 'Please set GEMINI_API_KEY, or log in' >&2; exit 41"),
            new Case("killed", "ask; kill -KILL $$"),
            new Case("crashed", "ask; kill -SEGV $$"),
            new Case(
                    "text-instead-of-protocol",
                    "ask; echo 'Welcome to Agent 1.0'; echo 'Type a question:'; exec sleep 60",
                    IMPATIENT),
            new Case("text-and-exit", "ask; echo 'Usage: agent [--acp]'"),
            new Case("silence", "exec sleep 60", IMPATIENT),
            new Case(
                    "waits-for-login",
                    "ask; echo 'Please log in: https://example.com/login' >&2; exec sleep 60",
                    IMPATIENT),
            new Case("other-version", "answer '{\"protocolVersion\":2}'; ask"),
            new Case(
                    "initialize-refused",
                    "refuse '{\"code\":-32603,\"message\":\"Internal error\",\"data\":{\"details\":\"no disk left\"}}'; ask"),
            new Case("initialize-misshapen", "answer '{\"protocolVersion\":\"one\"}'; ask"),
            new Case(
                    "broken-json",
                    "ask; echo '{\"jsonrpc\":\"2.0\",\"id\":'$id',\"result\":{'; exec sleep 60",
                    IMPATIENT),
            new Case(
                    "broken-utf8",
                    "ask; printf '{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"protocolVersion\":1,\"agentInfo\":{\"name\":\"\\377\",\"version\":\"\"}}}\\n' \"$id\"; exit 0"),
            new Case(
                    "too-deep",
                    "ask; printf '{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":' \"$id\"; head -c 2000 /dev/zero | tr '\\0' '['; echo; exit 0"),
            new Case(
                    "too-long",
                    "ask; printf '{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":\"' \"$id\"; head -c 70000000 /dev/zero | tr '\\0' 'x'; echo '\"}'; exec sleep 60"),
            new Case("half-a-line", "ask; printf '{\"jsonrpc\":\"2.0\",\"id\":%s,\"resu' \"$id\"; exit 1"),
            new Case(
                    "login-required",
                    "answer '{\"protocolVersion\":1,\"authMethods\":[{\"id\":\"web\",\"name\":\"Log in with a browser\"}]}'; refuse '{\"code\":-32000,\"message\":\"Authentication required\"}'; ask"),
            new Case(
                    "session-refused",
                    "hello; refuse '{\"code\":-32602,\"message\":\"Invalid params\",\"data\":{\"details\":\"cwd is not trusted\"}}'; ask"),
            new Case("session-misshapen", "hello; answer '{\"sessionId\":7}'; ask"),
            new Case(
                    "session-never-opened",
                    "hello; echo 'waiting for the index' >&2; exec sleep 60",
                    List.of("--timeout", "4s")),
            new Case("session-unsupported", "hello; refuse '{\"code\":-32601,\"message\":\"Method not found\"}'; ask"),
            new Case("stdout-closed", "hello; ask; exec >&-; exec sleep 60"),
            new Case(
                    "stdin-closed",
                    "ask; exec <&-; say '\"id\":'$id',\"result\":{\"protocolVersion\":1}'; exec sleep 60"),
            new Case("dies-in-turn", "session; ask; text 'Let me'; echo 'panic: index out of range' >&2; exit 2"),
            new Case("killed-in-turn", "session; ask; text 'Let me'; kill -KILL $$"),
            new Case("leaves-in-turn", "session; ask; exit 0"),
            new Case(
                    "turn-refused",
                    "session; refuse '{\"code\":-32603,\"message\":\"Internal error\",\"data\":{\"details\":\"model not found: gpt-9\"}}'; ask"),
            new Case("turn-misshapen", "session; answer '{\"stopReason\":7}'; ask"),
            new Case(
                    "turn-never-ends",
                    "session; ask; text 'Let me'; echo 'waiting for the model' >&2; exec sleep 60",
                    List.of("--timeout", "4s")),
            new Case(
                    "cancelled-and-refused",
                    "session; ask; turn=$id; text 'Let me'; ask; say '\"id\":'$turn',\"error\":{\"code\":-32603,\"message\":\"Internal error\",\"data\":\"stream aborted\"}'; ask",
                    List.of("--timeout", "4s")),
            new Case(
                    "cancelled-and-dead",
                    "session; ask; text 'Let me'; ask; echo 'panic: send on closed channel' >&2; exit 2",
                    List.of("--timeout", "4s")),
            new Case(
                    "odd-answers",
                    "session; opened=$id; ask; say '\"id\":99,\"result\":{}'; say '\"id\":'$opened',\"result\":{}'; say '\"id\":'$id',\"result\":{\"stopReason\":\"end_turn\"}'; ask",
                    List.of("-v")),
            new Case(
                    "permission-asked",
                    "session; ask; turn=$id; say '\"id\":\"p\",\"method\":\"session/request_permission\",\"params\":{\"sessionId\":\"s\",\"toolCall\":{\"toolCallId\":\"t\",\"title\":\"rm -r build\"},\"options\":[{\"optionId\":\"y\",\"name\":\"Yes\",\"kind\":\"allow_once\"}]}'; ask; ask; say '\"id\":'$turn',\"result\":{\"stopReason\":\"cancelled\"}'; ask",
                    List.of("--permissions", "fail")),
            new Case(
                    "path-refused",
                    "session; ask; turn=$id; say '\"id\":\"f\",\"method\":\"fs/read_text_file\",\"params\":{\"sessionId\":\"s\",\"path\":\"/etc/passwd\"}'; ask; echo \"$line\" >&2; say '\"id\":'$turn',\"result\":{\"stopReason\":\"end_turn\"}'; ask",
                    List.of("-v")),
            new Case(
                    "secrets",
                    "ask; echo \"token $MY_TOKEN, key sk-abcdefghijklmnopqrst\"; echo \"401 for token $MY_TOKEN\" >&2; exit 1"),
            new Case(
                    "secrets-in-an-error",
                    "session; refuse '{\"code\":-32603,\"message\":\"401 for '$MY_TOKEN'\",\"data\":{\"details\":\"key '$MY_TOKEN' has expired\"}}'; ask"),
            new Case("secrets-in-an-answer", "hello; answer '{\"sessionId\":[\"'$MY_TOKEN'\"]}'; ask"),
            new Case(
                    "secrets-on-standard-error",
                    "session; ask; echo \"using $MY_TOKEN\" >&2; say '\"id\":'$id',\"result\":{\"stopReason\":\"end_turn\"}'; ask",
                    List.of("-v")),
            new Case(
                    "secrets-in-noise",
                    "session; ask; echo \"token $MY_TOKEN\"; say '\"id\":'$id',\"result\":{\"stopReason\":\"end_turn\"}'; ask",
                    List.of("-v")));

    private FailingAgents() {}
}
