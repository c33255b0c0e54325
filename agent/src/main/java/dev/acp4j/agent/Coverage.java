package dev.acp4j.agent;

/**
 * How much of a workspace an answer is about.
 *
 * @param searched files that were searched
 * @param left files for which the index had no room
 * @param truncated whether there were more files than are listed
 * @param files all files listed, the ones without text among them
 */
record Coverage(int searched, int left, boolean truncated, int files) {
    boolean isComplete() {
        return left == 0 && !truncated;
    }
}
