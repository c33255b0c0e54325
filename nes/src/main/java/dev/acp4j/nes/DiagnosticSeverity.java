package dev.acp4j.nes;

import dev.acp4j.schema.StringValue;
import dev.acp4j.schema.Unstable;
import java.util.List;

/**
 * How serious a diagnostic is. The draft names {@link #ERROR} only; the others are those of LSP.
 *
 * @see <a href="https://agentclientprotocol.com/rfds/next-edit-suggestions">Next edit suggestions</a>
 */
@Unstable
public final class DiagnosticSeverity extends StringValue {
    /** An error. */
    public static final DiagnosticSeverity ERROR = new DiagnosticSeverity("error");

    /** A warning. */
    public static final DiagnosticSeverity WARNING = new DiagnosticSeverity("warning");

    /** Information. */
    public static final DiagnosticSeverity INFORMATION = new DiagnosticSeverity("information");

    /** A hint. */
    public static final DiagnosticSeverity HINT = new DiagnosticSeverity("hint");

    private DiagnosticSeverity(String value) {
        super(value);
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static DiagnosticSeverity of(String value) {
        return new DiagnosticSeverity(value);
    }

    /** Returns the constants. */
    public static List<DiagnosticSeverity> known() {
        return StringValueCodec.DIAGNOSTIC_SEVERITY.known();
    }
}
