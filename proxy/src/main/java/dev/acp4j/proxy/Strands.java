package dev.acp4j.proxy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The strands of a chain, and what they tell each other of sessions when that is changed. */
final class Strands {
    /** Those in use, the newest last. */
    private final List<Strand> inUse = new CopyOnWriteArrayList<>();

    /** One that is about to be used: it takes over what becomes of sessions on others. */
    private volatile @Nullable Strand coming;

    private final Ways ways;
    private final Consumer<String> onNotice;
    private final Neighbours neighbours = new NeighboursInChain();

    Strands(Strand first, Ways ways, Consumer<String> onNotice) {
        this.ways = ways;
        this.onNotice = onNotice;
        inUse.add(first);
        follow(first);
    }

    List<Strand> inUse() {
        return inUse;
    }

    Strand newest() {
        return inUse.get(inUse.size() - 1);
    }

    /**
     * Has a strand take over the sessions of another, and from now on what becomes of them.
     *
     * @throws IOException when a program that wants to know them does not answer
     */
    void prepare(Strand next, Strand old) throws IOException, InterruptedException {
        coming = next;
        if (next.adopt(old)) {
            next.tellSessions();
        }
    }

    /** The one that was prepared is in use, or will not be. */
    void prepared() {
        coming = null;
    }

    void add(Strand strand) {
        inUse.add(strand);
        prepared();
    }

    void remove(Strand strand) {
        inUse.remove(strand);
    }

    /** Keeps to what a strand says about turns and sessions, as long as it is in use. */
    void follow(Strand strand) {
        SessionsOf sessions = new SessionsOf(strand);
        strand.links().forEach(link -> link.inChain(neighbours, sessions, link.equals(strand.first())));
        strand.first().onTurn(ways::accepted, ways::turn);
    }

    /** What becomes of sessions on one strand, told to the others. */
    private final class SessionsOf implements ChainSessions {
        private final Strand strand;

        SessionsOf(Strand strand) {
            this.strand = strand;
        }

        @Override
        public int number(Interceptions link, Part part) {
            return strand.number(link, part);
        }

        @Override
        public void changed(String session, boolean isOpen) throws InterruptedException {
            if (isOpen) {
                opened(session);
                return;
            }
            Set<Interceptions> over = new HashSet<>(strand.links());
            for (Strand other : all()) {
                if (!other.equals(strand)) {
                    other.links().forEach(link -> link.closed(session, over));
                    over.addAll(other.links());
                }
            }
        }

        private void opened(String session) throws InterruptedException {
            boolean isLater = false;
            for (Strand other : all()) {
                if (isLater && other.adopt(strand, session)) {
                    tellSessions(other);
                }
                isLater |= other.equals(strand);
            }
        }

        private List<Strand> all() {
            List<Strand> all = new ArrayList<>(inUse);
            Strand next = coming;
            if (next != null && !all.contains(next)) {
                all.add(next);
            }
            return all;
        }

        @Override
        public void own(String session, boolean isOwn) {
            ways.own(strand, session, isOwn);
        }

        @Override
        public void opening(boolean begins) {
            ways.opening(strand, begins);
        }

        @Override
        public void using(boolean begins) {
            ways.using(strand, begins);
        }
    }

    private void tellSessions(Strand strand) throws InterruptedException {
        try {
            strand.tellSessions();
        } catch (IOException e) {
            onNotice.accept(e.getMessage() + ", so it does not know all sessions that are open");
        }
    }

    /** The neighbours of proxies: those of the strand that a session takes. */
    private final class NeighboursInChain extends Neighbours {
        @Override
        Interceptions link(Interceptions link, Part part, int number, String session) {
            for (Strand strand : inUse) {
                Interceptions one = session.isEmpty() ? null : strand.link(part, number);
                if (one != null
                        && one.unannounced().isAny()
                        && one.unannounced().contains(session)) {
                    // What is said of it waits there until the client knows it.
                    return one;
                }
            }
            Interceptions now = ways.of(session, true).link(part, number);
            return now == null ? link : now;
        }
    }
}
