package dev.acp4j.agent;

import java.util.List;

/**
 * The files of a workspace at one moment.
 *
 * @param files in the order of their folders' listing, each once
 * @param truncated whether there are more than {@link WorkspaceFiles#MAX_FILES}
 * @param fromGit whether Git listed the files
 */
record FileListing(List<WorkspaceFile> files, boolean truncated, boolean fromGit) {
    FileListing {
        files = List.copyOf(files);
    }

    /** Text files that are left out for their size. */
    List<WorkspaceFile> tooLarge() {
        return files.stream().filter(WorkspaceFile::isTooLarge).toList();
    }

    /** Files that may hold text. */
    List<WorkspaceFile> searchable() {
        return files.stream().filter(WorkspaceFile::isSearchable).toList();
    }
}
