package dev.acp4j.cli.trace;

import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.terminal.SafeText;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Selects steps of a trace. */
final class TraceFilter {
    @Option(
            names = {"-m", "--method"},
            paramLabel = "GLOB",
            converter = Glob.class,
            description =
                    "Only messages of these methods, with their responses: session/*, fs/read_text_file. Can be repeated.")
    private List<Pattern> methods = new ArrayList<>();

    @Option(
            names = {"-s", "--session"},
            paramLabel = "ID",
            description = "Only messages of this session; the beginning of its id is sufficient.")
    private @Nullable String session;

    @Option(names = "--from", paramLabel = "NAME", description = "Only events sent by this end, for example agent.")
    private @Nullable String from;

    @Option(names = "--to", paramLabel = "NAME", description = "Only events sent to this end.")
    private @Nullable String to;

    @Option(
            names = "--type",
            paramLabel = "TYPE",
            split = ",",
            description =
                    "Only events of these types: request, result, error, notification, noise, stderr, end, chain.")
    private List<String> types = new ArrayList<>();

    @Option(
            names = {"-e", "--errors"},
            description = "Only errors, and lines that are not messages.")
    private boolean errors;

    @Option(
            names = {"-g", "--grep"},
            paramLabel = "REGEX",
            converter = Regex.class,
            description = "Only events whose text contains this; case is ignored.")
    private @Nullable Pattern grep;

    @Option(
            names = "--flow",
            paramLabel = "NUMBER",
            description = "Only the hops of this message through a chain, with their answers; the number is the one "
                    + "behind @.")
    private long flow;

    @Option(names = "--since", paramLabel = "SECONDS", description = "Only events at this time of the trace or later.")
    private double since = -Double.MAX_VALUE;

    @Option(names = "--until", paramLabel = "SECONDS", description = "Only events before this time of the trace.")
    private double until = Double.MAX_VALUE;

    boolean takes(TraceStep step) {
        var event = step.event();
        return event.seconds() >= since
                && event.seconds() < until
                && (!errors || step.isBad())
                && (types.isEmpty() || types.contains(event.type().text()))
                && (from == null || event.from().equals(from))
                && (to == null || event.to().equals(to))
                && (flow == 0 || event.flow() == flow)
                && (session == null
                        || (!step.session().isEmpty() && step.session().startsWith(session)))
                && (takesMethod(step.method()) || takesMethod(step.shownMethod()))
                && (grep == null || grep.matcher(event.toString()).find());
    }

    private boolean takesMethod(String method) {
        for (Pattern glob : methods) {
            if (glob.matcher(method).matches()) {
                return true;
            }
        }
        return methods.isEmpty();
    }

    /** Rejects unknown types, which would match nothing. */
    void check() {
        for (String type : types) {
            boolean known = false;
            for (var each : dev.acp4j.trace.TraceEvent.Type.values()) {
                known |= each.text().equals(type);
            }
            if (!known) {
                throw new UsageException("unknown type '" + SafeText.line(type)
                        + "': expected request, result, error, notification, noise, stderr, end or chain");
            }
        }
    }

    /** Parses a pattern in which {@code *} matches any text, and {@code ?} one character. */
    static final class Glob implements ITypeConverter<Pattern> {
        @Override
        public Pattern convert(String glob) {
            StringBuilder regex = new StringBuilder();
            for (int i = 0; i < glob.length(); i++) {
                char c = glob.charAt(i);
                regex.append(c == '*' ? ".*" : c == '?' ? "." : Pattern.quote(String.valueOf(c)));
            }
            return Pattern.compile(regex.toString(), Pattern.DOTALL);
        }
    }

    /** Parses a regular expression. */
    static final class Regex implements ITypeConverter<Pattern> {
        @Override
        public Pattern convert(String regex) {
            try {
                return Pattern.compile(regex, Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE);
            } catch (PatternSyntaxException e) {
                throw new TypeConversionException("not a regular expression: "
                        + String.valueOf(e.getDescription()).toLowerCase(Locale.ROOT));
            }
        }
    }
}
