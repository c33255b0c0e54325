package dev.acp4j.bench;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A thousand clients that send half of a header, of a body or of an upgrade, and no more, and a hundred that send a
 * body a byte a second: how late others hear, and when the last of them is gone.
 */
record RemoteHalfSent(Scale scale, List<Subject> subjects) implements Workload {
    private static final int OTHERS = 50;

    private static final List<String> HALVES = List.of(
            "GET /acp HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAcc",
            "POST /acp HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\nContent-Length: 200\r\n\r\n{",
            "GET /acp HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-Web");

    @Override
    public String name() {
        return "remote, half requests";
    }

    @Override
    public int rounds() {
        return 1;
    }

    @Override
    public void measure(Subject subject, Sheet sheet) throws Exception {
        int count = scale.isBrief() ? 20 : 1_000;
        try (RemotePeer server = new RemotePeer(subject, List.of(), 3 * scale.patience());
                EventClients others = new EventClients(OTHERS, server.port());
                PacedTurns turns = new PacedTurns(scale.isBrief() ? 10 : 100);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            double before = others.measureAlone(turns, sheet);
            long start = System.nanoTime();
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                String sent = HALVES.get(i % HALVES.size());
                all.add(threads.submit(() -> half(server.port(), sent)));
            }
            for (int i = 0; i < count / 10; i++) {
                all.add(threads.submit(() -> drip(server.port())));
            }
            others.listen(turns, 4);
            sheet.write("meanwhile, seen after, p99, × before", turns.writeTo(sheet, "meanwhile, ") / before);
            if (scale.isBrief()) {
                threads.shutdownNow();
                return;
            }
            for (Future<?> one : all) {
                Object unused = one.get();
            }
            sheet.write("all gone, s", (System.nanoTime() - start) / 1e9);
        }
    }

    /** Sends the first half of a request, and waits until the server has enough of it. */
    private static Void half(int port, String sent) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            write(socket, sent.formatted(port));
            readToTheEnd(socket);
        }
        return null;
    }

    /** Sends a byte of a body each second until the server has enough of it. */
    private static Void drip(int port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            write(
                    socket,
                    "POST /acp HTTP/1.1\r\nHost: 127.0.0.1:" + port
                            + "\r\nContent-Type: application/json\r\nContent-Length: 60\r\n\r\n");
            Thread reading = Thread.ofVirtual().start(() -> {
                try {
                    readToTheEnd(socket);
                } catch (IOException e) {
                    // Then it is gone.
                }
            });
            while (reading.isAlive()) {
                write(socket, " ");
                LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
            }
        } catch (IOException e) {
            // The server does not take more.
        }
        return null;
    }

    private static void write(Socket socket, String text) throws IOException {
        OutputStream out = socket.getOutputStream();
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static void readToTheEnd(Socket socket) throws IOException {
        try (InputStream in = socket.getInputStream()) {
            in.transferTo(OutputStream.nullOutputStream());
        }
    }
}
