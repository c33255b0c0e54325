package dev.acp4j.cli.prompt;

import dev.acp4j.Feature;
import dev.acp4j.cli.command.Deadline;
import dev.acp4j.cli.command.IoProblem;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.session.Attachment;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.schema.ContentBlock;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

/** Creates a prompt from words, standard input and files. */
final class PromptInput {
    static final String STANDARD_INPUT = "-";
    private static final int MOST_INPUT = 16 << 20;
    private static final Duration FOR_EVER = Duration.ofDays(10_000);

    private final List<ContentBlock> blocks = new ArrayList<>();
    private final List<Path> files = new ArrayList<>();

    private PromptInput() {}

    /**
     * Reads the input of the user, so that errors are reported before an agent is started.
     *
     * @param words the text; the word "-" means standard input
     * @param fileNames files to attach
     * @throws TimeoutException if standard input has not ended by the deadline
     */
    static PromptInput read(
            List<String> words, List<String> fileNames, InputStream in, Charset charset, Deadline deadline)
            throws InterruptedException, TimeoutException {
        PromptInput input = new PromptInput();
        List<String> text = new ArrayList<>(words);
        boolean readsInput = text.remove(STANDARD_INPUT);
        if (text.contains(STANDARD_INPUT)) {
            throw new UsageException("standard input can be read once: '-' is given twice");
        }
        String asked = String.join(" ", text);
        if (!asked.isBlank()) {
            input.blocks.add(ContentBlock.text(asked));
        }
        if (readsInput) {
            input.addText(all(in, deadline), charset);
        }
        for (String name : fileNames) {
            input.files.add(file(name));
        }
        if (input.blocks.isEmpty()) {
            throw new UsageException(
                    readsInput
                            ? "standard input is empty"
                            : "the prompt is missing; use acp prompt \"what to do\", or - for standard input");
        }
        return input;
    }

    /** Returns the prompt in a form that this agent accepts. */
    List<ContentBlock> content(Predicate<Feature> supports) {
        List<ContentBlock> content = new ArrayList<>(blocks);
        for (Path file : files) {
            try {
                content.add(Attachment.of(file, supports));
            } catch (IOException e) {
                throw new UsageException("cannot read " + SafeText.line(file.toString()) + ": " + IoProblem.text(e));
            }
        }
        return content;
    }

    /** Reading a stream cannot be interrupted, so another thread reads. */
    private static byte[] all(InputStream in, Deadline deadline) throws InterruptedException, TimeoutException {
        FutureTask<byte[]> reading = new FutureTask<>(() -> in.readNBytes(MOST_INPUT + 1));
        Thread reader = new Thread(reading, "acp-input");
        reader.setDaemon(true);
        reader.start();
        try {
            return reading.get(deadline.left(FOR_EVER).toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            Throwable why = Objects.requireNonNull(e.getCause());
            throw new UsageException("standard input cannot be read: " + why.getMessage());
        }
    }

    private void addText(byte[] bytes, Charset charset) {
        if (bytes.length > MOST_INPUT) {
            throw new UsageException(
                    "standard input is larger than " + (MOST_INPUT >> 20) + " MiB; write it to a file and attach that");
        }
        String text = new String(bytes, charset);
        if (!text.isBlank()) {
            blocks.add(ContentBlock.text(text));
        }
    }

    private static Path file(String name) {
        Path file;
        try {
            file = Path.of(name).toAbsolutePath().normalize();
        } catch (InvalidPathException e) {
            throw new UsageException("not the name of a file: " + SafeText.line(name));
        }
        if (!Files.exists(file)) {
            throw new UsageException("there is no file " + SafeText.line(file.toString()));
        }
        if (Files.isDirectory(file)) {
            throw new UsageException("this is a folder, not a file: " + SafeText.line(file.toString()));
        }
        if (!Files.isReadable(file)) {
            throw new UsageException("this file cannot be read: " + SafeText.line(file.toString()));
        }
        return file;
    }
}
