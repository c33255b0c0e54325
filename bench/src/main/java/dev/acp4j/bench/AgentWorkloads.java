package dev.acp4j.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What agents are made to do. */
final class AgentWorkloads {
    private static final int MB = 1_000_000;
    private static final double KIB_PER_MIB = 1024;

    private final Scale scale;
    private final List<Subject> agents;
    private final List<Subject> few;

    /**
     * Takes the size of everything and the agents.
     *
     * @param few those for which it is shown how cost grows
     */
    AgentWorkloads(Scale scale, List<Subject> agents, List<Subject> few) {
        this.scale = scale;
        this.agents = agents;
        this.few = few;
    }

    List<Workload> all(List<Subject> starting) {
        List<Workload> all = new ArrayList<>();
        all.add(agent("start", starting, scale.starts(), AgentWorkloads::start));
        all.add(agent("stream", agents, scale.rounds(), this::stream));
        all.add(agent("stalled reader", agents, scale.fewRounds(), this::stall));
        all.add(agent("tiny turns", agents, scale.rounds(), (agent, sheet) -> tinyTurns(agent, sheet, scale.turns())));
        all.add(agent("file reads", agents, scale.rounds(), this::fileReads));
        for (int megabytes : scale.megabytes()) {
            all.add(agent(
                    "prompt of " + megabytes + " MB",
                    agents,
                    scale.fewRounds(),
                    (agent, sheet) -> prompts(agent, sheet, megabytes)));
            all.add(agent(
                    "write of " + megabytes + " MB",
                    agents,
                    scale.fewRounds(),
                    (agent, sheet) -> writes(agent, sheet, megabytes)));
        }
        for (int sessions : scale.sessions()) {
            String name = String.format(Locale.ROOT, "%,d sessions", sessions);
            all.add(agent(name, agents, scale.fewRounds(), (agent, sheet) -> idle(agent, sheet, sessions)));
        }
        for (int updates : scale.lengths()) {
            String name = String.format(Locale.ROOT, "turn of %,d", updates);
            all.add(agent(name, few, scale.rounds(), (agent, sheet) -> length(agent, sheet, updates)));
        }
        return all;
    }

    private Workload agent(String name, List<Subject> subjects, int rounds, AgentWorkload.Drive drive) {
        return new AgentWorkload(name, subjects, rounds, scale.patience(), drive);
    }

    private static void start(DrivenAgent agent, Workload.Sheet sheet) throws IOException {
        sheet.write("to the first answer, ms", agent.startNanos / 1e6);
        sheet.write("peak memory, MiB", agent.peakMebibytes());
    }

    private void stream(DrivenAgent agent, Workload.Sheet sheet) throws IOException {
        String session = agent.newSession();
        double cpu = agent.cpuSeconds();
        for (int turn = 1; turn <= 3; turn++) {
            sheet.write("turn " + turn + ", /s", scale.updates() / streamed(agent, session, scale.updates()));
            if (turn == 1) {
                sheet.write("CPU of turn 1, s", agent.cpuSeconds() - cpu);
            }
        }
        sheet.write("CPU of three turns, s", agent.cpuSeconds() - cpu);
        sheet.write("peak memory, MiB", agent.peakMebibytes());
    }

    /** Returns the seconds of a turn with so many updates. */
    private static double streamed(DrivenAgent agent, String session, int updates) throws IOException {
        byte[] prompt = agent.prompt(session, "stream " + updates);
        long start = System.nanoTime();
        int heard = agent.turn(prompt);
        double seconds = (System.nanoTime() - start) / 1e9;
        expect(updates, heard);
        return seconds;
    }

    private static void expect(int updates, int heard) throws IOException {
        if (heard != updates) {
            throw new IOException(heard + " of " + updates + " updates came before the answer");
        }
    }

    private void stall(DrivenAgent agent, Workload.Sheet sheet) throws IOException {
        String session = agent.newSession();
        byte[] prompt = agent.prompt(session, "stream " + scale.updates());
        agent.send(prompt);
        agent.awaitIdle();
        int heard = agent.awaitEnd(prompt);
        sheet.write("lost", (double) scale.updates() - heard);
        sheet.write("peak memory, MiB", agent.peakMebibytes());
    }

    /** Measures so many turns without work, one after another. */
    static void tinyTurns(DrivenAgent agent, Workload.Sheet sheet, int count) throws IOException {
        turns(agent, List.of(agent.newSession()), count).writeTo(sheet, "");
    }

    private static Latencies turns(DrivenAgent agent, List<String> sessions, int count) throws IOException {
        byte[][] prompts = new byte[count][];
        for (int i = 0; i < count; i++) {
            prompts[i] = agent.prompt(sessions.get(i * 7919 % sessions.size()), "say");
        }
        Latencies latencies = new Latencies(count);
        for (byte[] prompt : prompts) {
            long start = System.nanoTime();
            latencies.refused(agent.stubbornTurn(prompt));
            latencies.add(System.nanoTime() - start);
        }
        return latencies;
    }

    /** From the driver's answer to the agent's next request: the agent's part of a round trip, and the way there. */
    private void fileReads(DrivenAgent agent, Workload.Sheet sheet) throws IOException {
        String session = agent.newSession();
        Latencies latencies = new Latencies(scale.turns());
        agent.send(agent.prompt(session, "read " + scale.turns()));
        String id = agent.awaitFileRequest();
        while (true) {
            long start = System.nanoTime();
            agent.answerFileRequest(id);
            id = agent.awaitFileRequest();
            if (id.isEmpty()) {
                break;
            }
            latencies.add(System.nanoTime() - start);
        }
        latencies.writeTo(sheet, "");
    }

    private void prompts(DrivenAgent agent, Workload.Sheet sheet, int megabytes) throws IOException {
        String session = agent.newSession();
        double idle = agent.residentKibibytes();
        for (String which : List.of("first, ms", "second, ms")) {
            byte[] prompt = agent.largePrompt(session, megabytes * MB);
            long start = System.nanoTime();
            agent.turn(prompt);
            sheet.write(which, (System.nanoTime() - start) / 1e6);
        }
        writeMemory(agent, sheet, idle, megabytes * MB);
    }

    private void writes(DrivenAgent agent, Workload.Sheet sheet, int megabytes) throws IOException {
        String session = agent.newSession();
        double idle = agent.residentKibibytes();
        for (String which : List.of("first, ms", "second, ms")) {
            long start = System.nanoTime();
            agent.send(agent.prompt(session, "write " + megabytes * MB));
            String id = agent.awaitFileRequest();
            agent.answerFileRequest(id);
            if (!agent.awaitFileRequest().isEmpty()) {
                throw new IOException("a second request, where one was expected");
            }
            sheet.write(which, (System.nanoTime() - start) / 1e6);
        }
        writeMemory(agent, sheet, idle, megabytes * MB);
    }

    private static void writeMemory(DrivenAgent agent, Workload.Sheet sheet, double idleKibibytes, double bytes)
            throws IOException {
        double peak = agent.peakMebibytes();
        sheet.write("peak memory, MiB", peak);
        double above = (peak - idleKibibytes / KIB_PER_MIB) * KIB_PER_MIB * KIB_PER_MIB;
        sheet.write("peak above idle, × message", above / bytes);
    }

    private void idle(DrivenAgent agent, Workload.Sheet sheet, int count) throws IOException {
        List<String> sessions = new ArrayList<>();
        sessions.add(agent.newSession());
        turns(agent, sessions, scale.turns() / 5);
        double before = agent.residentKibibytes();
        for (int i = 1; i < count; i++) {
            sessions.add(agent.newSession());
        }
        sheet.write("memory of each, KiB", (agent.residentKibibytes() - before) / count);
        turns(agent, sessions, scale.turns() / 5).writeTo(sheet, "a turn, ");
    }

    private static void length(DrivenAgent agent, Workload.Sheet sheet, int updates) throws IOException {
        String session = agent.newSession();
        streamed(agent, session, updates);
        double seconds = streamed(agent, session, updates);
        sheet.write("second turn, /s", updates / seconds);
        sheet.write("peak memory, MiB", agent.peakMebibytes());
    }
}
