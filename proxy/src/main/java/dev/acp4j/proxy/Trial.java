package dev.acp4j.proxy;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Channel;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.Link;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Starts and initializes a strand, in the place of the client, before it takes over. */
final class Trial {
    /** Takes the place of the client, and of the agent: whatever asks them gets no answer yet. */
    private static final Handler NOBODY = new Handler() {
        @Override
        public @Nullable Acceptance request(IncomingRequest request) {
            throw RpcError.invalidRequest("the chain is being changed, so there is nobody to ask yet");
        }

        @Override
        public @Nullable Delivery notification(Message message) {
            return null;
        }
    };

    private final Strand strand;

    Trial(Strand strand) {
        this.strand = strand;
    }

    /**
     * Returns the answer of the strand to the initialization.
     *
     * @param first what the client has initialized
     * @throws IOException when a program cannot be started, or does not answer as it should
     */
    RawJson initialize(Interceptions first) throws IOException, InterruptedException {
        List<Station> stations = strand.stations();
        stations.forEach(Station::tries);
        MemoryTransport.Pair pair = MemoryTransport.pair();
        Connection client = null;
        try {
            List<Connection.Builder> builders = new ArrayList<>(Strand.begin(stations));
            Link.End left = strand.first().link().left();
            Link.Ends ends = strand.isProxy()
                    ? Link.handler(left, strand.last().link().right(), Interceptions.SUCCESSOR)
                    : Link.handler(left);
            Connection.Builder conductor = Connection.builder(pair.left(), ends).name("reload");
            builders.add(
                    strand.isProxy()
                            ? conductor.envelopes(Interceptions.SUCCESSOR, Interceptions.LEGACY_SUCCESSOR)
                            : conductor);
            List<Connection> connections = Link.start(builders.toArray(new Connection.Builder[0]));
            for (int i = 0; i < stations.size(); i++) {
                stations.get(i).begun(connections.get(i));
            }
            client = Connection.builder(pair.right(), NOBODY)
                    .name("reload-client")
                    .start();
            RawJson answer = new Channel(client, null)
                    .start(first.askedBy(), Objects.requireNonNull(first.askedWith()), RawJson.CODEC, null)
                    .await(Duration.ZERO);
            for (Station station : stations) {
                station.isTried();
            }
            return answer;
        } catch (RpcError e) {
            throw new IOException(e.message(), e);
        } catch (RpcException e) {
            throw new IOException(e.getMessage(), e);
        } finally {
            if (client != null) {
                client.close();
            }
            pair.left().close();
        }
    }
}
