package dev.acp4j;

import java.util.AbstractList;
import java.util.List;
import java.util.Objects;
import java.util.RandomAccess;

/**
 * A list that does not change, of which one that is longer by an element is made at little cost: they share an array.
 * Reading is thread-safe; making a longer one is not for several threads at once.
 */
final class Appended<E> extends AbstractList<E> implements RandomAccess {
    /** The array, and how much of it is in use by the longest of the lists that share it. */
    private static final class Shared {
        final Object[] elements;
        int used;

        Shared(Object[] elements, int used) {
            this.elements = elements;
            this.used = used;
        }
    }

    private final Shared shared;
    private final int size;

    private Appended(Shared shared, int size) {
        this.shared = shared;
        this.size = size;
    }

    /** Returns a list with one more element. */
    static <E> List<E> to(List<E> all, E more) {
        int size = all.size();
        if (all instanceof Appended<E> known && known.shared.used == size && size < known.shared.elements.length) {
            known.shared.elements[size] = more;
            known.shared.used++;
            return new Appended<>(known.shared, size + 1);
        }
        Object[] elements = all.toArray(new Object[Math.max(8, 2 * size)]);
        elements[size] = more;
        return new Appended<>(new Shared(elements, size + 1), size + 1);
    }

    @Override
    @SuppressWarnings("unchecked") // Only elements of this type are put there.
    public E get(int index) {
        return (E) shared.elements[Objects.checkIndex(index, size)];
    }

    @Override
    public int size() {
        return size;
    }
}
