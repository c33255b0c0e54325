package dev.acp4j.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.Random;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class GlobTest {
    private static boolean matches(String glob, String name) {
        return Glob.of(glob).matches(name);
    }

    @Test
    void starsStayInAFolderUnlessThereAreTwo() {
        assertThat(matches("*.java", "A.java")).isTrue();
        assertThat(matches("*.java", "a/A.java")).isFalse();
        assertThat(matches("**.java", "a/b/A.java")).isTrue();
        assertThat(matches("a?c", "abc")).isTrue();
        assertThat(matches("a?c", "a/c")).isFalse();
        assertThat(matches("a?c", "a😀c")).isTrue();
    }

    @Test
    void bracketsAreOneCharacter() {
        assertThat(matches("[a-cx]", "b")).isTrue();
        assertThat(matches("[a-cx]", "d")).isFalse();
        assertThat(matches("[!a-c]", "d")).isTrue();
        assertThat(matches("[!a-c]", "/")).isFalse();
        assertThat(matches("[a-]", "-")).isTrue();
    }

    @Test
    void bracesAreAlternativesAndMayHoldOthers() {
        assertThat(matches("*.{ts,tsx}", "a.tsx")).isTrue();
        assertThat(matches("*.{ts,tsx}", "a.js")).isFalse();
        assertThat(matches("{a,b{c,d}}{,x}", "bdx")).isTrue();
        assertThat(matches("{a,b{c,d}}{,x}", "b")).isFalse();
        assertThat(matches("a,b}", "a,b}")).isTrue();
    }

    @Test
    void aBackslashTakesTheMeaningAway() {
        assertThat(matches("\\*\\{a", "*{a")).isTrue();
        assertThat(matches("\\*", "a")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"[a", "{a", "{a,{b}", "\\", "[]", "[b-a]", "[/]"})
    void whatIsNoGlobIsRefused(String glob) {
        assertThatThrownBy(() -> Glob.of(glob, "]}x")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aGlobLongerThanAnyPathIsRefused() {
        assertThatThrownBy(() -> Glob.of("a".repeat(100_000))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void itMatchesAsTheJdkDoes() {
        Random random = new Random(1);
        int both = 0;
        for (int i = 0; i < 100_000; i++) {
            String glob = text(random, "aab/**?{,}[]-!\\", 8);
            String name = text(random, "aaab/-", 6);
            Path path = Path.of(name);
            PathMatcher theirs = theirs(glob);
            Glob ours = ours(glob);
            if (theirs != null && ours != null && path.toString().equals(name)) {
                both++;
                assertThat(ours.matches(name)).as(glob + " and " + name).isEqualTo(theirs.matches(path));
            }
        }
        assertThat(both).isGreaterThan(10_000);
    }

    private static String text(Random random, String letters, int longest) {
        StringBuilder text = new StringBuilder();
        for (int length = random.nextInt(longest); length >= 0; length--) {
            text.append(letters.charAt(random.nextInt(letters.length())));
        }
        return text.toString();
    }

    private static @Nullable PathMatcher theirs(String glob) {
        try {
            return FileSystems.getDefault().getPathMatcher("glob:" + glob);
        } catch (PatternSyntaxException e) {
            return null;
        }
    }

    private static @Nullable Glob ours(String glob) {
        try {
            return Glob.of(glob);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "*",
                "**",
                "*a",
                "a*",
                "**a",
                "*a*",
                "?*",
                "{a,*}",
                "{a,aa}*",
                "{*,**}",
                "[a-z]*",
                "{*{*{*,a},a},a}*"
            })
    void noRepetitionTakesLong(String piece) {
        Glob glob = Glob.of(piece.repeat(200), "z");

        assertThat(glob.matches("a".repeat(4_000))).isFalse();
        assertThat(glob.matches("a".repeat(4_000) + "z")).isTrue();
    }

    @Test
    void depthTakesNoStack() {
        Glob glob = Glob.of("{".repeat(2_000) + "a" + ",*}".repeat(2_000), "{*,".repeat(2_000) + "}".repeat(2_000));

        assertThat(glob.matches("a/")).isFalse();
        assertThat(glob.matches("aaaa")).isTrue();
    }
}
