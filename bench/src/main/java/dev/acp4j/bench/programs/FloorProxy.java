package dev.acp4j.bench.programs;

import java.io.BufferedInputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/** What the machine allows a proxy: lines are found and written on, one write each; nothing is looked at. */
final class FloorProxy {
    private FloorProxy() {}

    /** Stands between standard input and output and the agent of the command. */
    public static void main(String[] args) throws IOException, InterruptedException {
        Process agent = new ProcessBuilder(args)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        Thread back = Thread.ofPlatform().start(() -> {
            try {
                forward(agent.getInputStream(), new FileOutputStream(FileDescriptor.out));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        forward(new FileInputStream(FileDescriptor.in), agent.getOutputStream());
        agent.getOutputStream().close();
        back.join();
    }

    private static void forward(InputStream in, OutputStream out) throws IOException {
        InputStream source = in instanceof BufferedInputStream ? in : new BufferedInputStream(in, 64 * 1024);
        byte[] block = new byte[128 * 1024];
        int to = 0;
        int more;
        while ((more = source.read(block, to, block.length - to)) > 0) {
            int scanned = to;
            to += more;
            int start = 0;
            for (int i = scanned; i < to; i++) {
                if (block[i] == '\n') {
                    out.write(block, start, i + 1 - start);
                    out.flush();
                    start = i + 1;
                }
            }
            System.arraycopy(block, start, block, 0, to - start);
            to -= start;
        }
    }
}
