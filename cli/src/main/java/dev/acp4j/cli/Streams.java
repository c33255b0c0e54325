package dev.acp4j.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/**
 * The standard streams, and what is at their ends.
 *
 * @param in standard input
 * @param out standard output
 * @param err standard error
 * @param inIsTerminal whether a person types at standard input
 * @param outLook what standard output can show
 * @param errLook what standard error can show
 * @param charset how text is encoded at a terminal
 */
record Streams(
        InputStream in,
        StandardOutput out,
        PrintStream err,
        boolean inIsTerminal,
        Look outLook,
        Look errLook,
        Charset charset) {

    static Streams system() {
        Charset out = TerminalStreams.isTerminal(1) ? charset("stdout.encoding") : StandardCharsets.UTF_8;
        Charset err = TerminalStreams.isTerminal(2) ? charset("stderr.encoding") : StandardCharsets.UTF_8;
        return new Streams(
                System.in,
                StandardOutput.of(out),
                new PrintStream(new FileOutputStream(FileDescriptor.err), true, err),
                TerminalStreams.isTerminal(0),
                TerminalStreams.look(1, out),
                TerminalStreams.look(2, err),
                TerminalStreams.isTerminal(0) ? charset("stdout.encoding") : StandardCharsets.UTF_8);
    }

    /** Whether there is a person who can be asked, and who sees the question. */
    boolean hasPerson() {
        return inIsTerminal && outLook.width() > 0;
    }

    /** Returns a writer to standard output. */
    PrintWriter outWriter() {
        return new PrintWriter(out, true, out.charset());
    }

    /** Returns a writer to standard error. */
    PrintWriter errWriter() {
        return new PrintWriter(err, true, err.charset());
    }

    /** Says on standard error what went wrong. */
    void tell(Failure failure) {
        failure.print(errWriter(), errLook);
    }

    private static Charset charset(String property) {
        String name = System.getProperty(property);
        return name == null ? StandardCharsets.UTF_8 : Charset.forName(name);
    }
}
