package dev.acp4j.proxy;

/** What a link of a chain tells the chain of sessions, so that each message takes the strand of its session. */
interface ChainSessions {
    /** Returns on how many links before one a proxy stands, too. */
    int number(Interceptions link, Part part);

    /**
     * A session was opened or closed, and nobody has been told yet.
     *
     * @throws InterruptedException when interrupted
     */
    void changed(String session, boolean isOpen) throws InterruptedException;

    /** A session is one of a client of a proxy's own, or is nothing any more of which anybody speaks. */
    void own(String session, boolean isOwn);

    /** Such a client begins to open a session whose id is not known yet; or that is over. */
    void opening(boolean begins);

    /** A request of such a client begins to be in flight; or it was answered. */
    void using(boolean begins);
}
