package dev.acp4j.json;

import java.nio.charset.StandardCharsets;

/**
 * A table of fixed names: the members of an object, or the values of a set of strings. It finds a name in JSON text
 * without creating a {@link String}, and stores each name encoded for writing.
 */
public final class Names {
    private final String[] names;

    /** Each name encoded as a member name: quoted, escaped, with the colon. */
    private final byte[][] members;

    /** Open addressing; an entry is an index plus one. */
    private final byte[] table;

    private Names(String[] names) {
        this.names = names;
        this.members = new byte[names.length][];
        this.table = new byte[Integer.highestOneBit(Math.max(1, names.length)) * 4];
        for (int i = 0; i < names.length; i++) {
            if (indexOf(names[i]) != i) {
                throw new IllegalArgumentException("the name " + names[i] + " is a duplicate");
            }
            members[i] = JsonWriter.member(names[i]);
            byte[] utf8 = names[i].getBytes(StandardCharsets.UTF_8);
            int slot = slot(utf8, 0, utf8.length);
            while (table[slot] != 0) {
                slot = slot + 1 & table.length - 1;
            }
            table[slot] = (byte) (i + 1);
        }
    }

    /**
     * Creates a table of names.
     *
     * @param names at most 255 different names; the position in this list is the index of a name
     */
    public static Names of(String... names) {
        if (names.length > 255) {
            throw new IllegalArgumentException("more than 255 names");
        }
        return new Names(names.clone());
    }

    /** Returns a name. */
    public String get(int index) {
        return names[index];
    }

    /** Returns the number of names. */
    public int size() {
        return names.length;
    }

    /** Returns the index of a name, or {@link JsonReader#UNKNOWN}. */
    public int indexOf(String name) {
        for (int i = 0; i < names.length; i++) {
            if (names[i].equals(name)) {
                return i;
            }
        }
        return JsonReader.UNKNOWN;
    }

    /** Returns the index of the name in these bytes, which contain no escape, or {@link JsonReader#UNKNOWN}. */
    int indexOf(byte[] bytes, int from, int to) {
        int slot = slot(bytes, from, to);
        while (table[slot] != 0) {
            int index = (table[slot] & 0xff) - 1;
            if (isMember(members[index], bytes, from, to)) {
                return index;
            }
            slot = slot + 1 & table.length - 1;
        }
        return JsonReader.UNKNOWN;
    }

    /** A plain loop: names are so short that any setup costs more than the comparison. */
    private static boolean isMember(byte[] member, byte[] bytes, int from, int to) {
        // Quoted and with a colon.
        if (member.length - 3 != to - from) {
            return false;
        }
        int pos = from;
        for (int i = 1; pos < to; i++, pos++) {
            if (member[i] != bytes[pos]) {
                return false;
            }
        }
        return true;
    }

    /** The table stays at most half full. */
    private int slot(byte[] bytes, int from, int to) {
        return hash(bytes, from, to) & table.length - 1;
    }

    /** Four bytes and the length distinguish the names of a protocol well enough. */
    static int hash(byte[] bytes, int from, int to) {
        int length = to - from;
        if (length == 0) {
            return 0;
        }
        int hash = length
                + bytes[from] * 7
                + bytes[from + length / 2] * 31
                + bytes[from + length / 3] * 57
                + bytes[to - 1] * 127;
        return hash ^ hash >>> 8;
    }

    /** Returns the encoded member name. The array must not be modified. */
    byte[] member(int index) {
        return members[index];
    }
}
