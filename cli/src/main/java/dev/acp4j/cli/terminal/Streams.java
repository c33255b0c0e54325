package dev.acp4j.cli.terminal;

import java.io.FileDescriptor;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/**
 * The standard streams and their targets.
 *
 * @param in standard input
 * @param out standard output
 * @param err standard error
 * @param inIsTerminal whether a person types at standard input
 * @param charset how text is encoded at standard input
 */
public record Streams(InputStream in, StandardStream out, StandardStream err, boolean inIsTerminal, Charset charset) {

    public static Streams system() {
        return new Streams(
                System.in,
                stream(1, FileDescriptor.out, "stdout.encoding"),
                stream(2, FileDescriptor.err, "stderr.encoding"),
                TerminalStreams.isTerminal(0),
                TerminalStreams.isTerminal(0) ? charset("stdout.encoding") : StandardCharsets.UTF_8);
    }

    private static StandardStream stream(int number, FileDescriptor descriptor, String encoding) {
        Charset charset = TerminalStreams.isTerminal(number) ? charset(encoding) : StandardCharsets.UTF_8;
        return StandardStream.of(descriptor, charset, TerminalStreams.display(number, charset));
    }

    /** Returns the capabilities of standard output. */
    public Display outDisplay() {
        return out.display();
    }

    /** Returns whether there is a user who can see and answer questions. */
    public boolean hasPerson() {
        return inIsTerminal && outDisplay().width() > 0;
    }

    private static Charset charset(String property) {
        String name = System.getProperty(property);
        return name == null ? StandardCharsets.UTF_8 : Charset.forName(name);
    }
}
