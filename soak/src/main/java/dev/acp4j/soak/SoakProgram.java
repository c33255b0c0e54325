package dev.acp4j.soak;

import dev.acp4j.process.Launch;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** How the programs of the runs are started. */
final class SoakProgram {
    private static final Duration SHORT = Duration.ofMillis(300);

    private SoakProgram() {}

    /** Returns the beginning of a command for this class path. */
    static List<String> java(String... options) {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        return command;
    }

    /**
     * An agent in some lines of shell: it starts in milliseconds, and speaks the version that it is asked for. Its
     * session's id says who it and its wrapper are.
     */
    private static final String AGENT = """
            [ "$CHILD" = no ] || sleep 1000 &
            [ "$ENDS" = yes ] || trap '' TERM
            while IFS= read -r line; do
              id=${line#*\\"id\\":}; id=${id%%,*}
              answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$id" "$1"; }
              state() {
                printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"%s","update":' "$PPID $$"
                printf '{"sessionUpdate":"state_update","state":"%s","stopReason":"end_turn"}}}\\n' "$1"
              }
              case $line in
                *'"initialize"'*'"protocolVersion":2'*) version=2
                  answer '{"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"sh","version":"1"}}' ;;
                *'"initialize"'*) version=1; answer '{"protocolVersion":1,"agentCapabilities":{}}' ;;
                *'"session/new"'*) answer "{\\"sessionId\\":\\"$PPID $$\\"}" ;;
                *'"session/prompt"'*hang*) [ $version = 1 ] || { state running; answer '{"messageId":"m2"}'; } ;;
                *'"session/prompt"'*) [ $version = 1 ] || { state running; answer '{"messageId":"m1"}'; state idle; }
                  [ $version = 2 ] || answer '{"stopReason":"end_turn"}' ;;
              esac
            done
            while [ "$ENDS" != yes ]; do sleep 1; done
            """;

    /**
     * Returns the launch of a shell that waits for an agent.
     *
     * @param ends whether the agent ends with its input, or when asked to
     * @param child whether the agent starts a process that does not
     */
    static Launch shellAgent(String mark, boolean ends, boolean child) {
        return Launch.of("sh", "-c", "sh -c \"$AGENT\"; exit $?")
                .env("AGENT", AGENT)
                .env("ENDS", ends ? "yes" : "no")
                .env("CHILD", child ? "yes" : "no")
                .env(Leftovers.MARK, mark)
                .shutdownTimes(SHORT, SHORT);
    }

    /** Returns the launch of a component, in a JVM of its own; it is what its arguments say. */
    static Launch component(String mark, String... arguments) {
        List<String> command = new ArrayList<>(java("-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.add(SoakComponent.class.getName());
        command.addAll(List.of(arguments));
        return Launch.of(command.get(0), command.subList(1, command.size()))
                .env(Leftovers.MARK, mark)
                .shutdownTimes(SHORT, SHORT);
    }

    /** Returns the launch of the agent in a JVM of its own, behind a shell that waits for it. */
    static Launch agent(String mark) {
        List<String> arguments = new ArrayList<>(List.of("-c", "\"$@\"; exit $?", "sh"));
        arguments.addAll(java("-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        arguments.add(SoakAgent.class.getName());
        return Launch.of("sh", arguments).env(Leftovers.MARK, mark).shutdownTimes(SHORT, SHORT);
    }
}
