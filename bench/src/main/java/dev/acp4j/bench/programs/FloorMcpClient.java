package dev.acp4j.bench.programs;

import static dev.acp4j.bench.programs.FloorAgent.TEXT;
import static dev.acp4j.bench.programs.Lines.bytes;

import java.io.IOException;
import java.io.OutputStream;

/** A client of MCP that uses the tool of a server it starts, by hand: prepared requests, and nothing is parsed. */
final class FloorMcpClient {
    private static final byte[] INITIALIZE = bytes(
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\","
                    + "\"capabilities\":{},\"clientInfo\":{\"name\":\"floor\",\"version\":\"1\"}}}\n");
    private static final byte[] LIST = bytes("""
            {"jsonrpc":"2.0","method":"notifications/initialized"}
            {"jsonrpc":"2.0","id":2,"method":"tools/list"}
            """);
    private static final byte[] CALL = bytes("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":"
            + "{\"name\":\"say\",\"arguments\":{\"what\":\"it\"}}}\n");

    private FloorMcpClient() {}

    /** Takes the server's command, prints what the tool returns, and waits for the end of the input. */
    public static void main(String[] args) throws IOException {
        Process server = new ProcessBuilder(args)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        Lines lines = new Lines(server.getInputStream());
        OutputStream out = server.getOutputStream();
        for (byte[] request : new byte[][] {INITIALIZE, LIST, CALL}) {
            out.write(request);
            out.flush();
            if (!lines.next()) {
                throw new IOException("the server has ended");
            }
        }
        lines.out.write(bytes(lines.value(TEXT).concat("\n")));
        // The peak of memory is read while the process lives.
        System.in.read();
        server.destroy();
    }
}
