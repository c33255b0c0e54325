package dev.acp4j.codegen;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.lang.model.AnnotatedConstruct;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.AnnotationValue;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.TypeElement;

/**
 * The annotations that control the coding of a type. They are matched by name, because they are not visible from here.
 */
final class Marks {
    static final String CODABLE = "dev.acp4j.schema.codec.Codable";
    static final String CODECS_CLASS = "dev.acp4j.schema.codec.CodecsClass";
    static final String REJECTING = "dev.acp4j.schema.codec.Rejecting";
    static final String TAGGED = "dev.acp4j.schema.codec.Tagged";
    static final String TAG = "dev.acp4j.schema.codec.Tag";
    static final String STRING_VALUE = "dev.acp4j.schema.StringValue";
    static final String OPTIONAL_MEMBER = "dev.acp4j.schema.codec.OptionalMember";
    static final String DEFAULT_TO = "dev.acp4j.schema.codec.DefaultTo";
    static final String DEFAULT_ON_ERROR = "dev.acp4j.schema.codec.DefaultOnError";
    static final String SKIP_INVALID_ITEMS = "dev.acp4j.schema.codec.SkipInvalidItems";
    static final String NAME = "dev.acp4j.schema.codec.Name";
    static final String RANGE = "dev.acp4j.schema.codec.Range";
    static final String IN = "dev.acp4j.schema.codec.In";
    static final String DRAFT = "dev.acp4j.schema.codec.Draft";
    static final String REQUIRED = "dev.acp4j.schema.codec.Required";
    static final String CODED_BY = "dev.acp4j.schema.codec.CodedBy";
    static final String TOGETHER = "dev.acp4j.schema.codec.Together";
    static final String METHOD = "dev.acp4j.schema.Method";
    static final String METHODS = "dev.acp4j.schema.Methods";
    static final String UNSTABLE = "dev.acp4j.schema.Unstable";
    static final String REST = "dev.acp4j.schema.Rest";
    static final String EXTENSIBLE = "dev.acp4j.schema.Extensible";
    static final String NULLABLE = "org.jspecify.annotations.Nullable";

    static final List<String> OF_COMPONENTS = List.of(
            OPTIONAL_MEMBER,
            DEFAULT_TO,
            DEFAULT_ON_ERROR,
            SKIP_INVALID_ITEMS,
            NAME,
            RANGE,
            IN,
            DRAFT,
            REQUIRED,
            CODED_BY);

    private Marks() {}

    /** Returns the name in source form, with the at sign. */
    static String shown(String mark) {
        return "@" + mark.substring(mark.lastIndexOf('.') + 1);
    }

    static boolean has(AnnotatedConstruct marked, String mark) {
        return find(marked, mark).isPresent();
    }

    /** Returns the value of an element of an annotation; empty if the annotation or the element is missing. */
    static Optional<Object> value(AnnotatedConstruct marked, String mark, String element) {
        return find(marked, mark).flatMap(found -> value(found, element));
    }

    /** Returns the single string value of an annotation; empty if the annotation is missing. */
    static Optional<String> text(AnnotatedConstruct marked, String mark) {
        return value(marked, mark, "value").map(Object::toString);
    }

    /** Returns an annotation's value in a version: {@code v2} for version 2 if it is given, else {@code value}. */
    static Optional<String> text(AnnotatedConstruct marked, String mark, int version) {
        Optional<String> ofVersion = version == 2 ? value(marked, mark, "v2").map(Object::toString) : Optional.empty();
        return ofVersion.or(() -> text(marked, mark));
    }

    private static Optional<Object> value(AnnotationMirror annotation, String element) {
        for (Map.Entry<? extends ExecutableElement, ? extends AnnotationValue> entry :
                annotation.getElementValues().entrySet()) {
            if (entry.getKey().getSimpleName().contentEquals(element)) {
                return Optional.of(entry.getValue().getValue());
            }
        }
        return Optional.empty();
    }

    private static Optional<? extends AnnotationMirror> find(AnnotatedConstruct marked, String mark) {
        return marked.getAnnotationMirrors().stream()
                .filter(annotation -> ((TypeElement)
                                annotation.getAnnotationType().asElement())
                        .getQualifiedName()
                        .contentEquals(mark))
                .findFirst();
    }
}
