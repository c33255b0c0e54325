package dev.acp4j.proxies;

import java.lang.System.Logger.Level;

/** Where sentences for users go when nobody takes them. */
final class Notices {
    private Notices() {}

    static void log(String sentence) {
        System.getLogger("dev.acp4j.proxies").log(Level.INFO, sentence);
    }
}
