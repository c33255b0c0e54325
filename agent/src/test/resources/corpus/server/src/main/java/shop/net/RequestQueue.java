package shop.net;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/** Requests that wait for a worker; refuses more than it can hold. */
final class RequestQueue {
    private static final int MAX_WAITING = 1_000;
    private final BlockingQueue<Runnable> waiting = new ArrayBlockingQueue<>(MAX_WAITING);

    boolean offer(Runnable request) {
        return waiting.offer(request);
    }
}
