package dev.acp4j.cli.trace;

import dev.acp4j.cli.command.TraceFolder;
import dev.acp4j.trace.TraceEvent;
import dev.acp4j.trace.TraceHeader;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The items of one trace, or of several related ones. */
interface TraceInput extends AutoCloseable {
    /** Returns the next item; null at the end. Blocks if the trace is followed. */
    @Nullable
    TraceItem next() throws IOException, InterruptedException;

    /** Returns the name for messages. */
    String name();

    @Override
    void close() throws IOException;

    /**
     * Opens traces.
     *
     * @param names files, or {@code -} for standard input; none for the newest trace in the default folder
     */
    static TraceInput open(List<String> names, boolean follow, InputStream standardInput) throws IOException {
        if (names.equals(List.of("-"))) {
            return new OneTrace("standard input", standardInput);
        }
        List<Path> files = new ArrayList<>();
        for (String name : names) {
            files.add(path(name));
        }
        if (files.isEmpty()) {
            files.add(newest());
        }
        if (files.size() > 1) {
            return new MergedTraces(files);
        }
        Path file = files.getFirst();
        return follow ? new FollowedTrace(file) : new OneTrace(file.toString(), Files.newInputStream(file));
    }

    private static Path path(String name) throws IOException {
        try {
            Path file = Path.of(name);
            if (Files.isDirectory(file)) {
                throw new IOException("this is a folder, not a file: " + name);
            }
            return file;
        } catch (InvalidPathException e) {
            throw new IOException("not the name of a file: " + name, e);
        }
    }

    private static Path newest() throws IOException {
        Path folder = TraceFolder.folder();
        try (Stream<Path> files = Files.list(folder)) {
            Optional<Path> newest = files.filter(file -> file.toString().endsWith(".jsonl"))
                    .max(Comparator.comparingLong(file -> file.toFile().lastModified()));
            return newest.orElseThrow(() -> new IOException("there is no trace in " + folder));
        } catch (NoSuchFileException e) {
            throw new IOException("there is no trace in " + folder, e);
        }
    }

    /** One trace from its beginning to its end. */
    final class OneTrace implements TraceInput {
        private final String name;
        private final InputStream in;
        private final TraceReader reader;

        OneTrace(String name, InputStream in) {
            this.name = name;
            this.in = in;
            this.reader = new TraceReader(in);
        }

        @Override
        public @Nullable TraceItem next() throws IOException {
            TraceItem item = reader.next();
            return item == null ? reader.rest() : item;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }

    /** Several traces, merged by the time of their events. */
    final class MergedTraces implements TraceInput {
        private final List<Path> files;
        private final List<Timed> timed = new ArrayList<>();
        private final List<TraceItem> broken = new ArrayList<>();
        private final List<String> subjects = new ArrayList<>();
        private final Iterator<TraceItem> items;
        private Instant first = Instant.MAX;

        private record Timed(Instant at, TraceEvent event) {}

        MergedTraces(List<Path> files) throws IOException {
            this.files = List.copyOf(files);
            for (Path file : files) {
                try (OneTrace trace =
                        new OneTrace(file.toString(), new BufferedInputStream(Files.newInputStream(file)))) {
                    read(trace);
                }
            }
            this.items = merged().iterator();
        }

        private void read(OneTrace trace) throws IOException {
            Instant began = Instant.EPOCH;
            TraceItem item;
            while ((item = trace.next()) != null) {
                switch (item) {
                    case TraceItem.Begin begin -> {
                        began = begin.header().began();
                        first = began.isBefore(first) ? began : first;
                        subjects.add(begin.header().subject());
                    }
                    case TraceItem.Event event ->
                        timed.add(new Timed(
                                began.plusNanos(Math.round(event.event().seconds() * 1e9)), event.event()));
                    case TraceItem.Broken unreadable -> broken.add(unreadable);
                }
            }
        }

        private List<TraceItem> merged() {
            timed.sort(Comparator.comparing(Timed::at));
            List<TraceItem> all = new ArrayList<>();
            if (!subjects.isEmpty()) {
                all.add(new TraceItem.Begin(new TraceHeader(first, String.join(" | ", subjects))));
            }
            for (Timed each : timed) {
                all.add(new TraceItem.Event(
                        shifted(each.event(), Duration.between(first, each.at()).toNanos() / 1e9)));
            }
            all.addAll(broken);
            return all;
        }

        private static TraceEvent shifted(TraceEvent event, double seconds) {
            return new TraceEvent(
                    seconds,
                    event.type(),
                    event.from(),
                    event.to(),
                    event.id(),
                    event.method(),
                    event.session(),
                    event.body(),
                    event.flow());
        }

        @Override
        public @Nullable TraceItem next() {
            return items.hasNext() ? items.next() : null;
        }

        @Override
        public String name() {
            return files.toString();
        }

        @Override
        public void close() {}
    }
}
