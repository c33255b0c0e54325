package dev.acp4j.registry;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The registry's rules for icons: SVG of 16 by 16 that takes the colour of the text around it. They are rules about
 * text, as the registry's own are, so that both say the same of the same file.
 */
final class IconCheck {
    private static final double SIZE = 16;
    private static final Set<String> COLOURS = Set.of("currentcolor", "none", "inherit");
    private static final Pattern SVG = Pattern.compile("<svg\\b[^>]*>", Pattern.CASE_INSENSITIVE);
    private static final Pattern WIDTH = Pattern.compile("\\swidth\\s*=\\s*[\"']([0-9]+)");
    private static final Pattern HEIGHT = Pattern.compile("\\sheight\\s*=\\s*[\"']([0-9]+)");
    private static final Pattern VIEW_BOX =
            Pattern.compile("viewBox\\s*=\\s*[\"'][0-9.]+\\s+[0-9.]+\\s+([0-9.]+)\\s+([0-9.]+)");
    private static final Pattern ATTRIBUTE =
            Pattern.compile("\\b(fill|stroke)\\s*=\\s*[\"']([^\"']+)[\"']", Pattern.CASE_INSENSITIVE);
    private static final Pattern STYLE = Pattern.compile(
            "\\bstyle\\s*=\\s*[\"']([^\"']+)[\"']|<style\\b[^>]*>(.*?)</style>",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
    private static final Pattern DECLARATION =
            Pattern.compile("\\b(fill|stroke)\\s*:\\s*([^;}\"']+)", Pattern.CASE_INSENSITIVE);

    private IconCheck() {}

    static List<String> problems(String svg) {
        List<String> problems = new ArrayList<>();
        Matcher root = SVG.matcher(svg);
        if (!root.find()) {
            problems.add("the icon is not SVG");
            return problems;
        }
        size(root.group(), svg, problems);
        colours(ATTRIBUTE.matcher(svg), problems);
        Matcher styles = STYLE.matcher(svg);
        while (styles.find()) {
            String style = styles.group(1) == null ? styles.group(2) : styles.group(1);
            colours(DECLARATION.matcher(style), problems);
        }
        if (!svg.toLowerCase(Locale.ROOT).contains("currentcolor")) {
            problems.add("the icon does not use currentColor");
        }
        return problems.stream().distinct().toList();
    }

    private static void size(String root, String svg, List<String> problems) {
        Double width = number(WIDTH.matcher(root), 1);
        Double height = number(HEIGHT.matcher(root), 1);
        if (width == null || height == null) {
            Matcher box = VIEW_BOX.matcher(svg);
            width = number(box, 1);
            height = number(VIEW_BOX.matcher(svg), 2);
        }
        if (width == null || height == null) {
            problems.add("the icon has neither width and height nor a viewBox");
        } else if (width != SIZE || height != SIZE) {
            problems.add("the icon is not 16×16 but " + text(width) + "×" + text(height));
        }
    }

    private static @Nullable Double number(Matcher matcher, int group) {
        try {
            return matcher.find() ? Double.valueOf(matcher.group(group)) : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static String text(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }

    private static void colours(Matcher matcher, List<String> problems) {
        while (matcher.find()) {
            String value = matcher.group(2).strip();
            if (!COLOURS.contains(value.toLowerCase(Locale.ROOT))) {
                problems.add("the icon has the colour " + value + " as " + matcher.group(1)
                        + "; only currentColor, none and inherit are allowed");
            }
        }
    }
}
