package dev.acp4j.workspace;

import dev.acp4j.schema.CreateTerminalRequest;
import dev.acp4j.schema.CreateTerminalRequestBuilder;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.TerminalOutputResponse;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/** Commands for tests to run, and what they wait for. */
final class Commands {
    private static final long LOOK_NANOS = 1_000_000;

    private Commands() {}

    static CreateTerminalRequestBuilder request(String command) {
        return CreateTerminalRequest.builder(SessionId.of("s"), command);
    }

    static TerminalId shell(Terminals terminals, String script) throws InterruptedException {
        return terminals.create(request("sh").args(List.of("-c", script)).build());
    }

    /** Waits for output: a command cannot tell that what it printed has been taken. */
    static TerminalOutputResponse awaitOutput(Terminals terminals, TerminalId id, Predicate<String> expected) {
        await(() -> expected.test(terminals.output(id).output()));
        return terminals.output(id);
    }

    static long awaitNumber(Terminals terminals, TerminalId id) {
        return Long.parseLong(awaitOutput(terminals, id, output -> output.endsWith("\n"))
                .output()
                .strip());
    }

    static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }
}
