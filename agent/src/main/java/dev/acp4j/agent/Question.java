package dev.acp4j.agent;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The search words of a question: the words that carry meaning, without filler words.
 *
 * @param words the words to search for, in order, each once
 * @param phrases what stood in quotes, and the long forms of words
 * @param extensions file name extensions of a language that was named ("in Java files"); empty for any
 * @param aims the requested aspects
 * @param left the number of ignored words of a long sentence
 * @param quotation the words of the sentence as {@link #isQuotedIn} compares them; empty for a short sentence
 */
record Question(
        List<Word> words, List<String> phrases, Set<String> extensions, Set<Aim> aims, int left, String quotation) {
    /** The aspects of a question, and the words that indicate them. */
    enum Aim {
        DEFINITION("define defined defines definition declare declared declares declaration implement implemented "
                + "implements implementation"),
        USES("use uses used using usage usages caller callers calls calling reference references referenced"),
        TESTS("test tests tested testing spec specs"),
        /** Where a program starts. */
        ENTRY("entrypoint entrypoints"),
        /** What is needed to build or to run the workspace. */
        SETUP("install installed installing installation prerequisite prerequisites requirements"),
        /** A place in a program, not in a manual. */
        CODE("logic code implement implements implemented implementation class method function");

        @SuppressWarnings("ImmutableEnumChecker") // made by Set.of
        private final Set<String> words;

        Aim(String words) {
            this.words = words(words);
        }

        static Set<Aim> in(Set<String> sentence) {
            Set<Aim> aims = EnumSet.noneOf(Aim.class);
            for (Aim aim : values()) {
                if (sentence.stream().anyMatch(word -> aim.words.contains(plain(word)))) {
                    aims.add(aim);
                }
            }
            return aims;
        }
    }

    private static final Pattern ENTRY = Pattern.compile("\\b(?:entry|starting) points?\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern NEEDED =
            Pattern.compile("\\bversions?\\b.*\\b((?:need|requir|support)(?:ed?|s|es)?)\\b", Pattern.CASE_INSENSITIVE);

    /**
     * A word to search for.
     *
     * @param text as written
     * @param weight 1 for a word with a meaning of its own, less for one that nearly every question has
     */
    record Word(String text, float weight) {
        boolean isStrong() {
            return weight >= 1;
        }
    }

    /** What a word counts that hardly narrows a search. */
    static final float WEAK = 0.15f;

    private static final int MAX_WORDS = 16;
    private static final int LONGEST_PIECE = 256;
    private static final int MAX_PHRASES = 8;
    private static final int QUOTED_WORDS = 4;
    private static final Pattern NO_LETTERS = Pattern.compile("[^\\p{L}\\p{N}]+");
    private static final Set<String> IGNORED =
            words("a an the this that these those it its i me my we us our you your he she they them their "
                    + "is are was were be been being am do does did done has have had having can could will would "
                    + "shall should may might must let lets please "
                    + "what whats which who whom whose where wheres when why how hows whether if then else than "
                    + "of in on at by for from to into onto with without about across over under between through "
                    + "during and or nor but not no yes as so such too very just only also both each any all some "
                    + "many much more most other another same own there here "
                    + "show tell find search look looking give list explain describe see know want need "
                    + "get got exactly actually currently really im id dont doesnt isnt arent cant ok okay hey");
    private static final Set<String> WEAK_WORDS =
            words("file files code source sources class classes method methods function functions type types "
                    + "deal deals dealing handle handles handled handling do work works working use uses used using "
                    + "usage usages caller callers calling reference references referenced define defined defines definition declare declared declares declaration implement implements "
                    + "implemented implementation implementing located location live lives place places part parts "
                    + "thing things stuff responsible relate related relates concern concerns concerned contain "
                    + "contains containing mention mentions mentioned occur occurs happen happens call calls called "
                    + "make makes made line lines logic repository repo project codebase workspace folder folders "
                    + "directory module modules package packages way ways go goes come comes example examples "
                    + "purpose mean means meaning difference exist exists take takes say says");
    private static final Pattern PIECE =
            Pattern.compile("\"([^\"]+)\"|`([^`]+)`|“([^“”]+)”|([\\p{L}\\p{N}_$][\\p{L}\\p{N}\\p{M}_$.'’/+#-]*)");
    private static final Pattern NUMBER = Pattern.compile("\\d[\\d._]+");
    private static final Pattern LANGUAGE = Pattern.compile(
            "\\b(?:in|only)\\s+([\\w+#-]+)\\b|(?<![\\w+#-])([\\w+#-]++)\\s++(?:files|code|sources|classes)\\b",
            Pattern.CASE_INSENSITIVE);

    Question {
        words = List.copyOf(words);
        phrases = List.copyOf(phrases);
        extensions = Set.copyOf(extensions);
        aims = Set.copyOf(aims);
    }

    /** Reads a sentence. */
    static Question of(String sentence) {
        List<String> phrases = new ArrayList<>();
        Set<String> all = new LinkedHashSet<>();
        Set<String> extensions = new LinkedHashSet<>();
        Set<Aim> aims = EnumSet.noneOf(Aim.class);
        String rest = takeAims(takeLanguages(sentence, extensions), aims);
        Matcher pieces = PIECE.matcher(rest);
        while (pieces.find()) {
            if (pieces.end() - pieces.start() > LONGEST_PIECE) {
                continue; // no name; and to search for thousands of words in a row takes the square of their number
            }
            String phrase = firstGroup(pieces);
            if (phrase == null) {
                addWord(all, trimmed(pieces.group(4)));
            } else if (phrase.strip().indexOf(' ') < 0) {
                all.add(phrase.strip());
            } else {
                phrases.add(phrase.strip());
            }
        }
        all.stream().map(Synonyms::longForm).filter(Objects::nonNull).forEach(phrases::add);
        List<String> first = phrases.subList(0, Math.min(MAX_PHRASES, phrases.size()));
        List<Word> weighed = weigh(all);
        List<Word> words = fewest(weighed);
        aims.addAll(Aim.in(all));
        return new Question(words, first, extensions, aims, weighed.size() - words.size(), quotation(sentence));
    }

    /** Takes what says that the question is about the start of a program or about what it needs. */
    private static String takeAims(String sentence, Set<Aim> aims) {
        String start = sentence.substring(0, Math.min(sentence.length(), LONGEST_PIECE));
        Matcher needed = NEEDED.matcher(start);
        if (needed.find()) {
            aims.add(Aim.SETUP);
            return sentence.substring(0, needed.start(1)) + sentence.substring(needed.end(1));
        }
        Matcher entry = ENTRY.matcher(start);
        if (entry.find()) {
            aims.add(Aim.ENTRY);
            return sentence.substring(0, entry.start()) + ' ' + sentence.substring(entry.end());
        }
        return sentence;
    }

    /** Returns the words of a sentence in a form that a quotation of it has, too; empty for a short one. */
    private static String quotation(String sentence) {
        String words = plainWords(sentence.substring(0, Math.min(sentence.length(), LONGEST_PIECE)));
        return words.split(" ", QUOTED_WORDS).length < QUOTED_WORDS ? "" : words;
    }

    /** Returns the letters and digits of a text in lower case, with one space between words. */
    private static String plainWords(String text) {
        return NO_LETTERS.matcher(text).replaceAll(" ").strip().toLowerCase(Locale.ROOT);
    }

    /** Whether a line only quotes the question, as an example in a manual or a test does. */
    boolean isQuotedIn(String line) {
        return !quotation.isEmpty() && plainWords(line).contains(quotation);
    }

    boolean asksFor(Aim aim) {
        return aims.contains(aim);
    }

    boolean isEmpty() {
        return words.isEmpty() && phrases.isEmpty() && !asksFor(Aim.ENTRY);
    }

    /** Returns the question without some of its words. */
    Question without(List<String> dropped) {
        if (dropped.isEmpty()) {
            return this;
        }
        boolean strong = words.stream().anyMatch(word -> word.isStrong() && !dropped.contains(word.text()));
        List<Word> others = words.stream()
                .filter(word -> strong && !dropped.contains(word.text()))
                .toList();
        return new Question(others, phrases, extensions, aims, left, quotation);
    }

    private static @Nullable String firstGroup(Matcher pieces) {
        for (int group = 1; group <= 3; group++) {
            if (pieces.group(group) != null) {
                return pieces.group(group);
            }
        }
        return null;
    }

    /** Takes "in Java" and "Python files" out of the sentence: these words are not in the files they mean. */
    private static String takeLanguages(String sentence, Set<String> extensions) {
        StringBuilder rest = new StringBuilder();
        Matcher matcher = LANGUAGE.matcher(sentence);
        int from = 0;
        while (matcher.find()) {
            String name = matcher.group(1) != null ? matcher.group(1) : matcher.group(2);
            List<String> found = Language.extensionsOf(name);
            // A one-letter language is more often a word of the sentence.
            if (!found.isEmpty() && name.length() > 1) {
                extensions.addAll(found);
                rest.append(sentence, from, matcher.start()).append(' ');
                from = matcher.end();
            }
        }
        return rest.append(sentence, from, sentence.length()).toString();
    }

    /** Full stops and the like belong to the sentence, not to its last word. */
    private static String trimmed(String word) {
        int end = word.length();
        while (end > 1 && ".'’/-".indexOf(word.charAt(end - 1)) >= 0) {
            end--;
        }
        String result = word.substring(0, end);
        return result.endsWith("'s") || result.endsWith("’s") ? result.substring(0, end - 2) : result;
    }

    /** Of a long text, such as a stack trace, the names say more than the words between them. */
    private static List<Word> fewest(List<Word> words) {
        if (words.size() <= MAX_WORDS) {
            return words;
        }
        List<Word> telling = new ArrayList<>();
        for (Word word : words) {
            if (word.isStrong() && (IdentifierParts.of(word.text()).size() > 1 || telling.size() < MAX_WORDS / 2)) {
                telling.add(word);
            }
        }
        return telling.subList(0, Math.min(MAX_WORDS, telling.size()));
    }

    private static List<Word> weigh(Set<String> all) {
        List<Word> strong = new ArrayList<>();
        List<Word> both = new ArrayList<>();
        for (String word : all) {
            String plain = plain(word);
            if (IGNORED.contains(plain)) {
                continue;
            }
            boolean weak = WEAK_WORDS.contains(plain);
            Word weighed = new Word(word, weak ? WEAK : 1);
            both.add(weighed);
            if (!weak) {
                strong.add(weighed);
            }
        }
        if (strong.isEmpty()) {
            return both.stream().map(w -> new Word(w.text(), 1)).toList();
        }
        return both;
    }

    /** A sum is not a word, and a digit alone stands everywhere; a longer number may be a port or a version. */
    private static void addWord(Set<String> to, String piece) {
        if (piece.chars().anyMatch(Character::isLetter) || NUMBER.matcher(piece).matches()) {
            to.add(piece);
        }
    }

    private static String plain(String word) {
        return word.toLowerCase(Locale.ROOT).replace("'", "").replace("’", "");
    }

    private static Set<String> words(String text) {
        return Set.of(text.split(" ", -1));
    }
}
