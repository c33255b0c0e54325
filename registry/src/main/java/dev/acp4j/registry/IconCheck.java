package dev.acp4j.registry;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;

/**
 * The registry's rules for icons: XML without comments whose root is {@code svg}, 16 by 16, which takes the colour of
 * the text around it. Only what fills and strokes has a colour: attributes, those of {@code style}, and style sheets.
 */
final class IconCheck {
    private static final double SIZE = 16;
    private static final String CURRENT = "currentcolor";
    private static final Set<String> COLOURS = Set.of(CURRENT, "none", "inherit");
    private static final List<String> PAINTED = List.of("fill", "stroke");
    private static final Pattern UNIT = Pattern.compile("[A-Za-z%]+$");
    private static final Pattern NUMBER = Pattern.compile("[+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?");
    private static final Pattern IN_SHEET =
            Pattern.compile("\\b(fill|stroke)\\s*:\\s*([^;}\\s]+)", Pattern.CASE_INSENSITIVE);

    private final List<String> problems = new ArrayList<>();
    private boolean isCurrent;

    private IconCheck() {}

    static List<String> problems(String svg) {
        IconCheck check = new IconCheck();
        if (svg.contains("<!--")) {
            check.problems.add("the icon has a comment, which the registry's pages cannot show; delete it");
        }
        try {
            check.read(svg.startsWith("\uFEFF") ? svg.substring(1) : svg);
        } catch (XMLStreamException e) {
            check.problems.add("the icon is not XML: " + reason(e));
        }
        return check.problems.stream().distinct().toList();
    }

    private static String reason(XMLStreamException e) {
        String text = String.valueOf(e.getMessage());
        String last = text.substring(text.lastIndexOf('\n') + 1).replaceFirst("^Message: ", "");
        return e.getLocation() == null ? last : "line " + e.getLocation().getLineNumber() + ": " + last;
    }

    /** Nothing of a DTD is read, and nothing outside of the text. */
    private static XMLInputFactory factory() {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        return factory;
    }

    private void read(String svg) throws XMLStreamException {
        List<String> found = new ArrayList<>();
        String root = null;
        XMLStreamReader reader = factory().createXMLStreamReader(new StringReader(svg));
        try {
            @Nullable StringBuilder sheet = null;
            while (reader.hasNext()) {
                int event = reader.next();
                switch (event) {
                    case XMLStreamConstants.START_ELEMENT, XMLStreamConstants.END_ELEMENT -> {
                        if (sheet != null) {
                            sheet(sheet.toString());
                            sheet = null;
                        }
                        if (event == XMLStreamConstants.START_ELEMENT) {
                            if (root == null) {
                                root = reader.getLocalName();
                                size(reader, found);
                            }
                            colours(reader);
                            sheet = reader.getLocalName().equals("style") ? new StringBuilder() : null;
                        }
                    }
                    case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA, XMLStreamConstants.SPACE -> {
                        if (sheet != null) {
                            sheet.append(reader.getText());
                        }
                    }
                    case XMLStreamConstants.ENTITY_REFERENCE ->
                        throw new XMLStreamException(
                                "the entity " + reader.getLocalName() + " is not known", reader.getLocation());
                    default -> {
                        // a DTD, a comment, an instruction, or the end
                    }
                }
            }
        } finally {
            reader.close();
        }
        if (!"svg".equals(root)) {
            problems.add("the root of the icon is not svg but " + root);
            return;
        }
        problems.addAll(0, found);
        if (!isCurrent) {
            problems.add("the icon does not use currentColor to fill or stroke");
        }
    }

    private static @Nullable String attribute(XMLStreamReader element, String name) {
        for (int i = 0; i < element.getAttributeCount(); i++) {
            String namespace = element.getAttributeNamespace(i);
            if ((namespace == null || namespace.isEmpty())
                    && element.getAttributeLocalName(i).equals(name)) {
                return element.getAttributeValue(i);
            }
        }
        return null;
    }

    private static void size(XMLStreamReader root, List<String> found) {
        Double width = length(attribute(root, "width"));
        Double height = length(attribute(root, "height"));
        String box = attribute(root, "viewBox");
        if ((width == null || height == null) && box != null) {
            String[] parts = box.strip().split("\\s+", -1);
            width = parts.length == 4 ? number(parts[2]) : null;
            height = parts.length == 4 ? number(parts[3]) : null;
        }
        if (width == null || height == null) {
            found.add("the icon has neither width and height nor a viewBox");
        } else if (width != SIZE || height != SIZE) {
            found.add("the icon is not 16×16 but " + text(width) + "×" + text(height));
        }
    }

    private static @Nullable Double length(@Nullable String text) {
        return text == null ? null : number(UNIT.matcher(text.strip()).replaceFirst(""));
    }

    private static @Nullable Double number(String text) {
        return NUMBER.matcher(text.strip()).matches() ? Double.valueOf(text.strip()) : null;
    }

    private static String text(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }

    private void colours(XMLStreamReader element) {
        for (String name : PAINTED) {
            String value = attribute(element, name);
            if (value != null) {
                colour(name, value);
            }
        }
        String style = attribute(element, "style");
        if (style != null) {
            for (String declaration : style.split(";", -1)) {
                int colon = declaration.indexOf(':');
                String name =
                        colon < 0 ? "" : declaration.substring(0, colon).strip().toLowerCase(Locale.ROOT);
                if (PAINTED.contains(name)) {
                    colour(name, declaration.substring(colon + 1));
                }
            }
        }
    }

    private void sheet(String text) {
        Matcher matcher = IN_SHEET.matcher(text);
        while (matcher.find()) {
            colour(matcher.group(1), matcher.group(2));
        }
    }

    private void colour(String name, String value) {
        String colour = value.strip();
        String lower = colour.toLowerCase(Locale.ROOT);
        isCurrent |= lower.equals(CURRENT);
        if (!COLOURS.contains(lower)) {
            problems.add("the icon has the colour " + colour + " as " + name
                    + "; only currentColor, none and inherit are allowed");
        }
    }
}
