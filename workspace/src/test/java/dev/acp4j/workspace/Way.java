package dev.acp4j.workspace;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The ways in which files are reached; all but the first are for systems that tests may not run on. */
enum Way {
    HELD,
    HELD_WHERE_DESCRIPTORS_HAVE_NO_PATH,
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
        return switch (this) {
            case HELD -> Folder.openRoot(root);
            case HELD_WHERE_DESCRIPTORS_HAVE_NO_PATH ->
                Folder.openRoot(root, root.path().resolve("nowhere"));
            case CHECKED -> new CheckedFolder(root.path());
        };
    }
}
