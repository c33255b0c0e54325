package dev.acp4j.workspace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.schema.CreateTerminalRequest;
import dev.acp4j.schema.CreateTerminalRequestBuilder;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.TerminalOutputResponse;
import dev.acp4j.tap.Poll;
import java.util.List;
import java.util.function.Predicate;

/** Commands for tests to run, and what they wait for. */
final class Commands {
    private Commands() {}

    static CreateTerminalRequestBuilder request(String command) {
        return CreateTerminalRequest.builder(SessionId.of("s"), command);
    }

    static TerminalId shell(Terminals terminals, String script) throws InterruptedException {
        return terminals.create(request("sh").args(List.of("-c", script)).build());
    }

    /** Waits for output: a command cannot tell that what it printed has been taken. */
    static TerminalOutputResponse awaitOutput(Terminals terminals, TerminalId id, Predicate<String> expected)
            throws InterruptedException {
        assertThat(Poll.until(() -> expected.test(terminals.output(id).output())))
                .as(() -> "the expected output instead of: "
                        + terminals.output(id).output())
                .isTrue();
        return terminals.output(id);
    }

    static long awaitNumber(Terminals terminals, TerminalId id) throws InterruptedException {
        return Long.parseLong(awaitOutput(terminals, id, output -> output.endsWith("\n"))
                .output()
                .strip());
    }
}
