package dev.acp4j.mcp;

import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A program that starts the command in its arguments, as an agent does, and says its id and what it says. */
final class ShimParent {
    private ShimParent() {}

    public static void main(String[] args) throws Exception {
        Process child = new ProcessBuilder(List.of(args))
                .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                .start();
        System.out.println(child.pid());
        OutputStream in = child.getOutputStream();
        in.write("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"
                .getBytes(java.nio.charset.StandardCharsets.UTF_8));
        in.flush();
        new CountDownLatch(1).await();
    }
}
