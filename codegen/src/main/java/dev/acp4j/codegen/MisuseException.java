package dev.acp4j.codegen;

import java.io.Serial;
import javax.lang.model.element.Element;

/** A declaration for which no codec can be generated; reported as a compiler error at the element. */
final class MisuseException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    private final transient Element element;

    MisuseException(String message, Element element) {
        super(message);
        this.element = element;
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }

    Element element() {
        return element;
    }
}
