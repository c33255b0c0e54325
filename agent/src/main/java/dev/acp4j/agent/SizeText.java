package dev.acp4j.agent;

/** Sizes in bytes for people. */
final class SizeText {
    private SizeText() {}

    static String of(long bytes) {
        if (bytes < 1024) {
            return bytes + " B";
        }
        double size = bytes / 1024.0;
        String unit = "KB";
        if (size >= 1024) {
            size /= 1024;
            unit = "MB";
        }
        long tenths = Math.round(size * 10);
        return tenths >= 100 || tenths % 10 == 0
                ? Math.round(size) + " " + unit
                : tenths / 10 + "." + tenths % 10 + " " + unit;
    }
}
