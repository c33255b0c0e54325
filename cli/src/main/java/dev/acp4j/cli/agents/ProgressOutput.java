package dev.acp4j.cli.agents;

import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Screen;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.cli.terminal.Styles;
import dev.acp4j.json.JsonNumber;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.registry.Progress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Shows the progress of installations: a bar at a terminal, a line for each step elsewhere, events with {@code --json}.
 * All but events go to standard error.
 */
final class ProgressOutput implements Progress {
    private static final int BAR = 20;
    private static final long REDRAW_NANOS = 100_000_000;
    private static final long EVENT_BYTES = 8 << 20;
    private static final double NANOS = 1e9;

    private final Streams streams;
    private final boolean json;
    private final boolean quiet;
    private final Screen screen;
    private String file = "";
    private long begun;
    private long first;
    private long shownAt;
    private long shownBytes;

    ProgressOutput(Streams streams, RegistryOptions options) {
        this.streams = streams;
        this.json = options.json;
        this.quiet = options.quiet;
        this.screen = new Screen(streams.err()::print, streams.err().display());
    }

    @Override
    public void step(String text) {
        if (json) {
            event("step", Map.of("text", JsonString.of(text)));
        } else if (!quiet) {
            screen.clear();
            RegistryOptions.say(streams, text + "…");
        }
    }

    @Override
    public void bytes(String name, long done, long total) {
        long now = System.nanoTime();
        if (!name.equals(file)) {
            file = name;
            begun = now;
            first = done;
            shownAt = 0;
            shownBytes = 0;
            if (!json && !quiet && !screen.isRewritable()) {
                RegistryOptions.say(streams, "fetching " + name + (total < 0 ? "" : ", " + size(total)) + "…");
            }
        }
        boolean isDone = done == total;
        if (json && (isDone || done - shownBytes >= EVENT_BYTES || done == 0)) {
            shownBytes = done;
            Map<String, JsonValue> members = new LinkedHashMap<>();
            members.put("file", JsonString.of(name));
            members.put("bytes", JsonNumber.of(done));
            if (total >= 0) {
                members.put("total", JsonNumber.of(total));
            }
            event("bytes", members);
        } else if (!json && !quiet && screen.isRewritable() && (isDone || now - shownAt >= REDRAW_NANOS)) {
            shownAt = now;
            screen.live(List.of(Styles.plain(bar(name, done, total, now))));
            if (isDone) {
                screen.clear();
            }
        }
    }

    private void event(String type, Map<String, JsonValue> more) {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        members.put("event", JsonString.of(type));
        members.putAll(more);
        streams.out().json(JsonObject.of(members).toString());
    }

    private String bar(String name, long done, long total, long now) {
        double seconds = Math.max(0.001, (now - begun) / NANOS);
        double speed = (done - first) / seconds;
        String text = SafeText.line(name) + "  " + size(done);
        if (total > 0) {
            int full = (int) Math.min(BAR, done * BAR / total);
            boolean unicode = streams.err().display().unicode();
            text = (unicode ? "█" : "#").repeat(full) + (unicode ? "░" : ".").repeat(BAR - full) + "  " + text + " of "
                    + size(total);
        }
        text += ", " + size((long) speed) + "/s";
        return total > 0 && speed > 0 ? text + ", " + Math.round((total - done) / speed) + " s left" : text;
    }

    /** Returns a number of bytes for people. */
    static String size(long bytes) {
        if (bytes < 1000) {
            return bytes + " B";
        }
        double value = bytes / 1000.0;
        for (String unit : List.of("kB", "MB")) {
            if (value < 1000) {
                return String.format(Locale.ROOT, "%.1f %s", value, unit);
            }
            value /= 1000;
        }
        return String.format(Locale.ROOT, "%.1f GB", value);
    }
}
