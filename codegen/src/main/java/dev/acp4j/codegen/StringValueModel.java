package dev.acp4j.codegen;

import java.util.List;
import javax.lang.model.element.Element;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.util.ElementFilter;

/**
 * A type that is a bare string on the wire: a subclass of {@code StringValue}.
 *
 * @param names the names of it and its codec
 * @param visibility of its codec: {@code public } or nothing
 * @param unstable whether it follows a draft of the protocol
 * @param constants the names of its constants, which are the known values
 */
record StringValueModel(TypeName names, String visibility, boolean unstable, List<String> constants) {
    static boolean is(TypeElement type) {
        return type.getSuperclass() instanceof DeclaredType parent
                && ((TypeElement) parent.asElement()).getQualifiedName().contentEquals(Marks.STRING_VALUE);
    }

    static StringValueModel of(TypeElement type) {
        if (ElementFilter.methodsIn(type.getEnclosedElements()).stream().noneMatch(method -> isFactory(type, method))) {
            throw new MisuseException(
                    "a StringValue is created by static " + type.getSimpleName() + " of(String value)", type);
        }
        List<String> constants = ElementFilter.fieldsIn(type.getEnclosedElements()).stream()
                .filter(field -> field.getModifiers().contains(Modifier.STATIC)
                        && field.getModifiers().contains(Modifier.PUBLIC))
                .filter(field -> isOf(type, field))
                .map(field -> field.getSimpleName().toString())
                .toList();
        return new StringValueModel(TypeName.of(type), TypeName.visibility(type), TypeName.isUnstable(type), constants);
    }

    private static boolean isFactory(TypeElement type, ExecutableElement method) {
        return method.getSimpleName().contentEquals("of")
                && method.getModifiers().contains(Modifier.STATIC)
                && method.getReturnType().toString().equals(type.asType().toString())
                && method.getParameters().size() == 1
                && method.getParameters().getFirst().asType().toString().equals("java.lang.String");
    }

    private static boolean isOf(TypeElement type, Element field) {
        return field.asType() instanceof DeclaredType declared
                && declared.asElement().equals(type);
    }
}
