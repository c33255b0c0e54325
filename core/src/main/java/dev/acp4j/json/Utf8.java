package dev.acp4j.json;

/** The well-formed byte sequences of UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF. */
final class Utf8 {
    private Utf8() {}

    /**
     * Returns the index behind the sequence of two to four bytes that starts at {@code at}, or -1 if there is none
     * before {@code to}.
     */
    static int sequenceEnd(byte[] bytes, int at, int to) {
        int lead = bytes[at] & 0xff;
        if (lead >= 0xc2 && lead <= 0xdf) {
            return continues(bytes, at + 1, at + 2, to);
        }
        if (lead >= 0xe0 && lead <= 0xef) {
            return secondOfThree(lead, at + 1 < to ? bytes[at + 1] & 0xff : 0)
                    ? continues(bytes, at + 2, at + 3, to)
                    : -1;
        }
        if (lead >= 0xf0 && lead <= 0xf4) {
            return secondOfFour(lead, at + 1 < to ? bytes[at + 1] & 0xff : 0)
                    ? continues(bytes, at + 2, at + 4, to)
                    : -1;
        }
        return -1;
    }

    private static boolean secondOfThree(int lead, int second) {
        int least = lead == 0xe0 ? 0xa0 : 0x80;
        int most = lead == 0xed ? 0x9f : 0xbf;
        return second >= least && second <= most;
    }

    private static boolean secondOfFour(int lead, int second) {
        int least = lead == 0xf0 ? 0x90 : 0x80;
        int most = lead == 0xf4 ? 0x8f : 0xbf;
        return second >= least && second <= most;
    }

    private static int continues(byte[] bytes, int from, int end, int to) {
        if (end > to) {
            return -1;
        }
        for (int i = from; i < end; i++) {
            if ((bytes[i] & 0xc0) != 0x80) {
                return -1;
            }
        }
        return end;
    }
}
