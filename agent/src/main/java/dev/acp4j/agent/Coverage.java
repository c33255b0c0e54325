package dev.acp4j.agent;

import java.util.List;

/**
 * The part of a workspace that an answer covers. All numbers but the last are about the files that were to be searched:
 * those of a scope, and of a language.
 *
 * @param searched files that were searched
 * @param left files that did not fit into the index
 * @param tooLarge files that are larger than {@link WorkspaceFile#MAX_SIZE}
 * @param noText files that are not text
 * @param truncated whether there were more files than are listed
 * @param files all files of the workspace that are listed
 */
record Coverage(int searched, int left, List<WorkspaceFile> tooLarge, int noText, boolean truncated, int files) {
    private static final int NAMED = 3;

    Coverage {
        tooLarge = List.copyOf(tooLarge);
    }

    /** The coverage of one text that is not a file of the workspace. */
    static Coverage ofText() {
        return new Coverage(1, 0, List.of(), 0, false, 1);
    }

    boolean isComplete() {
        return left == 0 && !truncated;
    }

    /** Whether there was no file to search. */
    boolean isEmpty() {
        return searched + left + tooLarge.size() + noText == 0;
    }

    /** What was not searched, in sentences; empty if there is nothing to say. */
    String notes() {
        StringBuilder notes = new StringBuilder();
        if (truncated) {
            notes.append("The workspace has more than ")
                    .append(Markdown.grouped(files))
                    .append(" files; the rest was not searched. ");
        }
        if (left > 0) {
            notes.append(Markdown.count(left, "file was", "files were"))
                    .append(" not searched: the index is limited to the memory of this process. ");
        }
        if (!tooLarge.isEmpty() || noText > 0) {
            notes.append("Not searched: ").append(leftOut()).append('.');
        }
        return notes.toString().strip();
    }

    private String leftOut() {
        if (tooLarge.isEmpty()) {
            return Markdown.count(noText, "file that is not text", "files that are not text");
        }
        List<String> named = tooLarge.stream()
                .limit(NAMED)
                .map(file -> Markdown.code(file.name()) + " (" + SizeText.of(file.size()) + ")")
                .toList();
        int others = tooLarge.size() - named.size();
        return String.join(", ", named)
                + (others > 0 ? " and " + others + " more" : "")
                + ", because I read text files up to " + SizeText.of(WorkspaceFile.MAX_SIZE)
                + (noText > 0
                        ? "; and " + Markdown.count(noText, "file that is not text", "files that are not text")
                        : "");
    }
}
