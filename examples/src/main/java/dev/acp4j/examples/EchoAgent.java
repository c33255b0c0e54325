package dev.acp4j.examples;

import dev.acp4j.Agent;
import dev.acp4j.Stdio;

/** The smallest agent: says back what it is told. */
final class EchoAgent {
    public static void main(String[] args) throws InterruptedException {
        Agent.builder("echo", "1.0")
                .onPrompt(turn -> {
                    turn.thought("Looking…");
                    turn.message("You said: " + turn.text());
                })
                .serve(Stdio.system());
    }
}
