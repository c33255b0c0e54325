package dev.acp4j.http;

/** The contract of every transport, over events. */
class EventsTransportTest extends HttpTransportContract {
    @Override
    RemoteAgent.Over over() {
        return RemoteAgent.Over.EVENTS;
    }
}
