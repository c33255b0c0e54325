package dev.acp4j.cli.elicitation;

import java.lang.Character.UnicodeScript;
import java.net.IDN;
import java.net.URI;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The address of a page that an agent wants the user to visit, and what may mislead about it.
 *
 * @param text the whole address, in ASCII: what is shown is what is opened
 * @param host the host, in ASCII
 * @param hostAt where the host begins in the text
 * @param warnings what may mislead about the address, a sentence or two each
 */
record PageAddress(String text, String host, int hostAt, List<String> warnings) {
    /** Browsers read a single number, also in hexadecimal or octal form, as an address. */
    private static final Pattern NUMBERS = Pattern.compile("(\\d+|0x[0-9a-f]*)(\\.(\\d+|0x[0-9a-f]*))*\\.?");

    /** The scripts that languages write together. */
    private static final List<Set<UnicodeScript>> TOGETHER = List.of(
            EnumSet.of(UnicodeScript.HAN, UnicodeScript.HIRAGANA, UnicodeScript.KATAKANA),
            EnumSet.of(UnicodeScript.HAN, UnicodeScript.HANGUL),
            EnumSet.of(UnicodeScript.HAN, UnicodeScript.BOPOMOFO));

    PageAddress {
        warnings = List.copyOf(warnings);
    }

    /** Returns an address of the web; its host cannot be missing. */
    static PageAddress of(String url) {
        URI uri = URI.create(url);
        String text = uri.toASCIIString();
        String host = uri.getHost();
        int at = uri.getRawUserInfo() == null ? text.indexOf("//") + 2 : text.indexOf('@') + 1;
        return new PageAddress(text, host, at, warnings(uri, host.toLowerCase(Locale.ROOT)));
    }

    private static List<String> warnings(URI uri, String host) {
        List<String> warnings = new ArrayList<>();
        if (uri.getRawUserInfo() != null) {
            warnings.add("What stands before the @ is not the host: the page is at " + host + ".");
        }
        boolean isNumber = NUMBERS.matcher(host).matches();
        boolean isHere = host.equals("localhost")
                || host.endsWith(".localhost")
                || (isNumber && host.startsWith("127."))
                || host.equals("[::1]");
        if (host.startsWith("[") || isNumber) {
            warnings.add("The host is a bare address, not a name"
                    + (isHere ? ": a program on this computer." : ". It does not say whose page it is."));
        }
        for (String label : host.split("\\.", -1)) {
            if (label.startsWith("xn--")) {
                warnings.add(imitation(label));
            }
        }
        if ("http".equalsIgnoreCase(uri.getScheme()) && !isHere) {
            warnings.add("The connection is not encrypted (http): others can read what you enter there.");
        }
        return warnings;
    }

    private static String imitation(String label) {
        String letters = IDN.toUnicode(label, IDN.ALLOW_UNASSIGNED);
        if (letters.equals(label)) {
            return "A part of the host, " + label + ", is written in punycode and stands for no letters.";
        }
        Set<UnicodeScript> scripts = scripts(letters);
        String mixed = isMixed(scripts) ? " It mixes letters of " + names(scripts) + "." : "";
        return "A part of the host, " + label + ", stands for \"" + letters
                + "\", whose letters may look like those of another name." + mixed;
    }

    private static Set<UnicodeScript> scripts(String letters) {
        Set<UnicodeScript> scripts = EnumSet.noneOf(UnicodeScript.class);
        letters.codePoints().mapToObj(UnicodeScript::of).forEach(scripts::add);
        scripts.remove(UnicodeScript.COMMON);
        scripts.remove(UnicodeScript.INHERITED);
        return scripts;
    }

    private static boolean isMixed(Set<UnicodeScript> scripts) {
        return scripts.size() > 1 && TOGETHER.stream().noneMatch(together -> together.containsAll(scripts));
    }

    private static String names(Set<UnicodeScript> scripts) {
        List<String> names = new ArrayList<>();
        for (UnicodeScript script : scripts) {
            String name = script.name().toLowerCase(Locale.ROOT).replace('_', ' ');
            names.add(Character.toUpperCase(name.charAt(0)) + name.substring(1));
        }
        return String.join(" and ", names);
    }
}
