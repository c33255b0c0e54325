package dev.acp4j.agent;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The command meant by a prompt in plain words: a few phrases mean a command. Any other prompt is a question about the
 * workspace.
 *
 * @param command the command that is meant; "hello" and "thanks"; or {@link #DECLINED}
 * @param arguments for the command; what is said, if the agent declines
 */
record Intent(String command, String arguments) {
    /** The arguments are what the group of this name matched, if anything. */
    private static final String WHERE = "where";

    /** What the agent does not do; the arguments are the sentence that says so, with the command to use instead. */
    static final String DECLINED = "declined";

    private static final int LONGEST = 1_000;

    /** A phrase for a command. */
    private record Phrase(Pattern pattern, String command, String arguments) {}

    private static final String SHOW =
            "(list|show|find|give|get|what are|which are|where are)( me)?( all)?( of)?( the)? ";
    private static final String PROJECT = "(workspace|project|repo|repository|code ?base|folder)";
    private static final List<Phrase> PHRASES = List.of(
            phrase("hello", "", "hi|hello|hey|hallo|(hi|hello) there|good (morning|evening)|moin|servus"),
            phrase("thanks", "", "thanks|thank you|thx|danke|great|ok|okay|cool"),
            phrase("help", "", "help( me)?|what can you do|what do you do|who are you|what are you"),
            phrase("help", "", "how do (i|you) use (you|this)|what are you able to do"),
            phrase("help", "", "(which|what) commands (are there|do you (have|know))"),
            phrase("summary", "", "(summari[sz]e|describe|explain|sum up) (this|the|my) " + PROJECT),
            phrase("summary", "", "what is (this|the) " + PROJECT + "( about)?"),
            phrase("summary", "", "(give me )?(an )?overview( of (this|the) " + PROJECT + ")?"),
            phrase(
                    "summary",
                    "notes",
                    "(" + SHOW
                            + "|(which|what|are there any) )(open )?((todo|fixme)s?|notes left)( (are|there|left|in|do) .*)?"),
            phrase(
                    "files",
                    "--recent",
                    "(which|what)( files?)? (has |have |were |was )?(been )?changed( recently| lately| last)?"),
            phrase(
                    "files",
                    "--recent",
                    "(" + SHOW + ")?(recent|latest|last|recently) (changed|changes|edits|files|changed files)"),
            phrase("files", WHERE, "(list|show)( me)?( all)?( the)? files( in (?<where>\\S+))?|what files are there"));
    // These name something, whose capitals count.
    private static final Pattern READ =
            Pattern.compile("(show|read|open|cat|print)( me)?( the)?( file)? (?<file>\\S+)", Pattern.CASE_INSENSITIVE);
    private static final String EVERYWHERE =
            "(?:\\s+(?:everywhere|globally|in (?:all|every) files?|in the (?:whole )?" + PROJECT + "))?";
    private static final Pattern RENAME = Pattern.compile(
            "rename\\s+(?:the\\s+)?(?:class|method|function|variable|field|type|interface|record|enum|constant)?\\s*"
                    + "[`'\"]?(?<old>[\\w$-]+)[`'\"]?\\s+(?:to|into|as|->)\\s+[`'\"]?(?<new>[\\w$-]+)[`'\"]?"
                    + EVERYWHERE,
            Pattern.CASE_INSENSITIVE);
    private static final Pattern REPLACE = Pattern.compile(
            "(?:replace|change)\\s+(?<old>`[^`]+`|\"[^\"]+\"|'[^']+'|\\S+)\\s+(?:with|by|to|->)\\s+"
                    + "(?<new>`[^`]*`|\"[^\"]*\"|'[^']*'|\\S+?)" + EVERYWHERE,
            Pattern.CASE_INSENSITIVE);
    private static final Pattern DELETE = Pattern.compile(
            "(?:delete|remove|erase)\\s+(?:the\\s+)?(?<kind>file|folder|directory)?\\s*[`'\"]?(?<file>\\S+?)[`'\"]?",
            Pattern.CASE_INSENSITIVE);
    private static final Pattern GIT = Pattern.compile(
            "git\\s+(?<rest>(?:status|log|diff|show|branch|blame|stash|add|commit|push|pull|fetch|checkout|switch|merge|"
                    + "rebase|tag|remote|reset|restore|clone)\\b.*)",
            Pattern.CASE_INSENSITIVE);
    private static final Pattern AUTHORS = Pattern.compile(
            "who (wrote|made|changed|authored|created) (?<what>this|it|that|this (project|code)|\\S+\\.\\S+)",
            Pattern.CASE_INSENSITIVE);
    private static final Pattern WRITE_CODE = Pattern.compile(
            "(?:implement|refactor|debug|optimi[sz]e|improve|rewrite|fix)\\s+(?:me\\s+)?(?:an?|the|some|this|my|that|all)\\s+.+"
                    + "|(?:add|write|create|generate|make)\\s+(?:me\\s+)?(?:an?|the|some|more|new|unit)\\s+.*"
                    + "\\b(?:tests?|class|interface|method|function|code|feature|script|module|endpoint|program|app|"
                    + "documentation|javadoc|comments?|readme)\\b.*");
    private static final Pattern RUN = Pattern.compile("run `(?<line>[^`]+)`", Pattern.CASE_INSENSITIVE);
    private static final Pattern TESTS = Pattern.compile("run (all )?(the |my )?tests?");
    private static final Pattern HOW_TO_BUILD = Pattern.compile(
            "^how (do|can|should|would|to)\\b.{0,20}\\b(build|compile|test|run (all )?(the |my )?(unit )?tests?)\\b");
    private static final Pattern COURTESY =
            Pattern.compile("^((please|can you|could you|would you)[, ]+)+|[, ]+please$", Pattern.CASE_INSENSITIVE);

    /** Returns whether the prompt asks how to build the workspace or run its tests. */
    static boolean asksHowToBuild(String sentence) {
        return HOW_TO_BUILD.matcher(sentence.toLowerCase(Locale.ROOT)).find();
    }

    /** Returns the command meant by {@code prompt}, or null for a question. */
    static @Nullable Intent of(String prompt, Workspace workspace) throws InterruptedException, IOException {
        if (prompt.length() > LONGEST) {
            return null; // and too much for these patterns, some of which go back and forth
        }
        String sentence = prompt.strip().replaceFirst("[\\s.!?]+$", "");
        String text = COURTESY.matcher(sentence).replaceAll("");
        String plain = text.toLowerCase(Locale.ROOT).replace(",", "");
        for (Phrase phrase : PHRASES) {
            Matcher matcher = phrase.pattern().matcher(plain);
            if (matcher.matches()) {
                String where = phrase.arguments().equals(WHERE) ? matcher.group(WHERE) : phrase.arguments();
                return new Intent(phrase.command(), where == null ? "" : where);
            }
        }
        Matcher read = READ.matcher(text);
        if (read.matches()) {
            return read(read.group("file").replaceAll("^`|`$", ""), workspace);
        }
        Matcher run = RUN.matcher(text);
        if (run.matches()) {
            return new Intent("run", run.group("line"));
        }
        if (TESTS.matcher(plain).matches()) {
            return tests(workspace.workingDirectory());
        }
        Intent change = change(text, workspace);
        return change == null ? declined(text, plain) : change;
    }

    private static @Nullable Intent read(String name, Workspace workspace) throws InterruptedException, IOException {
        if (workspace.file(name.replaceFirst(":\\d+(-\\d+)?$", "")) != null) {
            return new Intent("read", name);
        }
        WorkspaceFile called = workspace.called(name);
        return called == null ? null : new Intent("read", called.name());
    }

    /** Renaming and replacing are commands; deleting is not, and neither is Git. */
    private static @Nullable Intent change(String text, Workspace workspace) {
        Matcher rename = RENAME.matcher(text);
        if (rename.matches()) {
            return new Intent("fix", rename.group("old") + " -> " + rename.group("new"));
        }
        Matcher replace = REPLACE.matcher(text);
        if (replace.matches()) {
            return new Intent("replace", quoted(replace.group("old")) + " " + quoted(replace.group("new")));
        }
        Matcher delete = DELETE.matcher(text);
        if (delete.matches()) {
            String name = delete.group("file");
            boolean exists = workspace.file(name) != null || workspace.folder(name) != null;
            boolean meant = exists || delete.group("kind") != null;
            String recursive = workspace.folder(name) == null ? "" : "-r ";
            return meant
                    ? declined(
                            exists
                                    ? "I do not delete files: "
                                            + Markdown.code("/run rm " + recursive + shellWord(name)) + " does."
                                    : "There is no file " + Markdown.code(name)
                                            + " in this workspace, and I do not delete files.")
                    : null;
        }
        return null;
    }

    private static @Nullable Intent declined(String text, String plain) {
        Matcher git = GIT.matcher(text);
        if (git.matches()) {
            return declined("I have no command for Git: " + Markdown.code("/run " + text) + " runs it.");
        }
        Matcher authors = AUTHORS.matcher(text);
        if (authors.matches()) {
            String what = authors.group("what");
            String line = what.contains(".") ? "git log --format=%an%n -- " + shellWord(what) : "git shortlog -sn HEAD";
            return declined("I do not read the history: " + Markdown.code("/run " + line) + " lists the authors.");
        }
        boolean asksForCode = WRITE_CODE.matcher(plain).matches();
        return asksForCode
                ? declined(
                        "I have no model, so I cannot write code. I can find and show the places, `/replace` text and "
                                + "`/fix` a name: ask where something is, or see `/help`.")
                : null;
    }

    private static Intent declined(String sentence) {
        return new Intent(DECLINED, sentence);
    }

    /** A text as an argument of a command, without the quotes it was in. */
    private static String quoted(String text) {
        boolean inQuotes = text.length() > 1
                && "`\"'".indexOf(text.charAt(0)) >= 0
                && text.charAt(text.length() - 1) == text.charAt(0);
        String plain = inQuotes ? text.substring(1, text.length() - 1) : text;
        return '"' + plain.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    /** A name as one word of a shell. */
    static String shellWord(String name) {
        return name.matches("[\\w./@%+=:,-]+") && !name.startsWith("-") ? name : "'" + name.replace("'", "'\\''") + "'";
    }

    private static Phrase phrase(String command, String arguments, String pattern) {
        return new Phrase(Pattern.compile(pattern), command, arguments);
    }

    private static Intent tests(Path folder) {
        List<BuildTool> tools = BuildTool.in(folder);
        return tools.isEmpty()
                ? declined(HowToBuild.UNKNOWN)
                : new Intent("run", tools.getFirst().testCommand());
    }
}
