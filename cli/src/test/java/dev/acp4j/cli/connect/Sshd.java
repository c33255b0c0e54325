package dev.acp4j.cli.connect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/**
 * The system's sshd on this machine, with keys and a configuration of the test, and the system's ssh, which finds it
 * under the name {@code build}. There is no copy of either in the test.
 */
final class Sshd implements AutoCloseable {
    private static final Path SERVER = Path.of("/usr/sbin/sshd");
    private static final Path CLIENT = Path.of("/usr/bin/ssh");

    /** Where the sshd of root keeps what is not logged in yet. Its service makes the folder. */
    private static final Path EMPTY = Path.of("/run/sshd");

    private final Path folder;
    private final Process process;

    /**
     * Starts one, if the system has one; otherwise the test is skipped.
     *
     * @param more lines of its configuration
     */
    Sshd(Path folder, String... more) throws Exception {
        String user = System.getProperty("user.name");
        Assumptions.assumeTrue(
                Files.isExecutable(SERVER) && Files.isExecutable(CLIENT),
                "there is no sshd or no ssh; the package is openssh-server");
        Assumptions.assumeTrue(
                !user.equals("root") || Files.isDirectory(EMPTY), "the sshd of root needs the folder " + EMPTY);
        this.folder = folder;
        key("host");
        key("user");
        key("other");
        Files.copy(folder.resolve("user.pub"), folder.resolve("authorized"));
        int port = freePort();
        Files.writeString(folder.resolve("sshd_config"), """
                ListenAddress 127.0.0.1:%d
                HostKey %2$s/host
                AuthorizedKeysFile %2$s/authorized
                PermitRootLogin prohibit-password
                PasswordAuthentication no
                KbdInteractiveAuthentication no
                StrictModes no
                UsePAM no
                PidFile none
                """.formatted(port, folder) + String.join("\n", more) + "\n");
        known("host");
        Files.writeString(folder.resolve("ssh_config"), """
                Host build
                  HostName 127.0.0.1
                  Port %d
                  User %s
                  HostKeyAlias build
                  IdentityFile %3$s/user
                  IdentitiesOnly yes
                  UserKnownHostsFile %3$s/known
                  GlobalKnownHostsFile /dev/null
                  StrictHostKeyChecking yes
                """.formatted(port, user, folder));
        Path ssh = Files.createDirectories(folder.resolve("bin")).resolve("ssh");
        Files.writeString(
                ssh,
                "#!/bin/sh\necho $$ >>" + folder + "/pids\nexec " + CLIENT + " -F " + folder + "/ssh_config \"$@\"\n");
        Files.setPosixFilePermissions(ssh, PosixFilePermissions.fromString("rwxr-xr-x"));
        process = new ProcessBuilder(
                        SERVER.toString(),
                        "-D",
                        "-e",
                        "-f",
                        folder.resolve("sshd_config").toString())
                .start();
        awaitListening();
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private void key(String name) throws Exception {
        Process made = new ProcessBuilder("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", name)
                .directory(folder.toFile())
                .inheritIO()
                .start();
        assertThat(made.waitFor()).isZero();
    }

    /** Has clients take this key for that of the server. */
    void known(String name) throws IOException {
        Files.writeString(folder.resolve("known"), "build " + Files.readString(folder.resolve(name + ".pub")));
    }

    /** Has the server let in who has this key. */
    void authorized(String name) throws IOException {
        Files.writeString(folder.resolve("authorized"), Files.readString(folder.resolve(name + ".pub")));
    }

    private void awaitListening() throws IOException {
        BufferedReader err = process.errorReader(StandardCharsets.UTF_8);
        StringBuilder said = new StringBuilder();
        String line = err.readLine();
        while (line != null && !line.contains("Server listening on")) {
            said.append(line).append('\n');
            line = err.readLine();
        }
        assertThat(line).as(said.toString()).isNotNull();
        Thread unused = Thread.startVirtualThread(() -> {
            try (err) {
                while (err.readLine() != null) {
                    // It must not wait for somebody who reads.
                }
            } catch (IOException e) {
                // It has ended.
            }
        });
    }

    /** The search path with the ssh that finds the server. */
    String path() {
        return folder.resolve("bin") + ":" + System.getenv("PATH");
    }

    /** Starts an ssh. */
    Process ssh(String... arguments) throws IOException {
        ProcessBuilder command = new ProcessBuilder(folder.resolve("bin/ssh").toString()).inheritIO();
        command.command().addAll(List.of(arguments));
        return command.start();
    }

    /** Returns the processes of ssh that were started, in this order. */
    List<Long> clients() {
        try {
            return Files.readAllLines(folder.resolve("pids")).stream()
                    .map(Long::valueOf)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        Process unused = process.onExit().join();
    }
}
