package dev.acp4j.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Templates of addresses, with the examples of RFC 6570 for values that are strings. */
class ResourceTemplateTest {
    private static final Map<String, String> VALUES = Map.of(
            "var",
            "value",
            "hello",
            "Hello World!",
            "path",
            "/foo/bar",
            "x",
            "1024",
            "y",
            "768",
            "empty",
            "",
            "who",
            "fred",
            "half",
            "50%");

    private static ResourceTemplate template(String text) {
        return new ResourceTemplate("files", text, "one", null, "", null);
    }

    @Tag("MCX-15")
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    {var}                      | value
                    {hello}                    | Hello%20World%21
                    {half}                     | 50%25
                    O{empty}X                  | OX
                    O{undefined}X              | OX
                    {x,y}                      | 1024,768
                    {x,hello,y}                | 1024,Hello%20World%21,768
                    ?{x,empty}                 | ?1024,
                    {+hello}                   | Hello%20World!
                    {+half}                    | 50%25
                    {+path}/here               | /foo/bar/here
                    {+x,hello,y}               | 1024,Hello%20World!,768
                    {#path,x}/here             | #/foo/bar,1024/here
                    X{.who,who}                | X.fred.fred
                    {/var,x}/here              | /value/1024/here
                    {/who*}                    | /fred
                    {;x,y,empty}               | ;x=1024;y=768;empty
                    {?x,y,empty}               | ?x=1024&y=768&empty=
                    ?fixed=yes{&x}             | ?fixed=yes&x=1024
                    {?undefined,y}             | ?y=768
                    {var:3}                    | val
                    {var:30}                   | value
                    {+path:6}/here             | /foo/b/here
                    memo://ü/%41{var}          | memo://%C3%BC/%41value
                    """)
    void addressesAreExpandedAsTheStandardSays(String template, String expected) {
        Map<String, String> known = new java.util.HashMap<>(VALUES);
        known.keySet().retainAll(template(template).variables());

        assertThat(template(template).expand(known)).isEqualTo(expected);
    }

    @Tag("MCX-15")
    @Test
    void aCharacterOfTwoUnitsIsNotCutByAPrefix() {
        assertThat(template("{face:1}").expand(Map.of("face", "😀😀"))).isEqualTo("%F0%9F%98%80");
    }

    @Tag("MCX-15")
    @ParameterizedTest
    @ValueSource(strings = {"{", "a}b", "{a b}", "{}", "{=a}", "{a:0}", "{a,}"})
    void aTemplateThatCannotBeReadIsAnErrorThatNamesIt(String template) {
        assertThatThrownBy(() -> template(template).expand(Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("the template " + template);
    }
}
