package dev.acp4j.registry;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an installation would do, before anything of it is done.
 *
 * @param pin what would be pinned
 * @param present the pin that is in force, or null
 * @param isPinned whether the bytes are those of a lock file, and not of an index
 * @param isInstalled whether it is on this machine already
 * @param notices sentences that the user must see: another processor, another C library, a copy that is not current
 */
public record Proposal(Pin pin, @Nullable Pin present, boolean isPinned, boolean isInstalled, List<String> notices) {
    /** Copies the list. */
    public Proposal {
        notices = List.copyOf(notices);
    }

    /** Returns whether the version is lower than the one that is pinned. */
    public boolean isLower() {
        return present != null && Versions.ORDER.compare(pin.version(), present.version()) < 0;
    }

    /** Returns this proposal with another pin of the same version. */
    Proposal with(Pin changed) {
        return new Proposal(changed, present, isPinned && changed.equals(pin), isInstalled, notices);
    }
}
