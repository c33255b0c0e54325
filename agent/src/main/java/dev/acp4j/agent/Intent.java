package dev.acp4j.agent;

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
 * @param command the command that is meant, or "hello" and "thanks"
 * @param arguments for the command
 */
record Intent(String command, String arguments) {
    /** The arguments are what the group of this name matched, if anything. */
    private static final String WHERE = "where";

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
    static @Nullable Intent of(String prompt, Workspace workspace) {
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
            String name = read.group("file").replaceAll("^`|`$", "");
            boolean exists = workspace.file(name.replaceFirst(":\\d+(-\\d+)?$", "")) != null;
            return exists ? new Intent("read", name) : null;
        }
        Matcher run = RUN.matcher(text);
        if (run.matches()) {
            return new Intent("run", run.group("line"));
        }
        return TESTS.matcher(plain).matches() ? tests(workspace.workingDirectory()) : null;
    }

    private static Phrase phrase(String command, String arguments, String pattern) {
        return new Phrase(Pattern.compile(pattern), command, arguments);
    }

    private static @Nullable Intent tests(Path folder) {
        List<BuildTool> tools = BuildTool.in(folder);
        return tools.isEmpty() ? null : new Intent("run", tools.getFirst().testCommand());
    }
}
