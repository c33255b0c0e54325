package dev.acp4j.testkit;

import dev.acp4j.Stdio;

/** The test agent as a program of its own. */
final class TestAgentProgram {
    private TestAgentProgram() {}

    public static void main(String[] args) throws InterruptedException {
        TestAgent.create().serve(Stdio.system());
    }
}
