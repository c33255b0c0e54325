package dev.acp4j.cli.prompt;

import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The policy of a run for permission requests. */
enum PermissionRule {
    /** Ask the person at the terminal. */
    ASK,
    /** Allow everything, each time once. */
    ALLOW,
    /** Reject everything and continue the turn. */
    DENY,
    /** Cancel the turn, and end with a specific exit code. */
    FAIL;

    /**
     * Returns whether nothing is ever permitted. Then operations that need a permission are not offered either: agents
     * can write files or run commands through their client without asking.
     */
    boolean permitsNothing() {
        return this == DENY || this == FAIL;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Parses a rule as documented in the help. */
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
