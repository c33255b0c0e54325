package dev.acp4j;

import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.RandomAccess;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An immutable list that is cheap to append to: the lists that grow out of one another share an array, of which each
 * sees its part. Elements behind that part belong to the first list that was made with them.
 *
 * <p>Thread-safe: an element is written before a list that has it exists.
 */
final class GrowingList<E> extends AbstractList<E> implements RandomAccess {
    private final @Nullable Object[] elements;
    private final int size;

    /** How many elements of the array are taken, by whatever list. */
    private final AtomicInteger taken;

    private GrowingList(@Nullable Object[] elements, int size, AtomicInteger taken) {
        this.elements = elements;
        this.size = size;
        this.taken = taken;
    }

    static <E> GrowingList<E> of(List<E> elements) {
        return new GrowingList<>(elements.toArray(), elements.size(), new AtomicInteger(elements.size()));
    }

    /** Returns a list with one more element. */
    GrowingList<E> with(E element) {
        if (size < elements.length && taken.compareAndSet(size, size + 1)) {
            elements[size] = element;
            return new GrowingList<>(elements, size + 1, taken);
        }
        @Nullable Object[] more = Arrays.copyOf(elements, Math.max(4, size + size / 2 + 1));
        Arrays.fill(more, size, Math.max(size, elements.length), null);
        more[size] = element;
        return new GrowingList<>(more, size + 1, new AtomicInteger(size + 1));
    }

    @Override
    @SuppressWarnings({"unchecked", "NullAway"}) // Below the size there are elements.
    public E get(int index) {
        if (index < 0 || index >= size) {
            throw new IndexOutOfBoundsException("index " + index + ", size " + size);
        }
        return (E) elements[index];
    }

    @Override
    public int size() {
        return size;
    }
}
