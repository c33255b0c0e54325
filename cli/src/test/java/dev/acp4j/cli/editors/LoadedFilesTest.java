package dev.acp4j.cli.editors;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files of Lua and Emacs Lisp, loaded by Lua, Neovim and Emacs themselves, with stand-ins of the plugins. Texts come
 * back in hexadecimal digits, so that no quoting hides a difference.
 */
@DisabledOnOs(OS.WINDOWS)
class LoadedFilesTest {
    private static final AgentEntry AGENT = InstallerTest.AWKWARD;
    private static final AgentEntry ACP = new AgentEntry("acp", "/opt/acp4j/acp", List.of(), Map.of());

    /** Prints what each plugin gets. */
    private static final String LUA = """
            package.preload["codecompanion.adapters.acp.helpers"] = function()
              return {
                form_messages = function(adapter, messages)
                  return adapter.name .. #messages
                end,
              }
            end
            local out = assert(io.open(os.getenv("OUT"), "w"))
            local function put(text)
              out:write((text:gsub(".", function(c)
                return ("%02x"):format(c:byte())
              end)), "\\n")
            end
            local function put_all(words)
              for _, word in ipairs(words) do
                put(word)
              end
            end
            local agents = require("acp4j")
            local name, make = next(agents.codecompanion)
            local adapter = make()
            put_all({ name, adapter.name, adapter.formatted_name, adapter.type })
            put_all(adapter.commands.default)
            put(adapter.env.A())
            put(adapter.handlers.form_messages(adapter, { 1, 2 }))
            put(adapter.handlers.request.build_messages(adapter, { 1, 2, 3 }))
            put(tostring(adapter.handlers.auth(adapter)) .. tostring(adapter.handlers.lifecycle.auth(adapter)))
            local provider
            name, provider = next(agents.avante)
            put_all({ name, provider.command })
            put_all(provider.args)
            put_all({ provider.env.A, provider.env.HOME })
            name, provider = next(agents.agentic)
            put_all({ name, provider.name, provider.command })
            put_all(provider.args)
            put_all({ provider.env.A, provider.env.HOME or "no home" })
            out:close()
            """;

    /** Stands for agent-shell and acp.el: the functions that the file calls, with their arguments. */
    private static final String AGENT_SHELL = """
            ;;; -*- lexical-binding: t; -*-
            (require 'cl-lib)
            (defvar agent-shell-agent-configs (list (list (cons :identifier 'other))))
            (cl-defun agent-shell-make-agent-config
                (&key identifier mode-line-name buffer-name shell-prompt shell-prompt-regexp client-maker)
              (list (cons :identifier identifier) (cons :mode-line-name mode-line-name)
                    (cons :buffer-name buffer-name) (cons :shell-prompt shell-prompt)
                    (cons :shell-prompt-regexp shell-prompt-regexp) (cons :client-maker client-maker)))
            (cl-defun acp-make-client (&key context-buffer command command-params environment-variables)
              (list (buffer-name context-buffer) command command-params environment-variables))
            (provide 'agent-shell)
            """;

    private static final String PRINTED_BY_EMACS = """
            (defun put (text)
              (princ (mapconcat (lambda (byte) (format "%02x" byte)) (encode-coding-string text 'utf-8 t) ""))
              (princ "\\n"))
            (let* ((config (car (last agent-shell-agent-configs)))
                   (client (funcall (cdr (assq :client-maker config)) (get-buffer "*scratch*")))
                   (prompt (cdr (assq :shell-prompt config))))
              (put (format "%d" (length agent-shell-agent-configs)))
              (put (symbol-name (cdr (assq :identifier config))))
              (put (cdr (assq :mode-line-name config)))
              (put (cdr (assq :buffer-name config)))
              (put prompt)
              (put (format "%s" (string-match-p (concat "^" (cdr (assq :shell-prompt-regexp config)) "$") prompt)))
              (put (nth 0 client))
              (put (nth 1 client))
              (mapc #'put (nth 2 client))
              (mapc #'put (nth 3 client)))
            """;

    @TempDir
    private Path folder;

    private Path home;

    @BeforeEach
    void makeHome() throws IOException {
        home = Files.createDirectories(folder.resolve("home"));
    }

    /** Puts an agent into an editor that is found; returns what was said. */
    private Outcome install(String id, String sign) throws IOException {
        Files.createDirectories(home.resolve(sign));
        Desktop desktop = new Desktop(Desktop.Kind.LINUX, home, folder, Map.of(), List::of);
        Installer installer = new Installer(
                desktop, new Receipts(folder.resolve("state")), ACP, (editor, file, diff) -> Installer.Answer.WRITE);
        Editor editor = Editors.of(id);
        return installer.install(
                editor, editor.place(desktop).orElseThrow(), new Installer.Wish(AGENT, false, false, false));
    }

    @Test
    @Tag("EDT-10")
    @Tag("EDT-16")
    void theModuleIsLoadedByLua() throws Exception {
        install("neovim", ".config/nvim");
        Path script = Files.writeString(folder.resolve("check.lua"), LUA);

        run(Map.of("LUA_PATH", home.resolve(".config/nvim/lua/?.lua").toString()), "lua5.4", script.toString());

        assertThat(printed(Files.readString(folder.resolve("out")))).isEqualTo(seenByPlugins());
    }

    @Test
    @Tag("EDT-10")
    @Tag("EDT-15")
    @Tag("EDT-16")
    void theModuleIsLoadedByNeovimFromItsPlace() throws Exception {
        install("neovim", ".config/nvim");
        Path init = Files.writeString(home.resolve(".config/nvim/init.lua"), LUA);

        run(Map.of(), "nvim", "--headless", "-c", "qa!");

        assertThat(init).content().isEqualTo(LUA);
        assertThat(printed(Files.readString(folder.resolve("out")))).isEqualTo(seenByPlugins());
    }

    @Test
    @Tag("EDT-15")
    void theLinesToAddAreLua() throws Exception {
        Outcome outcome = install("neovim", ".config/nvim");
        List<String> lines = outcome.next().stream()
                .filter(line -> line.matches("(--|provider|acp_providers|adapters).*"))
                .toList();
        Path script = Files.writeString(
                folder.resolve("check.lua"),
                "local options = {\n" + String.join("\n", lines)
                        + "\n}\nlocal out = assert(io.open(os.getenv(\"OUT\"), \"w\"))\n"
                        + "out:write(options.provider)\n"
                        + "assert(require(\"acp4j\").avante[options.provider] and options.adapters.acp[options.provider])\n"
                        + "out:close()\n");

        run(Map.of("LUA_PATH", home.resolve(".config/nvim/lua/?.lua").toString()), "lua5.4", script.toString());

        assertThat(lines).hasSize(7);
        assertThat(folder.resolve("out")).content().isEqualTo(AGENT.name());
    }

    private List<String> seenByPlugins() {
        String variable = AGENT.env().get("A");
        List<String> seen = new ArrayList<>(List.of(AGENT.name(), AGENT.name(), AGENT.name(), "acp"));
        seen.addAll(AGENT.words());
        seen.addAll(List.of(variable, AGENT.name() + 2, AGENT.name() + 3, "truetrue"));
        seen.add(AGENT.name());
        seen.addAll(AGENT.words());
        seen.addAll(List.of(variable, home.toString()));
        seen.addAll(List.of(AGENT.name(), AGENT.name()));
        seen.addAll(AGENT.words());
        seen.addAll(List.of(variable, "no home"));
        return seen;
    }

    @Test
    @Tag("EDT-10")
    @Tag("EDT-17")
    void theFileIsCompiledByEmacsWithoutWarningsAndLoadedByTheLineThatIsPrinted() throws Exception {
        Outcome outcome = install("emacs", ".emacs.d");
        Files.writeString(folder.resolve("agent-shell.el"), AGENT_SHELL);
        String load = outcome.next().stream()
                .filter(line -> line.startsWith("(load "))
                .findFirst()
                .orElseThrow();
        Path init = Files.writeString(
                folder.resolve("init.el"), load + "\n(require 'agent-shell)\n" + load + "\n" + PRINTED_BY_EMACS);

        String loaded = run(Map.of(), "emacs", "-Q", "--batch", "-L", folder.toString(), "-l", init.toString());
        String compiled = run(
                Map.of(),
                "emacs",
                "-Q",
                "--batch",
                "--eval",
                "(setq byte-compile-error-on-warn t)",
                "-f",
                "batch-byte-compile",
                String.valueOf(outcome.file()));

        List<String> expected = new ArrayList<>(
                List.of("2", AGENT.name(), AGENT.name(), AGENT.name(), AGENT.name() + "> ", "0", "*scratch*"));
        expected.addAll(AGENT.words());
        expected.add("A=" + AGENT.env().get("A"));
        assertThat(printed(loaded)).isEqualTo(expected);
        assertThat(compiled).isEmpty();
        assertThat(home.resolve(".emacs.d/acp4j.elc")).exists();
    }

    private static List<String> printed(String lines) {
        return lines.lines()
                .map(line -> new String(HexFormat.of().parseHex(line), StandardCharsets.UTF_8))
                .toList();
    }

    /** Runs a program that must end well; returns what it prints, without what Emacs says about loading. */
    private String run(Map<String, String> environment, String... command) throws Exception {
        Assumptions.assumeTrue(
                Stream.of(System.getenv("PATH").split(":"))
                        .anyMatch(place -> Files.isExecutable(Path.of(place, command[0]))),
                "there is no " + command[0]);
        Path output = folder.resolve("output");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().keySet().removeIf(name -> !name.equals("PATH"));
        builder.environment().put("HOME", home.toString());
        builder.environment().put("OUT", folder.resolve("out").toString());
        builder.environment().putAll(environment);
        Process process = builder.start();
        process.getOutputStream().close();
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError(command[0] + " did not end: " + Files.readString(output));
        }
        String text = Files.readString(output);
        assertThat(process.exitValue()).as(text).isZero();
        return text.lines()
                .filter(line -> !line.startsWith("Loading "))
                .map(line -> line + "\n")
                .reduce("", String::concat);
    }
}
