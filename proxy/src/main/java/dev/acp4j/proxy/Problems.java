package dev.acp4j.proxy;

import dev.acp4j.rpc.Problem;
import java.util.function.Consumer;

/** Where problems go when nobody asks for them. */
final class Problems {
    private static final System.Logger LOGGER = System.getLogger("dev.acp4j.proxy");

    static final Consumer<Problem> LOG = problem -> log(problem.kind() + ": " + problem.detail());

    private Problems() {}

    static void log(String sentence) {
        LOGGER.log(System.Logger.Level.WARNING, sentence);
    }
}
