package dev.acp4j;

import dev.acp4j.rpc.Problem;
import java.util.function.Consumer;

/**
 * Writes problems to the system's log: failing handlers as warnings with their exception, what the peer did wrong as
 * debug messages. The logger is looked up when the first problem comes, because that is slow.
 */
final class ProblemLog implements Consumer<Problem> {
    private final String name;

    ProblemLog(String name) {
        this.name = name;
    }

    @Override
    public void accept(Problem problem) {
        boolean ours = switch (problem.kind()) {
            case REQUEST_FAILED, NOTIFICATION_FAILED, OUT_OF_ORDER -> true;
            default -> false;
        };
        System.Logger.Level level = ours ? System.Logger.Level.WARNING : System.Logger.Level.DEBUG;
        System.getLogger(name).log(level, problem.kind() + ": " + problem.detail(), problem.cause());
    }
}
