package dev.acp4j.cli.chat;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.schema.Cost;
import dev.acp4j.schema.UsageUpdate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Warns of a context that fills and of a cost that rises, once for each step: at 80 % and 95 % of the context, and at
 * 1, 2, 5, 10, 20, 50 and so on of the currency. A context that was emptied far enough, by a compaction, is watched
 * anew.
 *
 * <p>The lock guards the steps.
 */
final class UsageWatch {
    private static final int FULL = 80;
    private static final int ALMOST_OVERFULL = 95;
    /** A context at the edge of a step is not warned about again and again. */
    private static final int SLACK = 10;

    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private int warnedAt;

    @GuardedBy("lock")
    private double costStep;

    /** @param before the usage when the user came to the session; what it has cost by then is not reported */
    UsageWatch(@Nullable UsageUpdate before) {
        Cost cost = before == null ? null : before.cost();
        this.costStep = cost == null ? 0 : step(cost.amount());
    }

    /**
     * Returns the warnings about a new usage.
     *
     * @param compacts the name of the agent's command that empties the context; null if there is none
     */
    List<String> warnings(UsageUpdate usage, @Nullable String compacts) {
        List<String> warnings = new ArrayList<>();
        lock.lock();
        try {
            if (usage.size() > 0) {
                context((int) Math.min(100, 100 * (usage.used() / (double) usage.size())), compacts, warnings);
            }
            Cost cost = usage.cost();
            double step = cost == null ? 0 : step(cost.amount());
            if (cost != null && step > costStep) {
                costStep = step;
                warnings.add(String.format(
                        Locale.ROOT,
                        "This session has cost %.2f %s so far.",
                        cost.amount(),
                        SafeText.line(cost.currency())));
            }
        } finally {
            lock.unlock();
        }
        return warnings;
    }

    @GuardedBy("lock")
    private void context(int percent, @Nullable String compacts, List<String> warnings) {
        int step = percent >= ALMOST_OVERFULL ? ALMOST_OVERFULL : percent >= FULL ? FULL : 0;
        if (step > warnedAt) {
            String how = (compacts == null ? "" : "/" + compacts + " shortens it, ") + ":new starts over.";
            warnings.add("The context is " + percent + " % full"
                    + (step == FULL ? ". " : ": the agent may soon forget or stop. ")
                    + how);
            warnedAt = step;
        } else if (percent < warnedAt - SLACK) {
            warnedAt = step;
        }
    }

    /** Returns the largest step that an amount has reached; 0 for none. */
    private static double step(double amount) {
        double reached = 0;
        for (double decade = 1; decade <= amount; decade *= 10) {
            for (double step : new double[] {decade, 2 * decade, 5 * decade}) {
                reached = step <= amount ? step : reached;
            }
        }
        return reached;
    }
}
