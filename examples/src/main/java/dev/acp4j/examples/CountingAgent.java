package dev.acp4j.examples;

import dev.acp4j.Agent;
import dev.acp4j.Stdio;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Cancellation needs no code: the thread is interrupted, whatever it waits for. This agent counts until that happens.
 */
final class CountingAgent {
    public static void main(String[] args) throws InterruptedException {
        Agent.builder("counting", "1.0")
                .onPrompt(turn -> {
                    var never = new CountDownLatch(1);
                    for (int i = 1; !never.await(10, TimeUnit.MILLISECONDS); i++) {
                        turn.message(i + " ");
                    }
                })
                .serve(Stdio.system());
    }
}
