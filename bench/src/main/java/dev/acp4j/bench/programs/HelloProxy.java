package dev.acp4j.bench.programs;

import com.sun.management.ThreadMXBean;
import dev.acp4j.Stdio;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.StreamTransport;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A transparent proxy, written with the connections of acp4j. */
final class HelloProxy {
    private HelloProxy() {}

    /**
     * Stands between standard input and output and an agent. Takes a file, into which it writes in the end how many
     * bytes all of it has allocated, and the agent's command.
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        Process agent = new ProcessBuilder(List.of(args).subList(1, args.length))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        var right = StreamTransport.of(agent.getInputStream(), agent.getOutputStream());
        List<Connection> ends = Relay.join(Stdio.system(), right);
        ends.get(0).awaitClosed();
        ends.get(1).close();
        agent.destroy();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Files.writeString(Path.of(args[0]), Long.toString(threads.getTotalThreadAllocatedBytes()));
    }
}
