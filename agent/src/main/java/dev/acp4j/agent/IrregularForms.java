package dev.acp4j.agent;

import java.util.Locale;
import java.util.Map;

/**
 * Irregular past forms of verbs, as in "written", which have another stem than the verb that programs are named with.
 */
final class IrregularForms {
    private static final Map<String, String> IRREGULAR = Map.ofEntries(
            Map.entry("written", "write"),
            Map.entry("wrote", "write"),
            Map.entry("sent", "send"),
            Map.entry("kept", "keep"),
            Map.entry("held", "hold"),
            Map.entry("built", "build"),
            Map.entry("bound", "bind"),
            Map.entry("thrown", "throw"),
            Map.entry("caught", "catch"),
            Map.entry("chosen", "choose"),
            Map.entry("taken", "take"),
            Map.entry("given", "give"),
            Map.entry("known", "know"),
            Map.entry("drawn", "draw"),
            Map.entry("shown", "show"),
            Map.entry("hidden", "hide"),
            Map.entry("broken", "break"),
            Map.entry("begun", "begin"),
            Map.entry("ran", "run"),
            Map.entry("lost", "lose"),
            Map.entry("left", "leave"),
            Map.entry("spoken", "speak"),
            Map.entry("understood", "understand"),
            Map.entry("frozen", "freeze"),
            Map.entry("woken", "wake"),
            Map.entry("forgotten", "forget"),
            Map.entry("overridden", "override"));

    private IrregularForms() {}

    /** Returns the base form of an irregular one, or the word itself. */
    static String base(String word) {
        return IRREGULAR.getOrDefault(word.toLowerCase(Locale.ROOT), word);
    }
}
