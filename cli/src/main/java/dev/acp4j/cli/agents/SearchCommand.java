package dev.acp4j.cli.agents;

import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.terminal.Streams;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code acp agents search}. */
@Command(
        name = "search",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = "Lists the agents whose id, name, description or authors have all the words.")
final class SearchCommand implements Callable<Integer> {
    private final Streams streams;

    @Mixin
    private final RegistryOptions options = new RegistryOptions();

    @Mixin
    private final Listing listing = new Listing();

    @Parameters(arity = "1..*", paramLabel = "WORD", description = "A word, or a part of one.")
    private List<String> words = List.of();

    SearchCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws InterruptedException {
        return options.with(
                agents -> listing.print(agents, options, streams, this::matches).number());
    }

    private boolean matches(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        return words.stream().allMatch(word -> lower.contains(word.toLowerCase(Locale.ROOT)));
    }
}
