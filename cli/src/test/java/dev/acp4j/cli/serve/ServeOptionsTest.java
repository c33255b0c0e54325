package dev.acp4j.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The table of options in the manual, compared with those of the command. */
class ServeOptionsTest {
    private static final Pattern NAME = Pattern.compile("`(--[a-z-]+)");

    @Test
    void theTableOfTheManualHasAllOptions() throws Exception {
        String page = Files.readString(Path.of("../docs/cli.md"));
        String section = page.substring(page.indexOf("\n## acp serve\n"), page.indexOf("\n## acp translate\n"));
        Set<String> documented = new TreeSet<>();
        for (String row :
                section.lines().filter(line -> line.startsWith("| `--")).toList()) {
            NAME.matcher(row.substring(0, row.indexOf(" | "))).results().forEach(name -> documented.add(name.group(1)));
        }

        Set<String> offered = new TreeSet<>();
        for (var option : CommandLine.Model.CommandSpec.forAnnotatedObject(new ServeOptions())
                .options()) {
            offered.addAll(List.of(option.names()));
        }

        assertThat(documented).containsAll(offered);
    }
}
