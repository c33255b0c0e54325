package dev.acp4j.json;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A stack of the open containers that records for each whether it is an object or an array. It needs no array up to 64
 * levels, which real messages do not exceed.
 */
final class Nesting {
    /** The lowest bit is the innermost container. */
    private long objects;

    /** The words that are full. */
    private long @Nullable [] outer;

    private int level;

    void clear() {
        objects = 0;
        level = 0;
    }

    int level() {
        return level;
    }

    boolean isObject() {
        return (objects & 1) != 0;
    }

    void push(boolean object) {
        if (level != 0 && level % Long.SIZE == 0) {
            int word = level / Long.SIZE - 1;
            outer = outer == null ? new long[4] : word < outer.length ? outer : Arrays.copyOf(outer, 2 * word);
            outer[word] = objects;
        }
        objects = objects << 1 | (object ? 1 : 0);
        level++;
    }

    void pop() {
        level--;
        objects >>>= 1;
        if (level != 0 && level % Long.SIZE == 0 && outer != null) {
            objects = outer[level / Long.SIZE - 1];
        }
    }
}
