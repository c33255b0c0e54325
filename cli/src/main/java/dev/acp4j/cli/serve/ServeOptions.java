package dev.acp4j.cli.serve;

import dev.acp4j.cli.command.Durations;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What {@code acp serve} can be told, on the command line and in its file: the names are the same. */
final class ServeOptions {
    @Option(
            names = "--port",
            paramLabel = "N",
            defaultValue = "8080",
            description = "Listen at this port; default: 8080. 0 is any that is free.")
    int port = 8080;

    @Option(
            names = "--listen",
            paramLabel = "ADDRESS",
            defaultValue = "127.0.0.1",
            description =
                    "Listen at this address; default: 127.0.0.1, for this machine only. Others need TLS or a trusted "
                            + "proxy, and --host.")
    String listen = "127.0.0.1";

    @Option(
            names = "--socket",
            paramLabel = "FILE",
            description =
                    "Listen at this Unix domain socket, in a folder that only you can read, instead of a port: every "
                            + "process that can open the file can use the agent.")
    @Nullable
    Path socket;

    @Option(
            names = "--unused",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "End when there has been no connection for so long; without it, never.")
    @Nullable
    Duration unused;

    @Option(
            names = "--host",
            paramLabel = "NAME",
            description = "A name by which clients reach the server, with its port unless that is the standard one; "
                    + "repeatable. Requests for other names are refused.")
    List<String> hosts = new ArrayList<>();

    @Option(
            names = "--origin",
            paramLabel = "ORIGIN",
            description = "Let web pages of this origin use the agent; repeatable.")
    List<String> origins = new ArrayList<>();

    @Option(
            names = "--trusted-proxy",
            paramLabel = "ADDRESS",
            description = "Trust the forwarding headers of this address, also about TLS; repeatable.")
    List<String> trustedProxies = new ArrayList<>();

    @Option(
            names = "--proxy-protocol",
            description =
                    "Expect a header of the PROXY protocol, version 1 or 2, at the beginning of each connection of a "
                            + "trusted proxy.")
    boolean proxyProtocol;

    @Option(
            names = "--tls-certificate",
            paramLabel = "FILE",
            description = "Use TLS with the certificates in this PEM file. A changed file is read again.")
    @Nullable
    Path tlsCertificate;

    @Option(names = "--tls-key", paramLabel = "FILE", description = "The key of the certificate, as PKCS #8 in PEM.")
    @Nullable
    Path tlsKey;

    @Option(
            names = "--tls-self-signed",
            description =
                    "Use TLS with a certificate that is made once and signs itself. The start prints its pin for 'acp "
                            + "connect --pin'.")
    boolean tlsSelfSigned;

    @Option(
            names = "--client-ca",
            paramLabel = "FILE",
            description =
                    "Accept client certificates issued by the authorities in this PEM file; the user is the subject "
                            + "alternative name. Can be combined with --tokens or --oidc.")
    @Nullable
    Path clientCa;

    @Option(
            names = "--oidc",
            paramLabel = "ISSUER",
            description = "Accept tokens signed by this OpenID Connect issuer; needs --audience.")
    @Nullable
    URI oidc;

    @Option(
            names = "--audience",
            paramLabel = "NAME",
            defaultValue = "",
            description = "The audience (aud) that a token must have.")
    String audience = "";

    @Option(
            names = "--oidc-user",
            paramLabel = "CLAIM",
            defaultValue = "sub",
            description = "Which claim of a token names the user; default: sub.")
    String oidcUser = "sub";

    @Option(
            names = "--tokens",
            paramLabel = "FILE",
            description = "Accept the tokens of this file, which only you may read: lines of a name, a token and, "
                    + "optionally, an expiry time. A changed file is read again. Default: one random token.")
    @Nullable
    Path tokens;

    @Option(
            names = "--chain",
            paramLabel = "FILE",
            description =
                    "Put the proxies of this chain file before the agent; without a command, the agent is that of "
                            + "the file. Each agent has a chain of its own, which 'acp conduct' runs.")
    @Nullable
    Path chain;

    @Option(
            names = "--per",
            paramLabel = "connection|user",
            defaultValue = "connection",
            description =
                    "Start an agent for each connection, which is the default, or one for each user, whose clients "
                            + "share its sessions.")
    String per = "connection";

    @Option(
            names = "--prestart",
            paramLabel = "N",
            defaultValue = "0",
            description = "Keep N idle agents ready; default: 0.")
    int prestart;

    @Option(
            names = "--root",
            paramLabel = "DIR",
            description = "Let each user's sessions work only in a folder of its own in DIR, which is created.")
    @Nullable
    Path root;

    @Option(
            names = "--store",
            paramLabel = "DIR",
            description =
                    "Keep what clients have not got yet in this folder, which is created, so that they get it after "
                            + "a restart. Default: it is lost with the process.")
    @Nullable
    Path store;

    @Option(
            names = "--session-owners",
            paramLabel = "FILE",
            description = "With several users, keep whose sessions are whose in this file, which one server at a time "
                    + "uses; default: serve/sessions.jsonl in acp's state folder.")
    @Nullable
    Path sessionOwners;

    @Option(
            names = "--env",
            paramLabel = "NAME[=VALUE]",
            description = "Pass an environment variable on to agents, or set one; repeatable.")
    List<String> environment = new ArrayList<>();

    @Option(
            names = "--idle",
            paramLabel = "TIME",
            converter = Durations.class,
            defaultValue = "30m",
            description = "With --per user, end an agent that nobody has used for so long, and that has nothing to do; "
                    + "default: 30m.")
    Duration idle = Duration.ofMinutes(30);

    @Option(
            names = "--delete-unused",
            paramLabel = "DAYS",
            defaultValue = "0",
            description = "Have agents delete sessions that nobody has used for so many days; default: 0, for never.")
    int deleteUnused;

    @Option(
            names = "--question-time",
            paramLabel = "TIME",
            converter = Durations.class,
            defaultValue = "24h",
            description =
                    "How long an agent's question waits for an answer; default: 24h. Then it counts as cancelled.")
    Duration questionTime = Duration.ofDays(1);

    @Option(
            names = "--grace",
            paramLabel = "TIME",
            converter = Durations.class,
            defaultValue = "10m",
            description = "How long a connection waits for a client that is away; default: 10m.")
    Duration grace = Duration.ofMinutes(10);

    @Option(
            names = "--drain",
            paramLabel = "TIME",
            converter = Durations.class,
            defaultValue = "10s",
            description = "How long turns may go on after SIGTERM; default: 10s.")
    Duration drain = Duration.ofSeconds(10);

    @Option(
            names = "--connections",
            paramLabel = "N",
            defaultValue = "1024",
            description = "How many connections there may be; default: 1024.")
    int connections = 1024;

    @Option(
            names = "--connections-per-user",
            paramLabel = "N",
            defaultValue = "32",
            description = "How many of them one user may have; default: 32.")
    int connectionsPerUser = 32;

    @Option(
            names = "--connections-per-address",
            paramLabel = "N",
            description = "Limit of connections from one address, trusted proxies excluded; default: a quarter of the "
                    + "limit of all, at least 4096.")
    @Nullable
    Integer connectionsPerAddress;

    @Option(
            names = "--processes",
            paramLabel = "N",
            defaultValue = "64",
            description = "How many agents may run; default: 64.")
    int processes = 64;

    @Option(
            names = "--processes-per-user",
            paramLabel = "N",
            defaultValue = "16",
            description = "How many of them for one user; default: 16.")
    int processesPerUser = 16;

    @Option(
            names = "--starts-per-minute",
            paramLabel = "N",
            defaultValue = "30",
            description = "How many agents are started for one user in a minute; default: 30.")
    int startsPerMinute = 30;

    @Option(
            names = "--sessions-per-user",
            paramLabel = "N",
            defaultValue = "100",
            description = "How many sessions one user may have open; default: 100.")
    int sessionsPerUser = 100;

    @Option(
            names = "--requests-per-minute",
            paramLabel = "N",
            defaultValue = "6000",
            description = "How many requests one user may send in a minute; default: 6000.")
    int requestsPerMinute = 6000;

    @Option(
            names = "--bytes-per-second",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "How many bytes of requests one user may send in a second, over a minute; default: 0, for any "
                            + "number.")
    long bytesPerSecond;

    @Option(
            names = "--turns-per-day",
            paramLabel = "N",
            defaultValue = "0",
            description = "How many turns one user may begin in 24 hours; default: 0, for any number.")
    int turnsPerDay;

    @Option(
            names = "--stored-bytes-per-user",
            paramLabel = "N",
            description = "How much of what one user was sent is kept for clients that come back; default: 268435456, "
                    + "but at most an eighth of the heap.")
    @Nullable
    Long storedBytesPerUser;

    @Option(
            names = "--queued-bytes",
            paramLabel = "N",
            description = "How many bytes of messages may wait for all agents and clients together, until agents whose "
                    + "clients do not read are slowed; default: a quarter of the heap.")
    @Nullable
    Long queuedBytes;

    @Option(
            names = "--message-bytes",
            paramLabel = "N",
            defaultValue = "67108864",
            description = "The largest message; default: 67108864.")
    int messageBytes = 64 << 20;

    @Option(
            names = "--metrics-port",
            paramLabel = "N",
            description = "Serve /metrics, /health and /ready at this port of this machine, without a token. With a "
                    + "token they are at the other port, too.")
    @Nullable
    Integer metricsPort;

    @Option(
            names = "--webhook",
            paramLabel = "URL",
            description = "Report questions of agents to this address, signed with --webhook-secret.")
    @Nullable
    URI webhook;

    @Option(
            names = "--webhook-secret",
            paramLabel = "FILE",
            description = "Sign reports with the first line of this file.")
    @Nullable
    Path webhookSecret;

    @Option(
            names = "--webhook-link",
            paramLabel = "URL",
            description =
                    "Add a link to each report, with which its receiver may allow or reject once, for 15 minutes: the "
                            + "address of this server, such as https://agents.example.")
    @Nullable
    URI webhookLink;

    @Option(
            names = "--webhook-private",
            description = "Allow an address of the webhook on this machine, in a private network, or without TLS.")
    boolean webhookPrivate;

    @Option(
            names = "--log",
            paramLabel = "text|json",
            defaultValue = "text",
            description = "How events are written to standard error; default: text.")
    String log = "text";
}
