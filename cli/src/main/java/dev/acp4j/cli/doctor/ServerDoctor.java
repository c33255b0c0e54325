package dev.acp4j.cli.doctor;

import dev.acp4j.http.RemoteAgent;
import java.util.List;

/** Examines a server and the way to it, step by step. */
final class ServerDoctor {
    static final List<Step<ExaminedServer>> STEPS = List.of(
            new Step<>("name", server -> true, NetworkSteps::name),
            new Step<>("tcp", server -> server.first != null, NetworkSteps::tcp),
            new Step<>("proxy", server -> server.isReached, NetworkSteps::proxy),
            new Step<>("tls", server -> server.isReached, NetworkSteps::tls),
            new Step<>("credential", server -> server.isSecured, EndpointSteps::credential),
            new Step<>("initialize", server -> server.answer != null, EndpointSteps::initialize),
            new Step<>("http", ExaminedServer::isInitialized, EndpointSteps::http),
            new Step<>("events", ExaminedServer::isInitialized, EndpointSteps::events),
            new Step<>("resumption", ExaminedServer::hasStream, EndpointSteps::resumption),
            new Step<>(
                    "websocket",
                    server -> server.isInitialized() || server.way.over() == RemoteAgent.Over.WEBSOCKET,
                    SocketStep::websocket),
            new Step<>("idle", ExaminedServer::hasStream, EndpointSteps::idle),
            new Step<>("end", ExaminedServer::isInitialized, EndpointSteps::end));

    private ServerDoctor() {}
}
