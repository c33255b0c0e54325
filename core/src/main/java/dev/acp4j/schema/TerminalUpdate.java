package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.In;
import dev.acp4j.schema.codec.Tag;
import java.util.Objects;

/**
 * Creates or updates a terminal of the agent. Absent members are kept. Extension data is a change too: an object
 * replaces the keys that it has, and removes those that are null.
 *
 * @param terminalId the terminal, unique within its session
 * @param command the command that it runs
 * @param cwd the directory the command runs in, an absolute path
 * @param output the whole output; {@link TerminalOutputChunk} appends to it
 * @param exitStatus how the command ended; present, even if empty, once it has
 * @param size its size
 * @param capabilities the capabilities of the client for it; none at first
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v2/tool-calls#content">Content</a>
 */
@Codable
@Tag("terminal_update")
@In(2)
@Unstable
public record TerminalUpdate(
        TerminalId terminalId,
        @DefaultOnError Change<String> command,
        @DefaultOnError Change<String> cwd,
        @DefaultOnError Change<TerminalOutput> output,
        @DefaultOnError Change<TerminalExitStatus> exitStatus,
        @DefaultOnError Change<TerminalSize> size,
        @DefaultOnError Change<TerminalCapabilities> capabilities,
        Rest rest)
        implements SessionUpdate, Extensible {
    @Evolving
    public TerminalUpdate {
        Objects.requireNonNull(terminalId, "terminalId is null");
        Objects.requireNonNull(command, "command is null");
        Objects.requireNonNull(cwd, "cwd is null");
        Objects.requireNonNull(output, "output is null");
        Objects.requireNonNull(exitStatus, "exitStatus is null");
        Objects.requireNonNull(size, "size is null");
        Objects.requireNonNull(capabilities, "capabilities is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder of an update without changes. */
    public static TerminalUpdateBuilder builder(TerminalId terminalId) {
        return new TerminalUpdateBuilder(terminalId);
    }

    /** Returns a builder initialized from this record. */
    public TerminalUpdateBuilder toBuilder() {
        return new TerminalUpdateBuilder(this);
    }
}
