package dev.acp4j.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import javax.net.SocketFactory;

/**
 * From the start of a server to its first answer to {@code initialize}: in a program, and of {@code acp serve} with its
 * agent, which is a process of its own.
 *
 * @param agent what is hosted
 * @param work where the tokens of {@code acp serve} are
 */
record RemoteStart(Scale scale, List<Subject> subjects, Subject agent, Path work) implements Workload {
    private static final String WHAT = "to the first answer, ms";

    @Override
    public String name() {
        return "remote, start";
    }

    @Override
    public int rounds() {
        return scale.rounds();
    }

    @Override
    public void measure(Subject subject, Sheet sheet) throws Exception {
        if (subject.name().equals(Subject.ACP4J)) {
            try (Child server = new Child(RemoteHosting.command(subject, agent, work), scale.patience())) {
                server.next();
                initialize(RemoteHosting.port(server.text()), "Authorization: Bearer " + RemoteHosting.TOKEN + "\r\n");
                sheet.write(WHAT, (System.nanoTime() - server.started) / 1e6);
            }
            return;
        }
        try (RemotePeer server = new RemotePeer(subject, List.of(), scale.patience())) {
            initialize(server.port(), "");
            sheet.write(WHAT, (System.nanoTime() - server.started()) / 1e6);
        }
    }

    private static void initialize(int port, String headers) throws IOException {
        try (PostSocket posts = new PostSocket(SocketFactory.getDefault(), port)) {
            posts.send(headers, RemoteClient.INITIALIZE);
            String unused = posts.answer();
        }
    }
}
