package dev.acp4j.cli.trace;

import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.trace.TraceEvent;
import dev.acp4j.trace.TraceHeader;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A trace as a self-contained page for browsers, which may not load anything.
 *
 * <p>The content of a trace is untrusted. It is put into the page as JSON only, in blocks that no browser runs and that
 * it cannot close, and from there into the document as text. The page's policy allows only its own script to run,
 * identified by its hash.
 */
final class TracePage implements TraceView, AutoCloseable {
    private final OutputStream out;
    private final @Nullable Path target;

    /** The temporary file until the page is complete; null if it is written directly. */
    private final @Nullable Path draft;

    private @Nullable TraceHeader header;
    private final TraceLanes lanes = new TraceLanes();
    private int events;
    private boolean isTorn;

    /** The page could not be written. */
    static final class UnwrittenException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        UnwrittenException(IOException cause) {
            super(cause);
        }

        IOException cause() {
            return (IOException) Objects.requireNonNull(getCause());
        }
    }

    private TracePage(OutputStream out, @Nullable Path target, @Nullable Path draft) {
        this.out = out;
        this.target = target;
        this.draft = draft;
    }

    /**
     * Begins a page.
     *
     * @param to the file; {@code -} for standard output
     * @throws IOException if it cannot be written, or is a file with other content than such a page, which is kept
     */
    static TracePage create(String to, OutputStream standardOutput) throws IOException {
        if (to.equals("-")) {
            return new TracePage(standardOutput, null, null);
        }
        Path target;
        try {
            target = Path.of(to).toAbsolutePath();
        } catch (InvalidPathException e) {
            throw new IOException("not the name of a file: " + to, e);
        }
        if (Files.isDirectory(target)) {
            throw new IOException("this is a folder, not a file: " + to);
        }
        if (Files.exists(target) && !Files.isRegularFile(target)) {
            OutputStream device = Files.newOutputStream(target, StandardOpenOption.WRITE);
            return new TracePage(new BufferedOutputStream(device), target, null);
        }
        if (Files.exists(target) && !isPageOrEmpty(target)) {
            throw new IOException(
                    to + " exists and is not such a page, so it is kept; --html takes the name of the page,"
                            + " as in: acp trace show --html trace.html x.trace.jsonl");
        }
        Path folder = Objects.requireNonNull(target.getParent());
        if (!Files.isDirectory(folder)) {
            throw new NoSuchFileException(folder.toString());
        }
        // Atomically, and readable by the owner only: it contains the same data as the trace.
        Path draft = Files.createTempFile(folder, ".acp-trace", ".html");
        return new TracePage(new BufferedOutputStream(Files.newOutputStream(draft)), target, draft);
    }

    /** Only an earlier page is replaced: {@code --html} before the name of a recording would cost the recording. */
    private static boolean isPageOrEmpty(Path file) throws IOException {
        byte[] begin = resource("trace.html").split("\\{", 2)[0].getBytes(StandardCharsets.UTF_8);
        try (InputStream in = Files.newInputStream(file)) {
            byte[] found = in.readNBytes(begin.length);
            return found.length == 0 || Arrays.equals(found, begin);
        }
    }

    /** Returns the path of the page. */
    String file() {
        return String.valueOf(target);
    }

    /** Writes the part before the events. */
    void start() {
        try {
            write(head());
            write("<script type=\"application/json\" id=\"events\">[");
        } catch (IOException e) {
            throw new UnwrittenException(e);
        }
    }

    @Override
    public void begin(TraceHeader begun) {
        if (header == null) {
            header = begun;
        }
    }

    @Override
    public void passing(TraceStep step) {
        if (step.event().type() == TraceEvent.Type.CHAIN) {
            lanes.add(step.event());
        }
    }

    @Override
    public void step(TraceStep step) {
        TraceEvent event = step.event();
        JsonWriter row = new JsonWriter();
        row.beginArray();
        row.int64(step.number());
        row.number(Math.round(event.seconds() * 1e6) / 1e6);
        row.string(event.type().text());
        row.string(SafeText.line(event.from()));
        row.string(SafeText.line(event.to()));
        row.string(event.id() == null ? "" : SafeText.line(event.id().toString()));
        row.string(SafeText.line(step.shownMethod()));
        row.string(SafeText.line(step.session()));
        row.string(SafeText.line(MessageSummary.of(step)));
        row.int64(step.requestNumber());
        row.string(body(event));
        row.int64(event.flow());
        row.string(SafeText.text(String.join("\n", step.changes())));
        row.endArray();
        data(events++ == 0 ? "\n" : ",\n", row.toRawJson());
    }

    /** Messages are included in full, as text, so that numbers and unknown members are shown unchanged. */
    private static String body(TraceEvent event) {
        if (event.type().isMessage()) {
            return SafeText.json(event.message().toString());
        }
        return event.body() == null
                ? ""
                : SafeText.text(MessageFacts.of(event.body()).text());
    }

    @Override
    public void broken(TraceItem.Broken broken) {
        isTorn |= broken.isTorn();
    }

    @Override
    public void end(TraceTotals totals, List<TraceStep> unanswered) {
        try {
            write("\n]</script>\n<script type=\"application/json\" id=\"about\">");
            data("", about(totals, unanswered));
            write("</script>\n<script>" + resource("trace.js") + "</script>\n</body>\n</html>\n");
        } catch (IOException e) {
            throw new UnwrittenException(e);
        }
    }

    private RawJson about(TraceTotals totals, List<TraceStep> unanswered) {
        JsonWriter about = new JsonWriter();
        about.beginObject();
        about.name("subject");
        about.string(header == null ? "" : SafeText.line(header.subject()));
        about.name("began");
        about.string(header == null ? "" : header.began().toString());
        about.name("totals");
        about.string(totals.text());
        about.name("ends");
        about.beginArray();
        lanes.ends().forEach(end -> about.string(SafeText.line(end)));
        about.endArray();
        about.name("isTorn");
        about.bool(isTorn);
        about.name("unreadable");
        about.int64(totals.broken());
        about.name("unanswered");
        about.beginArray();
        unanswered.forEach(request -> about.int64(request.number()));
        about.endArray();
        about.endObject();
        return about.toRawJson();
    }

    /** Moves the complete page to its path. */
    void finish() {
        try {
            out.flush();
            if (target != null) {
                out.close();
            }
            if (draft != null) {
                Files.move(draft, Objects.requireNonNull(target), StandardCopyOption.REPLACE_EXISTING);
            }
        } catch (IOException e) {
            throw new UnwrittenException(e);
        }
    }

    @Override
    public void close() throws IOException {
        if (draft != null) {
            Files.deleteIfExists(draft);
        }
    }

    private void data(String before, RawJson json) {
        try {
            write(before);
            // A < can only occur in a string, where its escape is equivalent. Nothing else ends a script.
            write(json.toString().replace("<", "\\u003c"));
        } catch (IOException e) {
            throw new UnwrittenException(e);
        }
    }

    private void write(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String head() {
        String style = resource("trace.css");
        String policy = "default-src 'none'; style-src '" + hash(style) + "'; script-src '" + hash(resource("trace.js"))
                + "'; base-uri 'none'; form-action 'none'";
        return resource("trace.html").replace("{policy}", policy).replace("{style}", style);
    }

    private static String hash(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return "sha256-" + Base64.getEncoder().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    private static String resource(String name) {
        try (InputStream in = Objects.requireNonNull(TracePage.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
