package dev.acp4j;

import dev.acp4j.schema.Meta;
import dev.acp4j.schema.SessionArchiveFilter;
import dev.acp4j.schema.SessionInfo;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** The agent's list of sessions, page by page. Ends when the agent repeats a cursor: it would never end. */
final class SessionPages implements Iterator<SessionInfo> {
    private final ConnectedAgent agent;
    private final @Nullable String cwd;
    private final @Nullable SessionArchiveFilter archived;
    private final Meta meta;
    private Iterator<SessionInfo> page = List.<SessionInfo>of().iterator();
    private @Nullable String cursor;
    private final Set<String> cursors = new HashSet<>();
    private boolean last;

    SessionPages(ConnectedAgent agent, @Nullable String cwd, @Nullable SessionArchiveFilter archived, Meta meta) {
        this.agent = agent;
        this.cwd = cwd;
        this.archived = archived;
        this.meta = meta;
    }

    @Override
    public boolean hasNext() {
        while (!page.hasNext() && !last) {
            fetch();
        }
        return page.hasNext();
    }

    @Override
    public SessionInfo next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        return page.next();
    }

    private void fetch() {
        try {
            ClientDialect.Page fetched = agent.call(agent.dialect().listSessions(cwd, archived, cursor, meta));
            page = fetched.sessions().iterator();
            String next = fetched.next();
            last = next == null || !cursors.add(next);
            cursor = next;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancellationException("interrupted while listing sessions");
        }
    }
}
