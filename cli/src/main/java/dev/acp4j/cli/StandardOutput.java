package dev.acp4j.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import org.jspecify.annotations.Nullable;

/** Standard output that tells when it cannot be written any more; a plain {@link PrintStream} keeps that to itself. */
final class StandardOutput extends PrintStream {
    private final Checked checked;

    private StandardOutput(Checked checked, Charset charset) {
        super(checked, true, charset);
        this.checked = checked;
    }

    static StandardOutput of(Charset charset) {
        return new StandardOutput(new Checked(new FileOutputStream(FileDescriptor.out)), charset);
    }

    /** Sets what is done once when writing fails. It is called by the thread that writes. */
    void onFailure(Runnable listener) {
        checked.onFailure = listener;
    }

    /** Returns what to say about output that was lost; null if none was. */
    @Nullable
    Failure failure() {
        IOException failure = checked.failure;
        if (failure == null) {
            return null;
        }
        String why = String.valueOf(failure.getMessage());
        // A pipe cannot be full for good: nobody reads it any more. The message depends on the language.
        return TerminalStreams.isPipe(1) || why.contains("Broken pipe")
                ? Failure.unread()
                : Failure.unwritten(Visible.line(why));
    }

    /** What cannot be written is dropped after the first failure. */
    private static final class Checked extends OutputStream {
        private final FileOutputStream out;
        private volatile Runnable onFailure = () -> {};
        private volatile @Nullable IOException failure;

        Checked(FileOutputStream out) {
            this.out = out;
        }

        @Override
        public void write(int b) {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            if (failure != null) {
                return;
            }
            try {
                out.write(bytes, offset, length);
            } catch (IOException e) {
                failure = e;
                onFailure.run();
            }
        }
    }
}
