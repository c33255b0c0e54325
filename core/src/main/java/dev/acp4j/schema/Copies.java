package dev.acp4j.schema;

import java.util.List;

/** Defensive copies of arguments of records. */
final class Copies {
    private Copies() {}

    /** Returns the same change with a copy of its list. */
    static <T> Change<List<T>> of(Change<List<T>> change) {
        if (change instanceof Change.Replace<List<T>> replace) {
            return Change.replace(List.copyOf(replace.value()));
        }
        return change;
    }
}
