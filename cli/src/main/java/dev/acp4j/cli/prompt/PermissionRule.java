package dev.acp4j.cli.prompt;

import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** How a run answers an agent that asks for a permission. */
enum PermissionRule {
    /** Ask the person at the terminal. */
    ASK,
    /** Allow everything, each time once. */
    ALLOW,
    /** Reject everything and let the agent go on without. */
    DENY,
    /** Cancel the turn, and end with an exit code of its own. */
    FAIL;

    /**
     * Whether nobody will permit anything. Then nothing that an agent should have asked about is offered either: agents
     * need not ask before they write a file or run a command through their client.
     */
    boolean permitsNothing() {
        return this == DENY || this == FAIL;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Reads a rule as it is written in the help. */
    static final class Reader implements ITypeConverter<PermissionRule> {
        @Override
        public PermissionRule convert(String text) {
            for (PermissionRule value : values()) {
                if (value.toString().equals(text)) {
                    return value;
                }
            }
            throw new TypeConversionException("expected ask, allow, deny or fail, got '" + text + "'");
        }
    }
}
