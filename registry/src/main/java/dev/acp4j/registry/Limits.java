package dev.acp4j.registry;

import java.time.Duration;

/**
 * What is read from others at most.
 *
 * @param index bytes of an index
 * @param indexTime the time for an index
 * @param archive bytes of a download
 * @param total bytes of all files of an archive
 * @param file bytes of one file
 * @param entries the number of entries of an archive
 * @param path characters of a path in it
 * @param silence the time in which a host must send something
 * @param retries how often a broken download is continued
 * @param pause the pause before the first of these, doubled each time
 */
record Limits(
        int index,
        Duration indexTime,
        long archive,
        long total,
        long file,
        int entries,
        int path,
        Duration silence,
        int retries,
        Duration pause) {
    static final Limits STANDARD = new Limits(
            16 << 20,
            Duration.ofSeconds(30),
            2L << 30,
            4L << 30,
            2L << 30,
            200_000,
            1024,
            Duration.ofSeconds(60),
            4,
            Duration.ofMillis(500));
}
