package dev.acp4j.agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A checkout whose author wants a program of his to run. Each has {@code src/Retry.java}, and a way to set off the
 * trap.
 */
enum HostileCheckout {
    /** Git fetches a tree that is missing; the remote's other side is a command. */
    FETCH("git ls-files") {
        @Override
        void lay(TestWorkspace checkout, String program) throws Exception {
            missingTree(checkout, "url .", "uploadpack " + quoted(program));
        }
    },
    FETCH_BY_SSH("git ls-files") {
        @Override
        void lay(TestWorkspace checkout, String program) throws Exception {
            missingTree(checkout, "url ssh://example.org/x");
            checkout.run("git", "config", "core.sshCommand", program);
        }
    },
    FETCH_BY_PROXY("git ls-files") {
        @Override
        void lay(TestWorkspace checkout, String program) throws Exception {
            missingTree(checkout, "url git://example.org/x");
            checkout.run("git", "config", "core.gitProxy", program);
        }
    },
    FETCH_BY_TRANSPORT_HELPER("git ls-files") {
        @Override
        void lay(TestWorkspace checkout, String program) throws Exception {
            missingTree(checkout, "url ext::" + program);
            checkout.run("git", "config", "protocol.ext.allow", "always");
        }
    },
    FETCH_FOR_A_PARTIAL_CLONE("git ls-files") {
        @Override
        void lay(TestWorkspace checkout, String program) throws Exception {
            missingTree(checkout, "url .", "partialclonefilter tree:0", "uploadpack " + quoted(program));
            checkout.run("git", "config", "core.repositoryFormatVersion", "1");
            checkout.run("git", "config", "extensions.partialClone", "origin");
        }
    },
    /** A repository without a {@code .git}, which an ordinary clone brings along as files. */
    BARE_REPOSITORY_AMONG_THE_FILES("git ls-files") {
        @Override
        void lay(TestWorkspace checkout, String program) throws Exception {
            missingTree(checkout, "url .", "uploadpack " + quoted(program));
            checkout.run("git", "config", "core.worktree", "..");
            checkout.run("sh", "-c", "mkdir -p data && mv .git/* . && rmdir .git data");
            checkout.run("git", "config", "-f", "config", "core.worktree", ".");
        }
    },
    FILE_SYSTEM_MONITOR("git status") {
        @Override
        void lay(TestWorkspace checkout, String program) throws Exception {
            checkout.run("git", "config", "core.fsmonitor", program);
        }
    },
    MONITOR_IN_AN_INCLUDED_FILE("git status") {
        @Override
        void lay(TestWorkspace checkout, String program) throws Exception {
            checkout.run("git", "config", "-f", "evil", "core.fsmonitor", program);
            checkout.run("git", "config", "include.path", "../evil");
        }
    },
    MONITOR_IN_THE_CONFIGURATION_OF_THE_WORKTREE("git status") {
        @Override
        void lay(TestWorkspace checkout, String program) throws Exception {
            checkout.run("git", "config", "extensions.worktreeConfig", "true");
            checkout.run("git", "config", "--worktree", "core.fsmonitor", program);
        }
    },
    DATA_ELSEWHERE("git ls-files") {
        @Override
        void lay(TestWorkspace checkout, String program) throws Exception {
            missingTree(checkout, "url .", "uploadpack " + quoted(program));
            checkout.run("sh", "-c", "mv .git data && echo gitdir: data >.git");
        }
    },
    SUBMODULE("cd sub && git ls-files") {
        @Override
        void lay(TestWorkspace checkout, String program) throws Exception {
            Files.createDirectory(checkout.path("sub"));
            TestWorkspace sub =
                    new TestWorkspace(checkout.path("sub")).git().file("src/Inner.java", "class Inner {}\n");
            missingTree(sub, "url .", "uploadpack " + quoted(program));
            checkout.run("git", "-c", "advice.addEmbeddedRepo=false", "add", "sub");
        }
    },
    HOOKS("git commit -q --allow-empty -m x") {
        @Override
        void lay(TestWorkspace checkout, String program) throws Exception {
            checkout.run("git", "config", "core.hooksPath", "hooks");
            for (String hook : List.of("pre-commit", "post-index-change", "post-checkout", "fsmonitor-watchman")) {
                checkout.file("hooks/" + hook, "#!/bin/sh\n" + program + "\n").run("chmod", "+x", "hooks/" + hook);
            }
        }
    },
    CLEAN_FILTER("git add .") {
        @Override
        void lay(TestWorkspace checkout, String program) throws Exception {
            checkout.file(".gitattributes", "* filter=evil\n").run("git", "config", "filter.evil.clean", program);
            checkout.run("git", "config", "filter.evil.smudge", program);
        }
    },
    FILTER_PROCESS("git add .") {
        @Override
        void lay(TestWorkspace checkout, String program) throws Exception {
            checkout.file(".gitattributes", "* filter=evil\n").run("git", "config", "filter.evil.process", program);
            checkout.run("git", "config", "filter.evil.required", "true");
        }
    },
    TEXT_CONVERSION("git show") {
        @Override
        void lay(TestWorkspace checkout, String program) throws Exception {
            checkout.file(".gitattributes", "* diff=evil\n").run("git", "config", "diff.evil.textconv", program);
        }
    },
    EXTERNAL_DIFF("echo >>src/Retry.java && git diff") {
        @Override
        void lay(TestWorkspace checkout, String program) throws Exception {
            checkout.run("git", "config", "diff.external", program);
        }
    },
    PAGER("git grep -O class") {
        @Override
        void lay(TestWorkspace checkout, String program) throws Exception {
            checkout.run("git", "config", "core.pager", program);
            checkout.run("git", "config", "pager.ls-files", "true");
        }
    },
    ALIAS("git lister") {
        @Override
        void lay(TestWorkspace checkout, String program) throws Exception {
            checkout.run("git", "config", "alias.ls-files", "!" + program);
            checkout.run("git", "config", "alias.lister", "!" + program);
        }
    },
    CREDENTIALS("echo url=http://example.org/ | git credential fill") {
        @Override
        void lay(TestWorkspace checkout, String program) throws Exception {
            checkout.run("git", "config", "credential.helper", "!" + program);
            checkout.run("git", "config", "core.askPass", program);
        }
    };

    /** A line for the shell that sets off the trap where Git is asked without precautions. */
    final String spring;

    HostileCheckout(String spring) {
        this.spring = spring;
    }

    /** Sets the trap in a checkout with one commit. */
    abstract void lay(TestWorkspace checkout, String program) throws Exception;

    TestWorkspace in(Path folder, String program) throws Exception {
        TestWorkspace checkout = new TestWorkspace(folder).git();
        checkout.file("src/Retry.java", "class Retry {}\n").run("git", "add", ".");
        checkout.run("git", "commit", "-q", "-m", "x");
        lay(checkout, program);
        return checkout;
    }

    /** An index that names a folder by its tree alone, and no such tree. */
    private static void missingTree(TestWorkspace checkout, String... remote) throws Exception {
        checkout.file("deep/er/x.txt", "x").run("git", "add", ".");
        checkout.run("git", "commit", "-q", "-m", "deep");
        String tree = checkout.run("git", "rev-parse", "HEAD:deep").strip();
        checkout.run("git", "sparse-checkout", "init", "--cone", "--sparse-index");
        checkout.run("git", "sparse-checkout", "set", "src");
        Files.delete(checkout.path(".git/objects/" + tree.substring(0, 2) + "/" + tree.substring(2)));
        checkout.run("git", "config", "remote.origin.promisor", "true");
        for (String setting : remote) {
            String[] parts = setting.split(" ", 2);
            checkout.run("git", "config", "remote.origin." + parts[0], parts[1]);
        }
    }

    /** As a command line of its own, which Git goes on with the name of the repository. */
    private static String quoted(String program) {
        return program + ";false";
    }

    static boolean exists(Path folder) throws IOException {
        try (Stream<Path> marks = Files.list(folder)) {
            return marks.findAny().isPresent();
        }
    }
}
