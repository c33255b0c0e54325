package dev.acp4j.it;

import dev.acp4j.json.JsonNumber;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.trace.TraceEvent;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the ends of connections that are ours have sent, from the recordings in a folder, held against the schema of the
 * version that the connection spoke. A recording is named by the end that made it; what that end sent is ours, what it
 * received need not be.
 */
final class EmittedMessages {
    /**
     * What was found.
     *
     * @param connections the recordings that were read
     * @param messages the messages in them that are ours
     * @param drafts how many of these only the drafts of the protocol allow
     * @param tests the tests that made them
     * @param faults what is wrong with them, each with its test, recording and message
     */
    record Findings(int connections, long messages, long drafts, Set<String> tests, List<String> faults) {
        Findings plus(Findings other) {
            List<String> all = new ArrayList<>(faults);
            all.addAll(other.faults);
            Set<String> allTests = new HashSet<>(tests);
            allTests.addAll(other.tests);
            return new Findings(
                    connections + other.connections, messages + other.messages, drafts + other.drafts, allTests, all);
        }
    }

    static final Findings NOTHING = new Findings(0, 0, 0, Set.of(), List.of());

    /** Stands in a fault of an answer when nobody can tell which request is answered. */
    static final String UNCLEAR_ID = " (the id is null, or that of several requests)";

    private static final int LONGEST_SHOWN = 500;

    /** A value that is none of ten variants has a fault for each of them. */
    private static final int MOST_SHOWN = 5;

    /** So many shapes of one recording are remembered. */
    private static final int MOST_SHAPES = 5_000;

    private static final String TYPE = "\"type\":";

    private static final String NOTIFICATION_FROM = "\"type\":\"notification\",\"from\":\"";

    private static final String INITIALIZE = "\"" + AgentMethods.INITIALIZE.name() + "\"";

    /** Where the members behind the time begin. */
    private static final int LONGEST_TIME = 40;

    private final OfficialSchema first;
    private final OfficialSchema second;

    EmittedMessages(OfficialSchema first, OfficialSchema second) {
        this.first = first;
        this.second = second;
    }

    /** Reads all recordings in a folder and its folders. */
    Findings in(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return NOTHING;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            List<Path> recordings = files.filter(file -> file.toString().endsWith(".trace.jsonl"))
                    .sorted()
                    .toList();
            return recordings.parallelStream().map(this::of).reduce(NOTHING, Findings::plus);
        }
    }

    private Findings of(Path recording) {
        Judge judge = new Judge(recording);
        read(recording, judge.ours, line -> {
            if (line.contains(INITIALIZE)) {
                judge.noteVersion(event(line));
            }
        });
        read(recording, judge.ours, judge::take);
        return new Findings(1, judge.messages, judge.drafts, Set.of(test(recording)), judge.faults);
    }

    /** Judges the events of one recording, one after another, since a flood would fill the memory. */
    private final class Judge {
        final String ours;
        final List<String> faults = new ArrayList<>();
        long messages;
        long drafts;
        private final Path recording;
        private final Set<RawJson> asked = new HashSet<>();
        private final Set<RawJson> askedAgain = new HashSet<>();

        /** The shapes of messages without faults, and which of them only the drafts allow. */
        private final Map<String, Boolean> faultless = new HashMap<>();

        private boolean isSecond;

        Judge(Path recording) {
            String name = recording.getFileName().toString();
            this.ours = name.substring(0, name.indexOf('-'));
            this.recording = recording;
        }

        /**
         * Notes whether the connection spoke version 2: the last answer to {@code initialize} says so. Some agents echo
         * the version that they were asked for, and say what they can in the words of version 1.
         */
        void noteVersion(TraceEvent event) {
            if (isInitialize(event) && event.type() == TraceEvent.Type.RESULT) {
                isSecond = version(event) == 2
                        && member(event, "agentCapabilities").isEmpty();
            }
        }

        /** Messages that differ in their digits only, as those of a flood do, are judged once. */
        void take(String line) {
            String shape = line.contains(INITIALIZE) ? "" : shape(line);
            Boolean isDraft = faultless.get(shape);
            if (isDraft != null) {
                count(isDraft);
                return;
            }
            TraceEvent event = event(line);
            if (!event.from().equals(ours)) {
                RawJson id = idOfRequest(event);
                if (id != null && !asked.add(id)) {
                    askedAgain.add(id);
                }
                return;
            }
            if (event.type() == TraceEvent.Type.END) {
                return;
            }
            OfficialSchema schema = (isInitialize(event) ? version(event) == 2 : isSecond) ? second : first;
            OfficialSchema.Verdict verdict = schema.judge(event);
            count(verdict.isDraft());
            List<String> found = verdict.faults();
            if (!found.isEmpty()) {
                boolean unclear = RawJson.NULL.equals(event.id()) || askedAgain.contains(event.id());
                String note = isAnswer(event) && unclear ? UNCLEAR_ID : "";
                faults.add(shown(recording, event, found, note));
            } else if (!shape.isEmpty() && faultless.size() < MOST_SHAPES) {
                faultless.put(shape, verdict.isDraft());
            }
        }

        private void count(boolean isDraft) {
            messages++;
            drafts += isDraft ? 1 : 0;
        }
    }

    /** Returns what stands behind the time, each digit replaced by the same. */
    private static String shape(String line) {
        StringBuilder shape = new StringBuilder(line).delete(0, Math.max(0, line.indexOf(TYPE)));
        for (int i = 0; i < shape.length(); i++) {
            if (shape.charAt(i) >= '0' && shape.charAt(i) <= '9') {
                shape.setCharAt(i, '0');
            }
        }
        return shape.toString();
    }

    private static TraceEvent event(String line) {
        return RawJson.parse(line).decode(TraceEvent.CODEC);
    }

    /** Returns the id under which an event is answered, or null. What is no proper request may have one, too. */
    private static @Nullable RawJson idOfRequest(TraceEvent event) {
        if (event.type() == TraceEvent.Type.REQUEST) {
            return event.id();
        }
        RawJson text = event.type() == TraceEvent.Type.NOISE ? event.body() : null;
        if (text == null) {
            return null;
        }
        RequestId id = Message.parse(text.reader().string()).id();
        return id == null ? null : id.json();
    }

    private static boolean isInitialize(TraceEvent event) {
        return AgentMethods.INITIALIZE.name().equals(event.method());
    }

    /** Returns the version that a message of {@code initialize} names; 0 when there is none. */
    private static int version(TraceEvent event) {
        return member(event, "protocolVersion")
                .map(version -> version instanceof JsonNumber number ? (int) number.doubleValue() : 0)
                .orElse(0);
    }

    private static Optional<JsonValue> member(TraceEvent event, String name) {
        RawJson body = event.body();
        return body != null && body.value() instanceof JsonObject object ? object.get(name) : Optional.empty();
    }

    private static boolean isAnswer(TraceEvent event) {
        return event.type() == TraceEvent.Type.RESULT || event.type() == TraceEvent.Type.ERROR;
    }

    private static String shown(Path recording, TraceEvent event, List<String> found, String note) {
        return test(recording) + ":" + note + "\n    "
                + String.join("\n    ", found.subList(0, Math.min(found.size(), MOST_SHOWN))) + "\n    in "
                + shown(event) + "\n    of "
                + recording.toAbsolutePath().normalize();
    }

    /**
     * Reads the events of a recording but the notifications of the peer: they make most of the recording of a flood,
     * and no fault depends on them. What was not written to its end is left out.
     */
    private static void read(Path recording, String ours, Consumer<String> reader) {
        try (BufferedReader in = Files.newBufferedReader(recording)) {
            String line = in.readLine();
            for (String next = in.readLine(); next != null; next = in.readLine()) {
                read(line, ours, reader);
                line = next;
            }
            if (line != null && line.endsWith("}")) {
                read(line, ours, reader);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void read(String line, String ours, Consumer<String> reader) {
        int from = line.indexOf(NOTIFICATION_FROM);
        boolean isHeader = !line.startsWith("{\"ts\":");
        boolean isOfPeer =
                from > 0 && from < LONGEST_TIME && !line.startsWith(ours + "\"", from + NOTIFICATION_FROM.length());
        if (!isHeader && !isOfPeer) {
            reader.accept(line);
        }
    }

    /** Returns the name of the test, which is that of the folder. */
    private static String test(Path recording) {
        return String.valueOf(recording.getName(recording.getNameCount() - 2));
    }

    private static String shown(TraceEvent event) {
        String text = event.toString();
        return text.length() <= LONGEST_SHOWN ? text : text.substring(0, LONGEST_SHOWN) + "…";
    }
}
