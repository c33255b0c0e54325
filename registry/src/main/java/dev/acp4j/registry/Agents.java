package dev.acp4j.registry;

import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonValue;
import dev.acp4j.process.Launch;
import dev.acp4j.process.ProcessFailedException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Agents by name: finds them in indexes, installs them, and says what starts them. Thread-safe; methods block, and
 * several processes may use the same folder.
 *
 * <p>A name is an id, a well-known short name such as {@code claude}, or the only beginning of an id. What runs is what
 * the {@code acp.lock} of the project pins, else that of the user; an index changes nothing by itself.
 */
public final class Agents implements AutoCloseable {
    /** What the caller allows an installation to do. */
    public enum Consent {
        /** Only what a digest verifies. */
        VERIFIED,
        /** Also a first download that nothing verifies; its digest is pinned. */
        UNVERIFIED
    }

    private final RegistrySettings settings;
    private final Path project;
    private final Store store;
    private final Downloads downloads;
    private final IndexReader reader;
    private final Installer installer;
    private final AgentValues values;
    private final Handshake handshake;

    private Agents(RegistrySettings settings, Path project) {
        this.settings = settings;
        this.project = project;
        this.store = new Store(settings.data());
        this.downloads = new Downloads(settings);
        this.reader = new IndexReader(settings, downloads);
        this.installer = new Installer(settings, store, downloads);
        this.values = new AgentValues(store);
        this.handshake = new Handshake(store);
    }

    /**
     * Returns what starts an installed agent, for a program that works in the current folder:
     *
     * <pre>{@code
     * try (var agent = Client.builder("ask", "1.0").connect(Agents.named("claude"))) { … }
     * }</pre>
     *
     * <p>Opens no connection and installs nothing.
     *
     * @throws UnknownAgentException if none or several installed or pinned agents have the name
     * @throws NotInstalledException if it is not installed; the message says how
     */
    public static Launch named(String name) throws IOException {
        try (Agents agents = of(RegistrySettings.ofUser(), Path.of(""))) {
            return agents.launch(name);
        }
    }

    /**
     * Returns agents with settings.
     *
     * @param project a folder of the project, whose {@code acp.lock} counts
     */
    public static Agents of(RegistrySettings settings, Path project) {
        return new Agents(settings, project.toAbsolutePath().normalize());
    }

    /**
     * Returns agents that are installed elsewhere, from another index; everything else is as here.
     *
     * @param data where they are installed
     * @param index an index, or a file with a single entry
     */
    public Agents apart(Path data, Path index) {
        RegistrySettings apart = settings.data(data).indexes(List.of(index.toString()));
        return new Agents(apart, data);
    }

    /** Closes connections. */
    @Override
    public void close() {
        downloads.close();
    }

    /** Returns the settings. */
    public RegistrySettings settings() {
        return settings;
    }

    // ---- finding

    /**
     * Reads the indexes, the one that counts most first.
     *
     * @param refresh whether to ask the hosts, although a copy is younger than an hour
     * @throws RegistryException if one cannot be read and there is no copy of it
     */
    public List<Index> indexes(boolean refresh) throws IOException, InterruptedException {
        List<Index> indexes = new ArrayList<>();
        for (String source : settings.indexes()) {
            indexes.add(index(source, refresh));
        }
        return indexes;
    }

    /**
     * Reads an index.
     *
     * @param source its address, file or folder
     * @param refresh whether to ask its host, although a copy is younger than an hour
     * @throws RegistryException if it cannot be read and there is no copy of it
     */
    public Index index(String source, boolean refresh) throws IOException, InterruptedException {
        return reader.read(source, refresh);
    }

    /**
     * Finds the id of a name in indexes.
     *
     * @throws UnknownAgentException if none or several agents have the name
     * @throws RegistryException if its entry was left out; the message says why
     */
    public static String id(String name, List<Index> indexes) throws RegistryException {
        SortedSet<String> good = new TreeSet<>();
        indexes.forEach(index -> index.agents().forEach(entry -> good.add(entry.id())));
        SortedSet<String> ids = new TreeSet<>(good);
        indexes.forEach(index -> ids.addAll(index.leftOut().keySet()));
        String id = Names.resolve(bare(name), ids);
        if (!good.contains(id)) {
            Index index = indexes.stream()
                    .filter(each -> each.leftOut().containsKey(id))
                    .findFirst()
                    .orElseThrow();
            throw new RegistryException(id + " is in " + index.source() + ", but its entry cannot be used: "
                    + index.leftOut().get(id));
        }
        return id;
    }

    /**
     * Finds the id of a name among the agents that are pinned or installed.
     *
     * @throws UnknownAgentException if none or several agents have the name
     */
    public String knownId(String name) throws IOException {
        SortedSet<String> ids = new TreeSet<>(lockFile().pins().keySet());
        ids.addAll(userLockFile().pins().keySet());
        store.all().forEach(installation -> ids.add(installation.id()));
        return Names.resolve(bare(name), ids);
    }

    private static String bare(String name) {
        int at = name.indexOf('@');
        return at < 0 ? name : name.substring(0, at);
    }

    private static @Nullable String versionOf(String name) {
        int at = name.indexOf('@');
        return at < 0 ? null : name.substring(at + 1);
    }

    // ---- lock files

    /** Returns the lock file that counts: that of the project, or else that of the user. */
    public LockFile lockFile() {
        Path found = LockFile.find(project);
        return found == null ? userLockFile() : new LockFile(found, store.locks(), true);
    }

    /** Returns the lock file of the user. */
    public LockFile userLockFile() {
        return new LockFile(settings.data().resolve(LockFile.NAME), store.locks(), false);
    }

    /** Returns the lock file of the project, which may not exist yet: beside {@code .git}, or else in the folder. */
    public LockFile projectLockFile() {
        Path found = LockFile.find(project);
        Path root = project;
        while (root != null && !Files.exists(root.resolve(".git"))) {
            root = root.getParent();
        }
        Path file = found != null ? found : (root == null ? project : root).resolve(LockFile.NAME);
        return new LockFile(file, store.locks(), true);
    }

    /** Returns the lock file with the pin in force of an agent; that which counts if it is not pinned. */
    public LockFile lockFile(String id) throws IOException {
        LockFile first = lockFile();
        LockFile second = userLockFile();
        return first.pin(id).isEmpty() && second.pin(id).isPresent() ? second : first;
    }

    /** Returns the pin in force of an agent: that of the project, or else that of the user; empty if there is none. */
    public Optional<Pin> pin(String id) throws IOException {
        return lockFile(id).pin(id);
    }

    // ---- installing

    /**
     * Proposes what {@link #install} would do. Reads the indexes unless the agent is pinned, on whatever platforms.
     *
     * @param name an id, a short name or a beginning, which {@code @VERSION} may follow
     * @param via the kind to choose; null for the first that this machine can run
     * @param update whether the version of the index is meant, although another one is pinned
     * @throws UnknownAgentException if none or several agents have the name
     */
    public Proposal propose(String name, Distribution.@Nullable Kind via, boolean update)
            throws IOException, InterruptedException {
        Pin pinned = update ? null : pinned(name, via);
        if (pinned != null) {
            return new Proposal(pinned, pinned, true, isInstalled(pinned), installer.notices(pinned));
        }
        Proposal offer = offer(name, via);
        Platform here = settings.platform().orElse(null);
        return offer.with(
                offer.pin().withPlatforms(here == null ? null : offer.pin().best(here), offer.present()));
    }

    /**
     * Proposes to pin an agent for all platforms that it has. Reads the indexes; what is pinned keeps its version and
     * its digests.
     *
     * @throws UnknownAgentException if none or several agents have the name
     * @throws RegistryException if the index has another digest for an archive that is pinned
     */
    public Proposal proposeAll(String name, Distribution.@Nullable Kind via) throws IOException, InterruptedException {
        Pin pinned = pinned(name, via);
        if (pinned == null) {
            return offer(name, via);
        }
        Pin next = offer(pinned.id(), pinned.distribution().kind()).pin();
        Pin whole = next.version().equals(pinned.version()) ? pinned.completedBy(next) : pinned;
        return new Proposal(whole, pinned, whole.equals(pinned), isInstalled(whole), installer.notices(whole));
    }

    /** Returns what the first index that has the agent offers, with the archives of all platforms. */
    private Proposal offer(String name, Distribution.@Nullable Kind via) throws IOException, InterruptedException {
        List<Index> indexes = new ArrayList<>();
        for (String source : settings.indexes()) {
            Index index = index(source, false);
            indexes.add(index);
            if (index.agent(bare(name)).isPresent()) {
                // The first that has the id counts, and no other one is asked.
                break;
            }
        }
        String id = id(name, indexes);
        Pin present = pin(id).orElse(null);
        for (Index index : indexes) {
            Optional<AgentEntry> entry = index.agent(id);
            if (entry.isPresent()) {
                return offer(entry.get(), index, name, via, present);
            }
        }
        throw new UnknownAgentException(id, "there is no agent " + id, List.of());
    }

    private @Nullable Pin pinned(String name, Distribution.@Nullable Kind via) throws IOException {
        Pin pinned = pinned(name);
        String version = versionOf(name);
        return pinned != null
                        && (version == null || version.equals(pinned.version()))
                        && (via == null || via == pinned.distribution().kind())
                ? pinned
                : null;
    }

    private @Nullable Pin pinned(String name) throws IOException {
        try {
            return pin(knownId(name)).orElse(null);
        } catch (UnknownAgentException e) {
            return null;
        }
    }

    private boolean isInstalled(Pin pin) throws IOException {
        return installer.installed(pin) != null;
    }

    private Proposal offer(
            AgentEntry entry, Index index, String name, Distribution.@Nullable Kind via, @Nullable Pin present)
            throws IOException {
        String version = versionOf(name);
        if (version != null && !version.equals(entry.version())) {
            throw new RegistryException(
                    "there is " + entry + " and no version " + version
                            + ": an index has one version of each agent. 'acp agents rollback' goes back to one that is installed");
        }
        Pin pin = Pin.of(entry, index.origin(), choose(entry, via)).and(present);
        List<String> notices = new ArrayList<>(installer.notices(pin));
        if (!index.staleness().isEmpty()) {
            notices.add("the copy of " + index.source() + " is of " + index.asOf() + ": " + index.staleness());
        }
        return new Proposal(pin, present, false, isInstalled(pin), notices);
    }

    private Distribution choose(AgentEntry entry, Distribution.@Nullable Kind via) throws RegistryException {
        if (via != null) {
            return entry.distribution(via)
                    .orElseThrow(() -> new RegistryException(entry.id() + " cannot be had by " + via.id()));
        }
        Platform platform = settings.platform().orElse(null);
        for (Distribution distribution : entry.distributions()) {
            if (!(distribution instanceof Distribution.Binary binary)) {
                return distribution;
            }
            if (platform != null && platform.runnable().stream().anyMatch(binary.archives()::containsKey)) {
                return distribution;
            }
        }
        Distribution.Binary binary = (Distribution.Binary) entry.distributions().getFirst();
        throw new RegistryException(entry.id() + " has no program for "
                + (platform == null ? "this system" : platform) + "; it has "
                + String.join(
                        ", ",
                        binary.archives().keySet().stream().map(Platform::id).toList()));
    }

    /**
     * Installs what was proposed, checks that it answers {@code initialize}, and pins it. What is installed already is
     * pinned only, and what is pinned already is installed only. Archives of other platforms are fetched for their
     * digests, if they are to be pinned and have none. Nothing that runs is touched; the version that was pinned before
     * stays.
     *
     * @param consent what may be done
     * @param lock the file that the pin is written to
     * @param plays whether the agent must answer {@code initialize} before it is pinned
     * @return the installation
     * @throws UnverifiedException if nothing verifies the download and the consent does not allow that
     * @throws RegistryException if it cannot be fetched, is not allowed, does not answer, or has other bytes than
     *     pinned
     */
    public Installation install(Proposal proposal, Consent consent, LockFile lock, boolean plays, Progress progress)
            throws IOException, InterruptedException {
        Pin wanted = proposal.pin();
        return store.locked(wanted.id(), () -> {
            Installation made = installer.installed(wanted);
            boolean isNew = made == null;
            if (made == null) {
                made = installer.install(wanted, consent, progress);
            }
            // One that is here and not pinned may be left by an attempt that was killed.
            if (plays && !isPinned(made)) {
                progress.step("starting " + wanted);
                play(made, isNew);
            }
            Pin before = lock.pin(wanted.id()).orElse(null);
            Pin complete = installer.completed(made.pin().and(wanted).and(before), false, consent, progress);
            made.keep(lock, complete);
            keep(lock, before);
            Installation installation = made.with(complete);
            lock.change(pins -> {
                if (!proposal.isPinned() || !pins.containsKey(wanted.id())) {
                    pins.put(wanted.id(), complete);
                }
            });
            return installation;
        });
    }

    /** Keeps how a lock file has pinned what it pins no more, so that it can be gone back to. */
    private void keep(LockFile lock, @Nullable Pin before) throws IOException {
        Installation installation = before == null ? null : installer.installed(before);
        if (before != null && installation != null) {
            installation.keep(lock, before);
        }
    }

    /** Returns an installation as a lock file has pinned it; null if it has not. */
    private @Nullable Installation kept(Installation installation, LockFile lock) throws IOException {
        Pin pin = installation.kept(lock);
        return pin == null ? null : installer.startedBy(installation, pin);
    }

    /**
     * A new one that does not answer is not kept, so that it is not gone back to. One that was here may be in use:
     * another project may have it.
     */
    private void play(Installation installation, boolean isNew) throws IOException, InterruptedException {
        boolean answers = false;
        try {
            play(installation);
            answers = true;
        } finally {
            if (!answers && isNew) {
                long unused = store.remove(installation);
            }
        }
    }

    private void play(Installation installation) throws IOException, InterruptedException {
        try {
            JsonObject unused = handshake.play(installation.id(), launch(installation));
        } catch (ProcessFailedException e) {
            throw new RegistryException(
                    installation.id() + " " + installation.version() + " does not answer, and was not pinned:\n"
                            + e.report(),
                    e);
        } catch (dev.acp4j.rpc.RpcException e) {
            throw new RegistryException(
                    installation.id() + " " + installation.version() + " does not answer, and was not pinned: "
                            + e.getMessage(),
                    e);
        }
    }

    /**
     * Completes a proposal with the digests and sizes of all its platforms, for which their archives are fetched.
     * Nothing is installed.
     */
    public Proposal lockAll(Proposal proposal, Consent consent, Progress progress)
            throws IOException, InterruptedException {
        return proposal.with(installer.completed(proposal.pin(), true, consent, progress));
    }

    /** Returns a mirror of the first index in a folder, which may not exist yet. */
    public Mirror mirror(Path folder) {
        return new Mirror(folder, reader, downloads, settings);
    }

    /** Writes a pin. */
    public void pin(Pin pin, LockFile lock) throws IOException, InterruptedException {
        lock.change(pins -> pins.put(pin.id(), pin));
    }

    // ---- what is here

    /** Returns the installations, by id, and the newest version of each first. */
    public List<Installation> installations() throws IOException {
        return store.all();
    }

    /** Returns the folders of agents that have no receipt that can be read, which are neither started nor deleted. */
    public List<Path> damaged() throws IOException {
        return store.damaged();
    }

    /**
     * Goes back to the installed version below the one that is pinned, or to the one that is named. What was pinned in
     * the same lock file is pinned again: what others have installed is not gone back to.
     *
     * @param name an id, a short name or a beginning, which {@code @VERSION} may follow
     * @return the installation that is pinned now
     * @throws RegistryException if there is none
     */
    public Installation rollback(String name) throws IOException, InterruptedException {
        String id = knownId(name);
        String version = versionOf(name);
        LockFile lock = lockFile(id);
        return store.locked(id, () -> {
            Pin present = lock.pin(id).orElseThrow(() -> new RegistryException(id + " is not pinned"));
            List<Installation> installed = store.of(id);
            for (Installation installation : installed) {
                boolean isWanted = version == null
                        ? Versions.ORDER.compare(installation.version(), present.version()) < 0
                        : version.equals(installation.version());
                Installation kept = isWanted ? kept(installation, lock) : null;
                if (kept != null) {
                    keep(lock, present);
                    lock.change(pins -> pins.put(id, kept.pin()));
                    return kept;
                }
            }
            String here = String.join(
                    ", ", installed.stream().map(Installation::version).toList());
            throw new RegistryException((version == null
                            ? "no version of " + id + " before " + present.version()
                            : "no version " + version + " of " + id)
                    + " is installed that " + lock + " has pinned" + (here.isEmpty() ? "" : "; there is " + here)
                    + ". 'acp agents rollback " + id + "@VERSION' goes to one that is");
        });
    }

    /**
     * Deletes an agent: its installations, its pin of the user or the project, and, unless only a version is meant, the
     * variables that the user has set for it: another agent of that name must not get them.
     *
     * @return the bytes that were freed
     */
    public long remove(String name) throws IOException, InterruptedException {
        String id = knownId(name);
        String version = versionOf(name);
        LockFile lock = lockFile();
        return store.locked(id, () -> {
            // In this order, what is pinned is installed, and a key outlives no agent, whenever this is killed.
            for (LockFile each : List.of(lock, userLockFile())) {
                each.change(pins -> {
                    Pin pin = pins.get(id);
                    if (pin != null && (version == null || version.equals(pin.version()))) {
                        pins.remove(id);
                    }
                });
            }
            if (version == null) {
                values.forget(id);
                handshake.forget(id);
            }
            long freed = 0;
            for (Installation installation : store.of(id)) {
                if (version == null || version.equals(installation.version())) {
                    freed += store.remove(installation);
                }
            }
            return freed;
        });
    }

    /**
     * Deletes old installations: those that are not pinned here, but for the newest of these of each agent.
     *
     * @param keep how many versions that are not pinned stay
     * @return what was deleted, with the bytes that were freed
     */
    public Map<Installation, Long> prune(int keep) throws IOException, InterruptedException {
        Map<Installation, Long> freed = new LinkedHashMap<>();
        SortedSet<String> ids = new TreeSet<>();
        store.all().forEach(installation -> ids.add(installation.id()));
        for (String id : ids) {
            store.locked(id, () -> {
                int kept = 0;
                for (Installation installation : store.of(id)) {
                    if (isPinned(installation)) {
                        continue;
                    }
                    if (kept++ >= keep) {
                        freed.put(installation, store.remove(installation));
                    }
                }
                return kept;
            });
        }
        return freed;
    }

    /** Returns whether an installation is that of a pin here. */
    public boolean isPinned(Installation installation) throws IOException {
        for (LockFile lock : List.of(lockFile(), userLockFile())) {
            Pin pin = lock.pin(installation.id()).orElse(null);
            Installation found = pin == null ? null : installer.installed(pin);
            if (found != null && found.folder().equals(installation.folder())) {
                return true;
            }
        }
        return false;
    }

    // ---- starting

    /**
     * Returns what starts an installed agent.
     *
     * @param name an id, a short name or a beginning, which {@code @VERSION} may follow
     * @throws UnknownAgentException if none or several installed or pinned agents have the name
     * @throws NotInstalledException if it is not installed; the message says how
     */
    public Launch launch(String name) throws IOException {
        return launch(installation(name));
    }

    /** Returns the installation that {@link #launch(String)} starts. */
    public Installation installation(String name) throws IOException {
        String id;
        try {
            id = knownId(name);
        } catch (UnknownAgentException e) {
            if (e.known().stream().anyMatch(known -> known.startsWith(bare(name))) || !AgentEntry.isId(bare(name))) {
                throw e;
            }
            throw new NotInstalledException(
                    e, "the agent " + bare(name) + " is not installed. Install it: acp agents add " + name);
        }
        String version = versionOf(name);
        Pin pin = pin(id).orElse(null);
        if (pin != null && (version == null || version.equals(pin.version()))) {
            Installation found = installer.installed(pin);
            if (found == null) {
                throw new NotInstalledException(
                        id,
                        id + " " + pin.version() + " is pinned in " + lockFile(id)
                                + " and not installed. Install it: acp agents add " + id);
            }
            return found;
        }
        Installation kept = version == null ? null : kept(id, version);
        if (kept != null) {
            return kept;
        }
        throw new NotInstalledException(
                id,
                id + (version == null ? " is installed, but not pinned" : " " + version + " is not installed")
                        + ". Install it: acp agents add " + name);
    }

    /** Returns a version as the lock files here pin it or have pinned it; null if it is not installed so. */
    private @Nullable Installation kept(String id, String version) throws IOException {
        for (LockFile lock : List.of(lockFile(), userLockFile())) {
            Pin pin = lock.pin(id).orElse(null);
            Installation pinned = pin == null || !pin.version().equals(version) ? null : installer.installed(pin);
            if (pinned != null) {
                return pinned;
            }
            for (Installation installation : store.of(id)) {
                Installation kept = version.equals(installation.version()) ? kept(installation, lock) : null;
                if (kept != null) {
                    return kept;
                }
            }
        }
        return null;
    }

    /**
     * Returns what starts an installation.
     *
     * @throws RegistryException if other users could have changed it
     */
    public Launch launch(Installation installation) throws IOException {
        store.requireOurs(installation);
        Launch launch = plain(installation);
        for (Map.Entry<String, String> variable : values.read(installation.id()).entrySet()) {
            launch = launch.env(variable.getKey(), variable.getValue());
        }
        return launch;
    }

    /** Returns the command line that starts an installation, without variables. */
    public String commandLine(Installation installation) {
        return plain(installation).commandLine();
    }

    private static Launch plain(Installation installation) {
        Launch launch = Launch.of(installation.command(), installation.arguments());
        if (installation.pin().distribution().kind() == Distribution.Kind.UVX) {
            // What Python writes beside its sources would differ from the receipt, and be run unchecked from then on.
            launch = launch.env("PYTHONDONTWRITEBYTECODE", "1");
        }
        for (Map.Entry<String, String> variable : new TreeMap<>(installation.env()).entrySet()) {
            if (Variables.mayBeSet(variable.getKey())) {
                launch = System.getenv(variable.getKey()) == null
                        ? launch.env(variable.getKey(), variable.getValue())
                        : launch.inherit(variable.getKey());
            }
        }
        return launch;
    }

    /** Returns the variables of an agent's entry that are not set, since they would change what runs. */
    public static List<String> refusedVariables(Installation installation) {
        return Variables.refused(installation.env());
    }

    // ---- variables and capabilities of agents

    /** Sets a variable of an agent from another variable of the environment, whenever it is started. */
    public void setFromVariable(String id, String name, String variable) throws IOException, InterruptedException {
        values.set(id, name, AgentValues.ofVariable(variable));
    }

    /** Sets a variable of an agent from the first line that a command prints, whenever it is started. */
    public void setFromCommand(String id, String name, List<String> command) throws IOException, InterruptedException {
        values.set(id, name, AgentValues.ofCommand(command));
    }

    /** Sets a variable of an agent; the value is kept in a file that only the user reads. */
    public void set(String id, String name, String value) throws IOException, InterruptedException {
        values.set(id, name, AgentValues.ofValue(value));
    }

    /** Deletes a variable of an agent. */
    public void unset(String id, String name) throws IOException, InterruptedException {
        values.set(id, name, null);
    }

    /** Returns the variables that the user has set for an agent, with where their values come from. */
    public Map<String, String> variables(String id) throws IOException {
        return values.sources(id);
    }

    /** Returns the variables of this program that {@link #launch} takes values for an agent from. */
    public Set<String> sourceVariables(String id) throws IOException {
        return values.sourceVariables(id);
    }

    /** Returns the ways to log in that an agent offered when it was last initialized, as it sent them. */
    public List<JsonObject> logins(String id) {
        return handshake.of(id).map(Handshake::logins).orElse(List.of());
    }

    /**
     * Returns whether an agent had a capability when it was last initialized.
     *
     * @param capability the path of a member of its capabilities, such as {@code promptCapabilities.image}
     */
    public boolean hasCapability(String id, String capability) {
        return handshake.of(id).map(answer -> Handshake.has(answer, capability)).orElse(false);
    }

    /** Keeps what an agent answered to {@code initialize}. */
    public void keepAnswer(String id, JsonValue answer) throws IOException {
        handshake.keep(id, Json.object(answer, "initialize"));
    }

    /** Returns the status that a host answers for an address. */
    int status(URI address) throws IOException, InterruptedException {
        return downloads.status(address);
    }
}
