package dev.acp4j.soak;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Says every few seconds how far a run is. */
final class Progress {
    private static final int SECONDS = 10;

    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread thread;

    Progress(Run run) {
        thread = Thread.ofPlatform().name("progress").start(() -> {
            try {
                while (!ended.await(SECONDS, TimeUnit.SECONDS)) {
                    System.out.println(run.nanos() / 1_000_000_000 + " s: " + run.counts()
                            + (run.faults().isEmpty() ? "" : " WRONG: " + run.faults()));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    void end() throws InterruptedException {
        ended.countDown();
        thread.join();
    }
}
