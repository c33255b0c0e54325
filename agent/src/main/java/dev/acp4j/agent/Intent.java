package dev.acp4j.agent;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a prompt in plain words asks for when it is not a question about the workspace: a few phrases that mean a
 * command. A prompt that is not clearly one of them is a question.
 *
 * @param command the command that is meant, or "hello" and "thanks"
 * @param arguments for the command
 */
record Intent(String command, String arguments) {
    private static final Set<String> GREETINGS = Set.of(
            "hi", "hello", "hey", "hallo", "hi there", "hello there", "good morning", "good evening", "moin", "servus");
    private static final Set<String> THANKS =
            Set.of("thanks", "thank you", "thx", "danke", "great", "ok", "okay", "cool");
    private static final Pattern HELP = Pattern.compile(
            "help( me)?|what can you do|what do you do|who are you|what are you|how do (i|you) use (you|this)"
                    + "|what are you able to do|(which|what) commands (are there|do you (have|know))");
    private static final Pattern SUMMARY =
            Pattern.compile("(please )?(summari[sz]e|describe|explain|sum up) (this|the|my) "
                    + "(workspace|project|repo|repository|code ?base|folder)"
                    + "|what is (this|the) (workspace|project|repo|repository|code ?base)( about)?"
                    + "|(give me )?(an )?overview( of (this|the) (workspace|project|repo|repository|code ?base))?");
    private static final Pattern LIST = Pattern.compile(
            "(please )?(list|show)( me)?( all)?( the)? files( in (?<where>\\S+))?|what files are there");
    private static final Pattern READ = Pattern.compile(
            "(please )?(show|read|open|cat|print)( me)?( the)?( file)? (?<file>\\S+)", Pattern.CASE_INSENSITIVE);
    private static final Pattern TESTS = Pattern.compile("(please )?run (all )?(the |my )?tests?");
    private static final Pattern HOW_TO_BUILD = Pattern.compile(
            "^how (do|can|should|would|to)\\b.{0,20}\\b(build|compile|test|run (all )?(the |my )?(unit )?tests?)\\b");
    private static final Pattern RUN = Pattern.compile("(please )?run `(?<line>[^`]+)`", Pattern.CASE_INSENSITIVE);

    /** Whether somebody wants to know how to build the workspace or run its tests. */
    static boolean asksHowToBuild(String sentence) {
        return HOW_TO_BUILD.matcher(sentence.toLowerCase(Locale.ROOT)).find();
    }

    /** Returns what {@code prompt} asks for, or null for a question. */
    static @Nullable Intent of(String prompt, Workspace workspace) {
        String text = prompt.strip().replaceFirst("[\\s.!?]+$", "");
        String plain = text.toLowerCase(Locale.ROOT).replace(",", "");
        if (GREETINGS.contains(plain)) {
            return new Intent("hello", "");
        }
        if (THANKS.contains(plain)) {
            return new Intent("thanks", "");
        }
        if (HELP.matcher(plain).matches()) {
            return new Intent("help", "");
        }
        if (SUMMARY.matcher(plain).matches()) {
            return new Intent("summary", "");
        }
        return onFiles(text, plain, workspace);
    }

    private static @Nullable Intent onFiles(String text, String plain, Workspace workspace) {
        Matcher list = LIST.matcher(plain);
        if (list.matches()) {
            String where = list.group("where");
            return new Intent("files", where == null ? "" : where);
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

    private static @Nullable Intent tests(Path folder) {
        List<BuildTool> tools = BuildTool.in(folder);
        return tools.isEmpty() ? null : new Intent("run", tools.getFirst().testCommand());
    }
}
