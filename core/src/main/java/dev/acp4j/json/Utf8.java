package dev.acp4j.json;

/** The well-formed byte sequences of UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF. */
final class Utf8 {
    private Utf8() {}

    /**
     * Returns the index after the sequence of two to four bytes that starts at {@code at}, or -1 if there is none
     * before {@code to}.
     */
    static int sequenceEnd(byte[] bytes, int at, int to) {
        int lead = bytes[at] & 0xff;
        if (lead < 0xe0) {
            return lead >= 0xc2 && at + 2 <= to && continues(bytes[at + 1]) ? at + 2 : -1;
        }
        if (lead < 0xf0) {
            return at + 3 <= to && isSecondOfThree(lead, bytes[at + 1] & 0xff) && continues(bytes[at + 2])
                    ? at + 3
                    : -1;
        }
        if (lead > 0xf4 || at + 4 > to) {
            return -1;
        }
        return isSecondOfFour(lead, bytes[at + 1] & 0xff) && continues(bytes[at + 2]) && continues(bytes[at + 3])
                ? at + 4
                : -1;
    }

    private static boolean isSecondOfThree(int lead, int second) {
        int least = lead == 0xe0 ? 0xa0 : 0x80;
        int most = lead == 0xed ? 0x9f : 0xbf;
        return second >= least && second <= most;
    }

    private static boolean isSecondOfFour(int lead, int second) {
        int least = lead == 0xf0 ? 0x90 : 0x80;
        int most = lead == 0xf4 ? 0x8f : 0xbf;
        return second >= least && second <= most;
    }

    private static boolean continues(byte b) {
        return (b & 0xc0) == 0x80;
    }
}
