package dev.acp4j.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** All workloads and who takes part in each. */
final class Workloads {
    private static final int TRAINING_SECONDS = 60;

    private final Scale scale;
    private final Path work;
    private final Subjects programs;

    /** Prepares the programs in a folder. */
    Workloads(Scale scale, Path work) throws IOException, InterruptedException {
        this.scale = scale;
        this.work = work;
        this.programs = new Subjects(work);
    }

    List<Workload> all() throws IOException, InterruptedException {
        Subject floor = programs.floor("FloorAgent");
        Subject hello = programs.acp4j("HelloAgent", Workloads::train);
        List<Subject> agents = List.of(
                floor,
                hello,
                programs.acp4jPlain("HelloAgent"),
                programs.javaSdk("JavaSdkAgent"),
                programs.kotlinSdk("KotlinSdkAgent"),
                programs.typeScriptSdk("agent.mjs"));
        List<Subject> starting = new ArrayList<>(agents);
        starting.add(launcher());
        List<Workload> all =
                new ArrayList<>(new AgentWorkloads(scale, agents, List.of(floor, hello, agents.get(2))).all(starting));
        all.add(client());
        all.addAll(version2(floor, List.of(hello, agents.get(2))));
        all.add(proxies(floor));
        all.add(clientThrough("client through a proxy", "HelloClientThroughProxy"));
        all.add(clientThrough("client through five proxies", "HelloClientThroughFive"));
        all.add(chain("chain of three processes", 3, floor));
        all.add(chain("chain of three processes, seven copies", 7, floor));
        all.add(mcp());
        all.add(new ShimWorkload(scale, programs.floor("FloorMcpServer")));
        all.addAll(remote());
        all.add(new MemoryForwarding(scale, programs));
        all.add(new MicroBenchmarks(scale));
        return all;
    }

    /** Plays the session that the launcher's script plays. */
    private static void train(Subject subject) throws IOException, InterruptedException {
        try (DrivenAgent agent = new DrivenAgent(subject.command(), TRAINING_SECONDS)) {
            agent.turn(agent.prompt(agent.newSession(), "say"));
            agent.finish();
        }
    }

    /** The reference agent as it is shipped. */
    private Subject launcher() {
        return acp(Subject.LAUNCHER, "agent");
    }

    private Subject acp(String command) {
        return acp(Subject.ACP4J, command);
    }

    /** A command of acp as it is shipped. In short runs left out: a stale one would first be built. */
    private Subject acp(String name, String command) {
        Path launcher = Path.of("acp").toAbsolutePath();
        return scale.isBrief() || !Files.isExecutable(launcher)
                ? Subject.missing(name, "only in full runs, from the repository's folder")
                : new Subject(name, List.of(launcher.toString(), command));
    }

    private Workload client() throws IOException, InterruptedException {
        List<Subject> clients = List.of(
                programs.acp4jPlain("HelloClient"),
                programs.javaSdk("JavaSdkClient"),
                programs.typeScriptSdk("client.mjs"));
        return new ClientWorkload("client", scale, clients, programs.floor("StreamingAgent"), work);
    }

    /** Of the other SDKs, TypeScript's alone speaks version 2. */
    private List<Workload> version2(Subject floor, List<Subject> both) throws IOException, InterruptedException {
        List<Subject> all = new ArrayList<>(List.of(floor));
        all.addAll(both);
        all.add(programs.typeScriptSdk("agent-v2.mjs"));
        List<Workload> workloads = new ArrayList<>();
        workloads.add(new StreamWorkload("stream in version 2", scale, all, "stream", false));
        workloads.add(new StreamWorkload("version 2 beside version 1", scale, both, "stream", true));
        workloads.add(new StreamWorkload("tool call pieces", scale, all, "pieces", false));
        Subject plain = programs.acp4jPlain("HelloClientOfVersion2");
        Subject node = programs.typeScriptSdk("client-v2.mjs");
        for (String prompt : List.of("stream", "pieces")) {
            List<Subject> clients = new ArrayList<>(List.of(new Subject(plain.name(), plain.with(prompt))));
            clients.add(node.isMissing() ? node : new Subject(node.name(), node.with(prompt)));
            workloads.add(new ClientWorkload(
                    prompt.equals("stream") ? "client in version 2" : "client, tool call pieces",
                    scale,
                    clients,
                    programs.floor("StreamingAgent"),
                    work));
        }
        return workloads;
    }

    private Workload proxies(Subject agent) {
        Path allocated = work.resolve("allocated");
        Subject floor = programs.floor("FloorProxy");
        Subject plain = programs.acp4jPlain("HelloProxy");
        Subject ours = new Subject(plain.name(), plain.with(allocated.toString()));
        List<Subject> proxies = List.of(
                new Subject(floor.name(), floor.with(agent.command())),
                new Subject(ours.name(), ours.with(agent.command())));
        return new AgentWorkload("forwarding, two pipes", proxies, scale.rounds(), scale.patience(), (proxy, sheet) -> {
            Files.deleteIfExists(allocated);
            String session = proxy.newSession();
            for (int turn = 1; turn <= 3; turn++) {
                byte[] prompt = proxy.prompt(session, "stream " + scale.updates());
                long start = System.nanoTime();
                int heard = proxy.turn(prompt);
                if (heard != scale.updates()) {
                    throw new IOException(heard + " updates came through");
                }
                sheet.write("turn " + turn + ", /s", heard / ((System.nanoTime() - start) / 1e9));
            }
            sheet.write("peak memory, MiB", proxy.peakMebibytes());
            AgentWorkloads.tinyTurns(proxy, sheet, scale.turns());
            proxy.finish();
            if (Files.exists(allocated)) {
                double messages = 3.0 * scale.updates() + 3.0 * scale.turns();
                sheet.write("bytes a message", Long.parseLong(Files.readString(allocated)) / messages);
            }
        });
    }

    /** An MCP server is used once; the floor does it by hand. */
    private Workload mcp() throws IOException, InterruptedException {
        Subject server = programs.floor("FloorMcpServer");
        List<Subject> clients = List.of(
                programs.floor("FloorMcpClient"),
                programs.acp4jWithMcp("HelloMcp", subject -> McpWorkload.train(subject, server, TRAINING_SECONDS)),
                programs.acp4jPlainWithMcp("HelloMcp"),
                programs.typeScriptSdk("mcp.mjs"));
        return new McpWorkload(scale, clients, server);
    }

    /** Remote agents; the TypeScript SDK has no HTTP/2 and resumes nothing. */
    private List<Workload> remote() throws IOException, InterruptedException {
        Certificates certificates = new Certificates(work);
        Subject floor = programs.floorWithJetty("FloorRemoteServer");
        Subject ours = programs.acp4jWithHttp("RemoteServer");
        List<Subject> jvm = List.of(floor, ours);
        List<Subject> all = List.of(floor, ours, programs.typeScriptSdkWithCollection("remote.mjs"));
        return List.of(
                new RemoteStart(
                        scale,
                        List.of(floor, acp("serve"), ours, all.getLast()),
                        programs.acp4jPlain("HelloAgent"),
                        work),
                new RemoteIdle(Way.HTTP1, 0, scale, all, certificates),
                new RemoteIdle(Way.HTTP2, 5, scale, jvm, certificates),
                new RemoteIdle(Way.HTTP2, 50, scale, jvm, certificates),
                new RemoteIdle(Way.WEBSOCKET, 0, scale, all, certificates),
                new RemoteTurns(Way.HTTP1, scale, all, certificates),
                new RemoteTurns(Way.HTTP2, scale, jvm, certificates),
                new RemoteTurns(Way.WEBSOCKET, scale, all, certificates),
                new RemoteDurability(scale, List.of(ours)),
                new RemoteCrowd(Way.HTTP1, scale, all, certificates),
                new RemoteCrowd(Way.HTTP2, scale, jvm, certificates),
                new RemoteCrowd(Way.WEBSOCKET, scale, all, certificates),
                new RemoteStalled(scale, List.of(ours)),
                new RemoteLarge(scale, jvm, certificates),
                new RemoteHalfSent(scale, jvm),
                new RemoteSlowReader(scale, List.of(ours)),
                new RemoteReplay(scale, List.of(ours)),
                new RemoteStorm(false, scale, List.of(ours), certificates),
                new RemoteStorm(true, scale, List.of(ours), certificates),
                new RemoteConnect(scale, List.of(acp("connect")), ours),
                new RemoteHosting(scale, List.of(acp("serve")), programs.acp4jPlain("HelloAgent"), work));
    }

    /** A client with proxies in its JVM; the floor is the same client without. */
    private Workload clientThrough(String name, String program) {
        List<Subject> clients = List.of(
                new Subject(Subject.FLOOR, programs.acp4jPlain("HelloClient").command()),
                programs.acp4jWithProxies(program));
        return new ClientWorkload(name, scale, clients, programs.floor("StreamingAgent"), work);
    }

    /**
     * A conductor with three components. The floor is programs that copy lines: three, or seven, as often as a message
     * is read and written when a conductor stands between the components.
     */
    private Workload chain(String name, int copies, Subject agent) {
        Subject floor = programs.floor("FloorProxy");
        List<String> copiers = agent.command();
        for (int i = 0; i < copies; i++) {
            copiers = floor.with(copiers);
        }
        Subject ours = programs.acp4jWithProxies("HelloChain");
        List<Subject> chains =
                List.of(new Subject(floor.name(), copiers), new Subject(ours.name(), ours.with(agent.command())));
        return new AgentWorkload(
                name,
                chains,
                scale.rounds(),
                scale.patience(),
                (chain, sheet) -> AgentWorkloads.tinyTurns(chain, sheet, scale.turns()));
    }
}
