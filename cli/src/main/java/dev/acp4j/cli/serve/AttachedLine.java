package dev.acp4j.cli.serve;

import dev.acp4j.cli.command.AgentLauncher;
import dev.acp4j.cli.command.CommandFailedException;
import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.command.IoProblem;
import dev.acp4j.cli.command.StateFolder;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.process.Launch;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * A line from another machine, such as that of ssh, joined to a server here that outlives it. Each agent has one: the
 * same command in the same folder. It listens at a Unix domain socket, in a folder that only the user can read, and
 * ends a minute after its last connection.
 */
final class AttachedLine {
    private static final String UNUSED = "1m";
    private static final String REPORT = "acp: ";
    private static final File SETSID = new File("/usr/bin/setsid");

    private final Launch agent;
    private final Path folder;
    private final String name;

    private AttachedLine(Launch agent, Path folder, String name) {
        this.agent = agent;
        this.folder = folder;
        this.name = name;
    }

    /** Joins standard input and output to the server, which is started if there is none. Returns the exit code. */
    static int join(Launch agent) throws InterruptedException {
        try {
            Path folder = StateFolder.createForUser(StateFolder.path().resolve("attach"));
            AttachedLine line = new AttachedLine(agent, folder, name(agent));
            try (SocketChannel server = line.connect()) {
                pass(server);
            }
            return ExitCode.END_OF_TURN.number();
        } catch (IOException e) {
            throw new CommandFailedException(Failure.agent(SafeText.line(IoProblem.text(e))));
        }
    }

    /** A home may be shared by several machines. */
    private static String name(Launch agent) throws IOException {
        List<String> words =
                new ArrayList<>(List.of(machine(), Path.of("").toAbsolutePath().toString(), agent.command()));
        words.addAll(agent.arguments());
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest(String.join("\0", words).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String machine() throws IOException {
        Path known = Path.of("/proc/sys/kernel/hostname");
        return Files.isReadable(known)
                ? Files.readString(known).strip()
                : InetAddress.getLocalHost().getHostName();
    }

    private Path file(String ending) {
        return folder.resolve(name + ending);
    }

    private SocketChannel open() throws IOException {
        return SocketChannel.open(UnixDomainSocketAddress.of(file(".sock")));
    }

    private SocketChannel connect() throws IOException {
        try {
            return open();
        } catch (IOException e) {
            // No server listens, or one that has ended by a failure.
        }
        try (FileChannel file = FileChannel.open(file(".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            FileLock lock = file.lock();
            try {
                return open();
            } catch (IOException e) {
                start();
                return open();
            } finally {
                lock.release();
            }
        }
    }

    /** Starts the server, and waits until it listens. It keeps nothing of the line open, which would not end then. */
    private void start() throws IOException {
        List<String> words = new ArrayList<>(
                List.of("serve", "--json", "--socket", file(".sock").toString(), "--unused", UNUSED));
        // The agent has the environment of the login, as over ssh without a server.
        words.addAll(List.of("--env", "*", "--", agent.command()));
        words.addAll(agent.arguments());
        Launch launch = AgentLauncher.acp(words.toArray(String[]::new));
        List<String> command = new ArrayList<>();
        if (SETSID.canExecute()) {
            // What is sent to the processes of the line, such as a signal, does not reach the server.
            command.add(SETSID.getPath());
        }
        command.add(launch.program().toString());
        command.addAll(launch.arguments());
        File log = file(".log").toFile();
        long before = log.length();
        Process server = new ProcessBuilder(command)
                .redirectInput(new File("/dev/null"))
                .redirectError(ProcessBuilder.Redirect.appendTo(log))
                .start();
        if (server.inputReader(StandardCharsets.UTF_8).readLine() == null) {
            throw new IOException("the server of the agent did not start: " + reason(log, before));
        }
    }

    /** Returns the last failure that was reported since then; a hint may follow it. */
    private static String reason(File log, long since) throws IOException {
        try (FileInputStream in = new FileInputStream(log)) {
            in.skipNBytes(since);
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> line.startsWith(REPORT))
                    .reduce((first, second) -> second)
                    .map(line -> line.substring(REPORT.length()))
                    .orElse("see " + log);
        }
    }

    /** Passes bytes in both directions until the server ends, or standard input does. */
    private static void pass(SocketChannel server) throws IOException {
        Thread unused = Thread.ofPlatform().daemon().name("acp-line").start(() -> {
            try {
                long unusedCount = new FileInputStream(FileDescriptor.in).transferTo(Channels.newOutputStream(server));
                server.close();
            } catch (IOException e) {
                // The server has ended. Why, it may have said in what is still passed in the other direction.
            }
        });
        try (InputStream in = Channels.newInputStream(server)) {
            long unusedCount = in.transferTo(new FileOutputStream(FileDescriptor.out));
        } catch (IOException e) {
            if (server.isOpen()) {
                throw e;
            }
        }
    }
}
