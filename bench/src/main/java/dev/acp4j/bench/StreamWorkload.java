package dev.acp4j.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Three turns of pieces in version 2, in a process of its own.
 *
 * @param prompt {@code stream} for pieces of a message, {@code pieces} for pieces of a tool call's content
 * @param besideVersion1 whether a process that speaks version 1 does the same directly before, to be compared
 */
record StreamWorkload(String name, Scale scale, List<Subject> subjects, String prompt, boolean besideVersion1)
        implements Workload {
    private static final int TURNS = 3;

    @Override
    public int rounds() {
        return scale.rounds();
    }

    @Override
    public void measure(Subject subject, Sheet sheet) throws Exception {
        List<Double> before = besideVersion1 ? rates(subject, 1, (what, value) -> {}) : List.of();
        List<Double> rates = rates(subject, 2, sheet);
        for (int turn = 1; turn <= TURNS; turn += 2) {
            double rate = rates.get(turn - 1);
            sheet.write(String.format(Locale.ROOT, "turn %d, /s", turn), rate);
            if (besideVersion1) {
                sheet.write(String.format(Locale.ROOT, "turn %d, × version 1", turn), rate / before.get(turn - 1));
            }
        }
    }

    /** Returns the pieces a second of each turn. */
    private List<Double> rates(Subject subject, int version, Sheet sheet) throws IOException {
        List<Double> rates = new ArrayList<>();
        try (DrivenAgent agent = new DrivenAgent(subject.command(), scale.patience(), version)) {
            String session = agent.newSession();
            for (int turn = 0; turn < TURNS; turn++) {
                byte[] asked = agent.prompt(session, prompt + " " + scale.updates());
                long start = System.nanoTime();
                int heard = version == 1 ? agent.turn(asked) : agent.turnOfVersion2(asked);
                rates.add(scale.updates() / ((System.nanoTime() - start) / 1e9));
                if (heard != scale.updates()) {
                    throw new IOException(heard + " of " + scale.updates() + " pieces came in the turn");
                }
            }
            sheet.write("peak memory, MiB", agent.peakMebibytes());
        }
        return rates;
    }
}
