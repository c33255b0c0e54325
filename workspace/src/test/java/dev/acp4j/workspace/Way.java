package dev.acp4j.workspace;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The two ways in which files are reached; the second one is for systems that tests may not run on. */
enum Way {
    HELD,
    CHECKED;

    /** Something that may fail. */
    interface Change {
        void make() throws IOException;
    }

    Workspace workspace(Path... roots) {
        return new Workspace(Roots.of(List.of(roots)), Workspace.DEFAULT_MAX_BYTES, this::open, new FileThreads());
    }

    /** Returns a workspace in which something changes each time between the check of a path and its use. */
    Workspace workspaceThatIsChanged(Path root, Change change) {
        return workspace(root, real -> {
            change.make();
            return open(real);
        });
    }

    /** Returns a workspace whose root is opened in another way. */
    Workspace workspace(Path root, Workspace.Opener opener) {
        return new Workspace(Roots.of(List.of(root)), Workspace.DEFAULT_MAX_BYTES, opener, new FileThreads());
    }

    Folder open(Root root) throws IOException {
        return this == HELD ? Folder.openRoot(root) : new CheckedFolder(root.path());
    }
}
