package dev.acp4j.codegen;

import java.util.HashMap;
import java.util.Map;
import javax.annotation.processing.ProcessingEnvironment;
import javax.lang.model.element.TypeElement;

/** Reads the Javadoc of the components of a record. */
final class Documentation {
    private static final String PARAM = "@param ";

    private Documentation() {}

    /** Returns the text after each {@code @param}, by the component's name. */
    static Map<String, String> components(TypeElement record, ProcessingEnvironment environment) {
        String comment = environment.getElementUtils().getDocComment(record);
        Map<String, String> texts = new HashMap<>();
        if (comment == null) {
            return texts;
        }
        String name = "";
        for (String line : comment.split("\n", -1)) {
            String text = line.strip();
            if (text.startsWith("@")) {
                name = text.startsWith(PARAM) ? firstWord(text.substring(PARAM.length())) : "";
                text = name.isEmpty()
                        ? ""
                        : text.substring(PARAM.length()).strip().substring(name.length());
            }
            if (!name.isEmpty()) {
                texts.merge(name, text.strip(), (before, more) -> more.isEmpty() ? before : before + "\n" + more);
            }
        }
        texts.replaceAll((component, text) -> resolved(text, TypeName.of(record)));
        return texts;
    }

    private static String firstWord(String text) {
        return text.strip().split("\\s+", 2)[0];
    }

    /** Qualifies links to members of the record itself, which are invalid in another class. */
    private static String resolved(String text, TypeName record) {
        return text.replace("{@link #", "{@link " + record.nested() + "#");
    }
}
