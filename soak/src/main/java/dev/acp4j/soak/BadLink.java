package dev.acp4j.soak;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A network between one client and the server, on which something happens every five seconds on average: connections
 * end, are reset or half closed, stand still for a while, or fall into a black hole.
 */
final class BadLink implements AutoCloseable {
    private static final double MEAN_MILLIS = 5_000;
    private static final int LONGEST_STALL_MILLIS = 3_000;

    private enum Fault {
        END,
        RESET,
        HALF_CLOSE,
        STALL,
        BLACK_HOLE
    }

    /** A connection of the client, and the one to the server that it leads to. */
    private static final class Pair {
        final Socket client;
        final Socket server = new Socket();
        volatile boolean isSwallowed;

        Pair(Socket client) {
            this.client = client;
        }

        void close(boolean resets) throws IOException {
            for (Socket socket : new Socket[] {client, server}) {
                if (resets && !socket.isClosed()) {
                    socket.setSoLinger(true, 0);
                }
                socket.close();
            }
        }
    }

    private final Run run;
    private final Random random;
    private final ServerSocket listening;
    private final Thread faults;
    private final Set<Pair> pairs = ConcurrentHashMap.newKeySet();
    private volatile int serverPort;
    private volatile long stallsUntil;

    BadLink(Run run, Random random) throws IOException {
        this.run = run;
        this.random = random;
        this.listening = new ServerSocket(0, 256, InetAddress.getLoopbackAddress());
        this.stallsUntil = System.nanoTime();
        Thread unused = Thread.ofVirtual().name("link").start(this::accept);
        this.faults = Thread.ofVirtual().name("faults").unstarted(this::fail);
    }

    int port() {
        return listening.getLocalPort();
    }

    void leadTo(int port) {
        serverPort = port;
    }

    void beginFaults() {
        faults.start();
    }

    /** Returns when no further fault begins. */
    void endFaults() throws InterruptedException {
        faults.interrupt();
        faults.join();
    }

    private void fail() {
        while (true) {
            Run.lag((long) (-MEAN_MILLIS * Math.log(1 - random.nextDouble())));
            if (Thread.currentThread().isInterrupted()) {
                return;
            }
            Fault fault = Fault.values()[random.nextInt(Fault.values().length)];
            run.count("faults of the links, " + fault);
            try {
                inflict(fault);
            } catch (IOException e) {
                // Its connection ended meanwhile.
                run.count("faults of the links that came too late");
            }
        }
    }

    private void inflict(Fault fault) throws IOException {
        if (fault == Fault.STALL) {
            stallsUntil = System.nanoTime() + random.nextInt(LONGEST_STALL_MILLIS) * 1_000_000L;
        }
        for (Pair pair : pairs) {
            switch (fault) {
                case END -> pair.close(false);
                case RESET -> pair.close(true);
                case HALF_CLOSE -> (random.nextBoolean() ? pair.client : pair.server).shutdownOutput();
                case BLACK_HOLE -> pair.isSwallowed = true;
                case STALL -> {}
            }
        }
    }

    private void accept() {
        try {
            while (true) {
                lead(new Pair(listening.accept()));
            }
        } catch (IOException e) {
            // It was closed.
            closeAll();
        }
    }

    private void lead(Pair pair) throws IOException {
        pairs.add(pair);
        try {
            pair.server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), serverPort));
        } catch (IOException e) {
            // A fault came first.
            pairs.remove(pair);
            pair.close(false);
            return;
        }
        Thread there = Thread.ofVirtual().unstarted(() -> copy(pair, pair.client, pair.server));
        Thread back = Thread.ofVirtual().unstarted(() -> copy(pair, pair.server, pair.client));
        there.start();
        back.start();
        Thread unused = Thread.ofVirtual().start(() -> endAfter(pair, there, back));
    }

    private void endAfter(Pair pair, Thread there, Thread back) {
        try {
            there.join();
            back.join();
            pair.close(false);
        } catch (InterruptedException | IOException e) {
            run.fault("a link: " + e);
        } finally {
            pairs.remove(pair);
        }
    }

    private void copy(Pair pair, Socket from, Socket to) {
        byte[] buffer = new byte[8192];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                Run.lag(Math.max(0, (stallsUntil - System.nanoTime()) / 1_000_000));
                if (!pair.isSwallowed) {
                    out.write(buffer, 0, count);
                }
            }
            if (!pair.isSwallowed) {
                to.shutdownOutput();
            }
        } catch (IOException e) {
            // One end is gone, so the other one goes, too, unless nobody can say so.
            end(pair);
        }
    }

    private void end(Pair pair) {
        try {
            pair.close(false);
        } catch (IOException e) {
            run.fault("a link: " + e);
        }
    }

    private void closeAll() {
        pairs.forEach(this::end);
    }

    @Override
    public void close() throws IOException {
        listening.close();
        closeAll();
    }
}
