package dev.acp4j.agent;

/**
 * The part of a workspace that an answer covers.
 *
 * @param searched files that were searched
 * @param left files that did not fit into the index
 * @param truncated whether there were more files than are listed
 * @param files all files listed, the ones without text among them
 */
record Coverage(int searched, int left, boolean truncated, int files) {
    boolean isComplete() {
        return left == 0 && !truncated;
    }
}
