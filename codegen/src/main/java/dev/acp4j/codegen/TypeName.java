package dev.acp4j.codegen;

import java.util.Locale;
import javax.annotation.processing.ProcessingEnvironment;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.PackageElement;
import javax.lang.model.element.TypeElement;

/**
 * The names of a type and of the classes generated for it.
 *
 * @param packageName its package
 * @param nested its name within the package, such as {@code ContentBlock.Text}
 */
record TypeName(String packageName, String nested) {
    static final String SCHEMA = "dev.acp4j.schema";
    static final String SUPPORT = "dev.acp4j.schema.codec";

    static TypeName of(TypeElement type) {
        StringBuilder nested = new StringBuilder(type.getSimpleName());
        Element enclosing = type.getEnclosingElement();
        while (enclosing instanceof TypeElement outer) {
            nested.insert(0, outer.getSimpleName() + ".");
            enclosing = outer.getEnclosingElement();
        }
        String qualified = type.getQualifiedName().toString();
        int dot = qualified.length() - nested.length() - 1;
        return new TypeName(qualified.substring(0, Math.max(0, dot)), nested.toString());
    }

    /** Returns whether the codec of this type is hand-written. */
    static boolean hasHandWrittenCodec(TypeElement type, ProcessingEnvironment environment) {
        return environment.getElementUtils().getTypeElement(of(type).qualified(of(type).codec())) != null;
    }

    /** Returns the class that gives the codecs of this package, if there is one. */
    TypeName codecs() {
        return new TypeName(packageName, "Codecs");
    }

    /** Returns whether the codecs of a package are reached through one class, and are not public themselves. */
    static boolean hasCodecsClass(Element element) {
        for (Element at = element; at != null; at = at.getEnclosingElement()) {
            if (at instanceof PackageElement) {
                return Marks.has(at, Marks.CODECS_CLASS);
            }
        }
        return false;
    }

    /**
     * Returns the modifier of a type's codec, followed by a space: a codec has the visibility of its type, unless one
     * class gives all codecs.
     */
    static String visibility(TypeElement type) {
        return isPublic(type) && !hasCodecsClass(type) ? "public " : "";
    }

    /** Returns whether a type and its enclosing types are public. */
    static boolean isPublic(TypeElement type) {
        for (Element part = type; part instanceof TypeElement; part = part.getEnclosingElement()) {
            boolean inInterface =
                    part.getEnclosingElement() instanceof TypeElement outer && outer.getKind() == ElementKind.INTERFACE;
            if (!inInterface && !part.getModifiers().contains(Modifier.PUBLIC)) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether a type or an enclosing type follows a draft. */
    static boolean isUnstable(TypeElement type) {
        return Marks.has(type, Marks.UNSTABLE)
                || (type.getEnclosingElement() instanceof TypeElement outer && isUnstable(outer));
    }

    /** Returns the name in one word, such as {@code ContentBlockText}. */
    String flat() {
        return nested.replace(".", "");
    }

    String codec() {
        return flat() + "Codec";
    }

    /** Returns the name of the codec's constant in a class with codecs of many types: {@code SESSION_ID}. */
    String constant() {
        return flat().replaceAll("(?<=[a-z0-9])(?=[A-Z])", "_").toUpperCase(Locale.ROOT);
    }

    /** Returns the name of the method of {@code Codecs} that gives the codec. */
    String codecMethod() {
        return flat().substring(0, 1).toLowerCase(Locale.ROOT) + flat().substring(1);
    }

    /** Returns the name of the codec for version 2, if it has one of its own. */
    String codecV2() {
        return codec() + "V2";
    }

    String builder() {
        return flat() + "Builder";
    }

    String qualified() {
        return qualified(nested);
    }

    String qualified(String simpleName) {
        return packageName.isEmpty() ? simpleName : packageName + "." + simpleName;
    }

    /** Returns the outermost type's name, for an import. */
    String outermost() {
        int dot = nested.indexOf('.');
        return dot < 0 ? nested : nested.substring(0, dot);
    }

    /** Returns the word with its first letter in upper case. */
    static String capitalized(String word) {
        return word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1);
    }

    /** Returns the singular of a list's name: {@code entry} for {@code entries}. */
    static String singular(String plural) {
        if (plural.endsWith("ies")) {
            return plural.substring(0, plural.length() - 3) + "y";
        }
        return plural.endsWith("s") ? plural.substring(0, plural.length() - 1) : plural;
    }
}
