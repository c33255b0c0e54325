package dev.acp4j.bench;

import java.util.List;

/** A transparent connection forwards small messages within one process. */
record MemoryForwarding(Scale scale, Subjects programs) implements Workload {
    private static final String PROGRAM = "MemoryRelay";
    /** No collection may come while objects are counted. */
    private static final List<String> LARGE_HEAP = List.of("-XX:+UseSerialGC", "-Xms6g", "-Xmx6g", "-Xmn4g");

    @Override
    public String name() {
        return "forwarding in process";
    }

    @Override
    public List<Subject> subjects() {
        return List.of(programs.acp4jPlain(PROGRAM));
    }

    @Override
    public int rounds() {
        return scale.fewRounds();
    }

    @Override
    public void measure(Subject subject, Sheet sheet) throws Exception {
        String messages = String.valueOf(scale.updates());
        try (Child relay = new Child(programs.acp4jCommand(PROGRAM, LARGE_HEAP, messages), scale.patience())) {
            rounds(relay, sheet, "");
            rounds(relay, sheet, "with answers, ");
            allocation(relay, sheet, "");
            allocation(relay, sheet, "with answers, ");
        }
    }

    private static void allocation(Child relay, Sheet sheet, String what) throws Exception {
        relay.next();
        sheet.write(what + "objects a message", Double.parseDouble(relay.text()));
        relay.next();
        sheet.write(what + "bytes a message", Double.parseDouble(relay.text()));
    }

    private static void rounds(Child relay, Sheet sheet, String what) throws Exception {
        double rate = 0;
        for (int round = 0; round < 8; round++) {
            relay.next();
            rate = Double.parseDouble(relay.text());
            if (round == 0) {
                sheet.write(what + "first, /s", rate);
            }
        }
        sheet.write(what + "eighth, /s", rate);
    }
}
