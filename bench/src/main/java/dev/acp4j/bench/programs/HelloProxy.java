package dev.acp4j.bench.programs;

import dev.acp4j.Stdio;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.StreamTransport;
import java.io.IOException;
import java.util.List;

/** A transparent proxy, written with the connections of acp4j. */
final class HelloProxy {
    private HelloProxy() {}

    /** Stands between standard input and output and the agent of the command. */
    public static void main(String[] args) throws IOException, InterruptedException {
        Process agent = new ProcessBuilder(args)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        var right = StreamTransport.of(agent.getInputStream(), agent.getOutputStream());
        List<Connection> ends = Relay.join(Stdio.system(), right);
        ends.get(0).awaitClosed();
        ends.get(1).close();
        agent.destroy();
    }
}
