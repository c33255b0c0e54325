package dev.acp4j.cli.connect;

import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.process.ExitStatus;
import dev.acp4j.process.Launch;
import dev.acp4j.process.LaunchedProcess;
import dev.acp4j.rpc.Connector;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A command on another machine, run by the system's ssh, which asks nothing and has no terminal. Each line is a new ssh
 * and a new process there: the agent itself, or {@code acp serve --attach}, which joins the line to the server of an
 * agent that outlives it.
 */
final class Ssh implements Connector {
    /** What ssh exits with when it has failed itself; otherwise its exit code is that of the command. */
    private static final int OWN_FAILURE = 255;

    /**
     * The user, if there is one, the name of the host, and the port. Names of ssh's configuration may have underscores,
     * which a {@link URI} does not take for those of a host.
     */
    private static final Pattern PLACE =
            Pattern.compile("((?<user>[^@]+)@)?(?<host>(?!-)([^@:\\[\\]]+|\\[[0-9a-fA-F:.%]+\\]))(:(?<port>\\d+))?");

    private final Launch launch;
    private final Consumer<String> report;
    private final boolean attaches;

    /** How the command has ended last, by itself; null while that is not known. */
    private volatile @Nullable ExitStatus commandEnd;

    /**
     * @param attaches whether the agent is that of a server there
     * @param report takes lines of ssh, and of the machine, that are no messages
     */
    Ssh(URI uri, boolean attaches, Consumer<String> report) {
        String command = uri.getPath() == null ? "" : uri.getPath().replaceFirst("^/", "");
        Matcher place = PLACE.matcher(uri.getRawAuthority() == null ? "" : uri.getRawAuthority());
        if (!place.matches() || command.isBlank()) {
            throw new UsageException("expected ssh://[USER@]HOST[:PORT]/COMMAND, got " + SafeText.line(uri.toString()));
        }
        List<String> words = new ArrayList<>(
                List.of("-T", "-o", "BatchMode=yes", "-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=3"));
        if (place.group("port") != null) {
            words.addAll(List.of("-p", place.group("port")));
        }
        // Decoded after the parts are known, since it may have the signs between them.
        String user = place.group("user") == null
                ? ""
                : URLDecoder.decode(place.group("user").replace("+", "%2B"), StandardCharsets.UTF_8) + "@";
        words.addAll(List.of(
                "--",
                user + place.group("host"),
                inLoginShell(attaches ? "acp serve --attach -- " + command : command)));
        this.attaches = attaches;
        this.report = report;
        this.launch =
                Launch.of("ssh", words).inheritAll().onStderr(line -> report.accept("ssh: " + SafeText.line(line)));
    }

    /** Without a login shell, the search path is not the one that the user has there. */
    private static String inLoginShell(String command) {
        return "exec $SHELL -lc '" + command.replace("'", "'\\''") + "'";
    }

    @Override
    public Transport open() throws IOException, InterruptedException {
        return new Line(launch.start());
    }

    /** Returns how the command has failed by itself, in words; null when it has not. */
    @Nullable
    String commandFailure() {
        ExitStatus end = commandEnd;
        return end == null ? null : "the agent over ssh ended with " + end;
    }

    private final class Line implements Transport, Transport.Reader {
        private final LaunchedProcess process;
        private boolean hasBegun;

        Line(LaunchedProcess process) {
            this.process = process;
        }

        @Override
        public Transport.Reader reader() {
            return this;
        }

        @Override
        public Transport.Writer writer() {
            return process.transport().writer();
        }

        @Override
        public @Nullable Message read() throws IOException, InterruptedException {
            try {
                Message message = process.transport().reader().read();
                while (message != null && !hasBegun && message.kind() == Message.Kind.NOISE) {
                    // Greetings of the machine.
                    report.accept("ssh: " + SafeText.line(message.raw().toString()));
                    message = process.transport().reader().read();
                }
                hasBegun |= message != null;
                return message;
            } catch (IOException e) {
                ExitStatus exit = process.exit().orElse(null);
                if (exit == null || exit.code() == OWN_FAILURE || exit.signal().isPresent()) {
                    throw new IOException("ssh has failed: " + lastLine(e), e);
                }
                if (!hasBegun || attaches) {
                    throw new IOException("the command over ssh ended with " + exit + ": " + lastLine(e), e);
                }
                commandEnd = exit;
                // The agent has ended, and the line was well.
                return null;
            }
        }

        private String lastLine(IOException e) {
            List<String> lines =
                    process.stderr().lines().filter(line -> !line.isBlank()).toList();
            return SafeText.line(lines.isEmpty() ? String.valueOf(e.getMessage()) : lines.getLast());
        }

        @Override
        public boolean isReady() {
            return process.transport().reader().isReady();
        }

        @Override
        public IOException explain(IOException failure) {
            return process.transport().explain(failure);
        }

        @Override
        public void close() {
            process.close();
        }
    }
}
