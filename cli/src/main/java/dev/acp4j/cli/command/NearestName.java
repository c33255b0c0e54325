package dev.acp4j.cli.command;

import dev.acp4j.cli.terminal.SafeText;
import java.util.Collection;

/** Finds the name that somebody meant. */
public final class NearestName {
    private NearestName() {}

    /** Returns a sentence that names the nearest name; empty if none is near. */
    public static String suggestion(String typed, Collection<String> names) {
        String nearest = null;
        int least = 1 + Math.max(1, typed.length() / 3);
        for (String name : names) {
            int distance = name.startsWith(typed) ? 1 : distance(typed, name);
            if (distance < least) {
                least = distance;
                nearest = name;
            }
        }
        return nearest == null ? "" : " Did you mean " + SafeText.line(nearest) + "?";
    }

    /** Returns the number of letters to insert, delete, replace or swap. */
    private static int distance(String one, String other) {
        int[][] distances = new int[one.length() + 1][other.length() + 1];
        for (int i = 0; i <= one.length(); i++) {
            for (int j = 0; j <= other.length(); j++) {
                if (i == 0 || j == 0) {
                    distances[i][j] = i + j;
                    continue;
                }
                int replaced = distances[i - 1][j - 1] + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                int least = Math.min(replaced, 1 + Math.min(distances[i - 1][j], distances[i][j - 1]));
                boolean isSwapped = i > 1
                        && j > 1
                        && one.charAt(i - 1) == other.charAt(j - 2)
                        && one.charAt(i - 2) == other.charAt(j - 1);
                distances[i][j] = isSwapped ? Math.min(least, 1 + distances[i - 2][j - 2]) : least;
            }
        }
        return distances[one.length()][other.length()];
    }
}
