package dev.acp4j.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What must be reached, and what is. */
final class Targets {
    private static final String ANY_PEER = "best peer";
    private static final String NOBODY = "";
    private static final List<String> PEERS = List.of(Subject.JAVA_SDK, Subject.KOTLIN_SDK, Subject.TYPESCRIPT_SDK);

    /** A bound of ours, as a multiple of somebody's or, with nobody named, absolute. */
    private record Target(String workload, String what, String ours, boolean atMost, double factor, String other) {
        /** Returns the same bound for another of ours. */
        Target of(String another) {
            return new Target(workload, what, another, atMost, factor, other);
        }
    }

    private static final List<Target> ALL = all();

    private Targets() {}

    private static List<Target> all() {
        List<Target> all = new ArrayList<>();
        starts(all);
        streams(all);
        version2(all);
        for (String workload : List.of("tiny turns", "file reads")) {
            all.add(most(workload, "p50, µs", 1.5, Subject.FLOOR));
            all.add(most(workload, "p50, µs", 1, Subject.TYPESCRIPT_SDK));
            all.add(most(workload, "p99, µs", 3, Subject.FLOOR));
        }
        for (String workload : List.of("prompt of 10 MB", "prompt of 60 MB", "write of 10 MB", "write of 60 MB")) {
            all.add(most(workload, "peak above idle, × message", 4, NOBODY));
            all.add(most(workload, "second, ms", 2, Subject.FLOOR));
        }
        all.add(most("1,000 sessions", "memory of each, KiB", 10, NOBODY));
        all.add(most("10,000 sessions", "memory of each, KiB", 10, NOBODY));
        all.add(plain(least("forwarding in process", "eighth, /s", 1_000_000, NOBODY)));
        all.add(plain(least("forwarding in process", "with answers, eighth, /s", 1_000_000, NOBODY)));
        all.add(plain(most("forwarding in process", "objects a message", 1, NOBODY)));
        all.add(plain(least("forwarding, two pipes", "turn 3, /s", 0.8, Subject.FLOOR)));
        all.add(plain(least("forwarding, two pipes", "turn 3, /s", 1_000_000, NOBODY)));
        all.add(plain(most("forwarding, two pipes", "p50, µs", 300, NOBODY)));
        all.add(plain(most("forwarding, two pipes", "bytes a message", 300, NOBODY)));
        all.add(plain(least("client through a proxy", "turn 3, /s", 0.95, Subject.FLOOR)));
        all.add(plain(least("client through five proxies", "turn 3, /s", 0.9, Subject.FLOOR)));
        all.add(most("MCP server, cold", "start, list and call, ms", 1.3, Subject.FLOOR));
        all.add(most("MCP server, cold", "start, list and call, ms", 1, Subject.TYPESCRIPT_SDK));
        all.add(most("MCP shim", "to the first answer, ms", 60, NOBODY));
        all.add(most("MCP shim", "to the first answer, ms", 1.5, Subject.FLOOR));
        all.add(most("MCP shim", "peak memory, MiB", 45, NOBODY));
        all.add(most("MCP shim", "from the end of input to exit, ms", 1_000, NOBODY));
        all.add(plain(most("chain of three processes", "p50, µs", 3, Subject.FLOOR)));
        all.add(plain(most("chain of three processes, seven copies", "p50, µs", 2, Subject.FLOOR)));
        remote(all);
        return List.copyOf(all);
    }

    private static void remote(List<Target> all) {
        all.add(most("remote, start", "to the first answer, ms", 1.5, Subject.FLOOR));
        all.add(plain(most("remote, start", "to the first answer, ms", 1.5, Subject.FLOOR)));
        for (String idle : List.of(
                "remote, idle, events",
                "remote, idle, events on HTTP/2, 5 connections",
                "remote, idle, events on HTTP/2, 50 connections",
                "remote, idle, WebSocket")) {
            all.add(plain(most(idle, "memory of each, KiB", idle.endsWith("WebSocket") ? 24 : 12, NOBODY)));
            all.add(plain(most(idle, "threads", 24, NOBODY)));
        }
        for (Way way : Way.values()) {
            String turns = "remote, turns, " + way.text;
            all.add(plain(most(turns, "p50, µs", 2, Subject.FLOOR)));
            all.add(plain(most(turns, "p99, µs", 2, Subject.FLOOR)));
            all.add(plain(least(turns, "turns of 16 clients, /s", 3, Subject.TYPESCRIPT_SDK)));
            all.add(plain(least(turns, "stream, turn 3, /s", 0.4, Subject.FLOOR)));
            all.add(plain(most(turns, "threads", 24, NOBODY)));
            String crowd = "remote, crowd, " + way.text;
            all.add(plain(most(crowd, "seen after, p99, ms", 2, Subject.FLOOR)));
            all.add(plain(most(crowd, "heap of the last third, × the first", 1.1, NOBODY)));
            all.add(plain(most(crowd, "threads", 24, NOBODY)));
        }
        all.add(plain(most("remote, durability", "cost, %", 15, NOBODY)));
        String later = "meanwhile, seen after, p99, × before";
        all.add(plain(most("remote, crowd, stalled readers", later, 1.5, NOBODY)));
        all.add(plain(least("remote, crowd, stalled readers", "agents wait, %", 90, NOBODY)));
        // 256 KiB may be queued in the agent, as much in its streams, and 100 updates of 8 KB are kept.
        all.add(plain(
                most("remote, crowd, stalled readers", "heap of each slow or stalled client, KiB", 1_500, NOBODY)));
        all.add(plain(most("remote, crowd, stalled readers", "threads", 24, NOBODY)));
        all.add(plain(most("remote, large updates", "seen after, p99, ms", 50, NOBODY)));
        all.add(plain(most("remote, half requests", later, 2, NOBODY)));
        all.add(plain(most("remote, half requests", "all gone, s", 40, NOBODY)));
        all.add(plain(most("remote, slow reader", "heap, MiB", 96, NOBODY)));
        all.add(plain(least("remote, slow reader", "agent waits, %", 90, NOBODY)));
        all.add(plain(least("remote, replay", "replayed, MB/s", 100, NOBODY)));
        all.add(plain(most("remote, replay", later, 1.5, NOBODY)));
        all.add(plain(most("remote, storm", "all resumed, s", 5, NOBODY)));
        all.add(plain(most("remote, storm over TLS", "all resumed, s", 10, NOBODY)));
        for (String storm : List.of("remote, storm", "remote, storm over TLS")) {
            all.add(plain(most(storm, "heap, × before", 2, NOBODY)));
        }
        all.add(most("remote, acp connect", "to the first answer, ms", 300, NOBODY));
        all.add(most("remote, acp connect", "more than without, p50, µs", 1_000, NOBODY));
        all.add(most("remote, hosting", "memory of each, KiB", 300, NOBODY));
        all.add(most("remote, hosting", "descriptors left", 0, NOBODY));
    }

    private static void starts(List<Target> all) {
        String time = "to the first answer, ms";
        String memory = "peak memory, MiB";
        for (String ours : List.of(Subject.ACP4J, Subject.LAUNCHER)) {
            all.add(most("start", time, 1.3, Subject.FLOOR).of(ours));
            all.add(most("start", time, 0.25, Subject.TYPESCRIPT_SDK).of(ours));
            all.add(most("start", time, 0.08, Subject.JAVA_SDK).of(ours));
        }
        all.add(plain(most("start", time, 2, Subject.FLOOR)));
        all.add(plain(most("start", time, 0.4, Subject.TYPESCRIPT_SDK)));
        all.add(most("start", memory, 1.2, Subject.FLOOR));
        all.add(most("start", memory, 0.8, Subject.TYPESCRIPT_SDK));
    }

    private static void streams(List<Target> all) {
        all.add(least("stream", "turn 1, /s", 5, ANY_PEER));
        all.add(least("stream", "turn 1, /s", 0.4, Subject.FLOOR));
        all.add(least("stream", "turn 3, /s", 2, ANY_PEER));
        all.add(least("stream", "turn 3, /s", 0.7, Subject.FLOOR));
        all.add(most("stream", "CPU of turn 1, s", 0.2, Subject.JAVA_SDK));
        all.add(most("stalled reader", "peak memory, MiB", 100, NOBODY));
        all.add(most("stalled reader", "lost", 0, NOBODY));
        for (String turn : List.of("turn 1, /s", "turn 3, /s")) {
            all.add(plain(least("client", turn, 4, Subject.JAVA_SDK)));
            all.add(plain(least("client", turn, 2, Subject.TYPESCRIPT_SDK)));
        }
    }

    private static void version2(List<Target> all) {
        for (String turn : List.of("turn 1, ", "turn 3, ")) {
            all.add(least("version 2 beside version 1", turn + "× version 1", 0.8, NOBODY));
            all.add(least("stream in version 2", turn + "/s", 5, Subject.TYPESCRIPT_SDK));
            all.add(least("tool call pieces", turn + "/s", 5, Subject.TYPESCRIPT_SDK));
            all.add(plain(least("client in version 2", turn + "/s", 2, Subject.TYPESCRIPT_SDK)));
            all.add(plain(least("client, tool call pieces", turn + "/s", 2, Subject.TYPESCRIPT_SDK)));
        }
    }

    private static Target most(String workload, String what, double factor, String other) {
        return new Target(workload, what, Subject.ACP4J, true, factor, other);
    }

    private static Target least(String workload, String what, double factor, String other) {
        return new Target(workload, what, Subject.ACP4J, false, factor, other);
    }

    private static Target plain(Target target) {
        return target.of(Subject.ACP4J_PLAIN);
    }

    /** Returns a table of those targets for which there are results. */
    static String compare(Results results) {
        List<List<String>> lines = new ArrayList<>();
        lines.add(List.of("workload", "what", "of", "must be", "is", "reached"));
        for (Target target : ALL) {
            Results.Row row = new Results.Row(target.workload, target.what);
            String other = target.other.equals(ANY_PEER) ? best(results, row) : target.other;
            if (results.has(row, target.ours) && (other.isEmpty() || results.has(row, other))) {
                lines.add(line(results, row, target, other));
            }
        }
        return Columns.markdown(lines);
    }

    private static List<String> line(Results results, Results.Row row, Target target, String other) {
        double reference = other.isEmpty() ? 1 : results.median(row, other);
        double is = results.median(row, target.ours) / reference;
        boolean reached = target.atMost ? is <= target.factor : is >= target.factor;
        String bound = other.isEmpty()
                ? Table.number(target.factor)
                : String.format(Locale.ROOT, "%s × %s", Table.number(target.factor), other);
        return List.of(
                target.workload,
                target.what,
                target.ours,
                (target.atMost ? "≤ " : "≥ ") + bound,
                Table.number(is) + (other.isEmpty() ? "" : " ×"),
                reached ? "yes" : "no");
    }

    private static String best(Results results, Results.Row row) {
        String best = "no peer";
        for (String peer : PEERS) {
            boolean better = results.has(row, peer)
                    && (!results.has(row, best)
                            || (results.median(row, peer) > results.median(row, best)) == row.moreIsBetter());
            if (better) {
                best = peer;
            }
        }
        return best;
    }
}
