package dev.acp4j.codegen;

import java.util.List;
import javax.annotation.processing.ProcessingEnvironment;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.RecordComponentElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.util.ElementFilter;

/**
 * A record that is a bare string on the wire.
 *
 * @param names how it and its codec are called
 * @param constants the names of its constants, which are the values known
 * @param checked whether its constructor may refuse values
 */
record StringValueModel(TypeName names, List<String> constants, boolean checked) {
    static StringValueModel of(TypeElement type, ProcessingEnvironment environment) {
        List<? extends RecordComponentElement> components = type.getRecordComponents();
        if (type.getKind() != ElementKind.RECORD
                || components.size() != 1
                || !components.getFirst().getSimpleName().contentEquals("value")
                || !components.getFirst().asType().toString().equals("java.lang.String")) {
            throw new MisuseException("@StringValue is for a record with one component, String value", type);
        }
        List<String> constants = ElementFilter.fieldsIn(type.getEnclosedElements()).stream()
                .filter(field -> field.getModifiers().contains(Modifier.STATIC)
                        && field.getModifiers().contains(Modifier.PUBLIC))
                .filter(field -> isOf(type, field))
                .map(field -> field.getSimpleName().toString())
                .toList();
        return new StringValueModel(TypeName.of(type), constants, RecordModel.isChecked(type, environment));
    }

    private static boolean isOf(TypeElement type, Element field) {
        return field.asType() instanceof DeclaredType declared
                && declared.asElement().equals(type);
    }
}
