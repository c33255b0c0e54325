package dev.acp4j.cli.editors;

import dev.acp4j.cli.command.NearestName;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.editors.Editor.Place;
import dev.acp4j.cli.terminal.SafeText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

/** The editors that acp knows. */
final class Editors {
    static final String OBSIDIAN = "obsidian";

    private static final AgentsText OF_ZED = new AgentMembers("agent_servers", AgentForm.TYPED, false, false);
    private static final AgentsText OF_JETBRAINS = new AgentMembers("agent_servers", AgentForm.COMMAND, false, true);
    private static final AgentsText OF_VSCODE = new AgentMembers("acp.agents", AgentForm.COMMAND, false, false);
    private static final AgentsText OF_ACPX = new AgentMembers("agents", AgentForm.ARGV, true, false);

    /** The folder of a plugin of Neovim, and the lines for its options; %s is the name of an agent. */
    private static final Map<String, String> PLUGINS = plugins();

    static final List<Editor> ALL = List.of(
            edited(
                    "zed",
                    "Zed",
                    OF_ZED,
                    Editors::zed,
                    "Zed reads its settings at once: the agent is in the menu of the agent panel."),
            edited(
                    "jetbrains",
                    "JetBrains IDEs",
                    OF_JETBRAINS,
                    Editors::jetbrains,
                    "All JetBrains IDEs with AI Assistant read this file. An IDE inside WSL does not run agents."),
            code("vscode", "VS Code", "Code"),
            code("vscode-insiders", "VS Code Insiders", "Code - Insiders"),
            code("vscodium", "VSCodium", "VSCodium"),
            code("cursor", "Cursor", "Cursor"),
            code("windsurf", "Windsurf", "Windsurf"),
            edited(
                    OBSIDIAN,
                    "Obsidian",
                    new AgentList(),
                    Editors::obsidian,
                    "The plugin Agent Client (RAIT-09) shows the agent when Obsidian is started."),
            edited(
                    "acpx",
                    "acpx",
                    OF_ACPX,
                    desktop -> List.of(in(desktop.home().resolve(".acpx"), "config.json")),
                    "acpx NAME starts the agent."),
            new Editor("neovim", "Neovim", NeovimFile.TEXT, Editors::neovim, Editors::neovimLines, null),
            new Editor(
                    "emacs",
                    "Emacs",
                    EmacsFile.TEXT,
                    Editors::emacs,
                    (desktop, file, agent) -> List.of(
                            "Add this line to your init file, for agent-shell:",
                            "(load " + EmacsFile.quoted(file.toString()) + ")"),
                    null),
            printed("toad", "Toad", ManualTexts::toad, "Run this line in the folder of your project."),
            printed("qtcreator", "Qt Creator", ManualTexts::qtCreator, "Type this into the settings."),
            printed(
                    "browser",
                    "marimo and other clients in a browser",
                    ManualTexts::browser,
                    "Run this line, and give the client ws://127.0.0.1:8080/acp and the token that acp serve names. "
                            + "The origin is that of marimo; for another page, write its own."));

    private Editors() {}

    private static Editor edited(
            String id, String title, AgentsText text, Function<Desktop, List<Place>> places, String next) {
        return new Editor(id, title, text, places, (desktop, file, agent) -> List.of(next), null);
    }

    private static Editor code(String id, String title, String folder) {
        return edited(
                id,
                title,
                OF_VSCODE,
                desktop -> List.of(codeSettings(desktop, folder)),
                "The extension ACP Client (formulahendry.acp-client) is needed: it reads this setting.");
    }

    private static Editor printed(String id, String title, Editor.Manual manual, String next) {
        return new Editor(id, title, null, desktop -> List.of(), (desktop, file, agent) -> List.of(next), manual);
    }

    /** Returns the editor of this name. */
    static Editor of(String id) {
        for (Editor editor : ALL) {
            if (editor.id().equals(id)) {
                return editor;
            }
        }
        List<String> ids = ALL.stream().map(Editor::id).toList();
        throw new UsageException("unknown editor '" + SafeText.line(id) + "'; the editors are " + String.join(", ", ids)
                + "." + NearestName.suggestion(id, ids));
    }

    static boolean isOfCode(Editor editor) {
        return OF_VSCODE.equals(editor.text());
    }

    private static Place in(Path folder, String file) {
        return new Place(folder.resolve(file), folder, null);
    }

    private static List<Place> zed(Desktop desktop) {
        if (desktop.isWindows()) {
            return List.of(in(desktop.settings().resolve("Zed"), "settings.json"));
        }
        Path flatpak = desktop.home().resolve(".var/app/dev.zed.Zed/config/zed");
        return List.of(
                in(desktop.dotConfig().resolve("zed"), "settings.json"),
                new Place(
                        flatpak.resolve("settings.json"),
                        flatpak,
                        "This Zed is a flatpak: its sandbox may keep it from starting programs of the host."));
    }

    private static List<Place> jetbrains(Desktop desktop) {
        Path folder = desktop.home().resolve(".jetbrains");
        String note = desktop.isWsl()
                ? "This is WSL: IDEs inside it do not run agents, those of Windows have a file of their own."
                : null;
        Path file = folder.resolve("acp.json");
        return List.of(
                new Place(file, folder, note),
                new Place(file, desktop.settings().resolve("JetBrains"), note));
    }

    private static Place codeSettings(Desktop desktop, String folder) {
        Path sign = desktop.settings().resolve(folder);
        return new Place(sign.resolve("User").resolve("settings.json"), sign, null);
    }

    static Place codeWorkspace(Path folder) {
        return new Place(folder.resolve(".vscode").resolve("settings.json"), folder, null);
    }

    /** The list of vaults is Obsidian's own. */
    private static List<Place> obsidian(Desktop desktop) {
        List<Path> lists = List.of(
                desktop.settings().resolve("obsidian").resolve("obsidian.json"),
                desktop.home().resolve(".var/app/md.obsidian.Obsidian/config/obsidian/obsidian.json"));
        List<Place> places = new ArrayList<>();
        for (Path list : lists) {
            for (Path vault : vaults(list)) {
                places.add(vault(vault));
            }
        }
        return places;
    }

    static Place vault(Path vault) {
        return in(vault.resolve(".obsidian").resolve("plugins").resolve("agent-client"), "data.json");
    }

    static Path vaultOf(Place place) {
        Path vault = place.sign();
        for (int up = 0; up < 3; up++) {
            vault = vault.resolveSibling("").toAbsolutePath();
        }
        return vault;
    }

    private static List<Path> vaults(Path list) {
        List<Path> vaults = new ArrayList<>();
        try {
            JsonNode root = Files.exists(list) ? JsonScanner.scan(Files.readString(list), true) : null;
            JsonNode all = root == null ? null : root.value("vaults");
            for (JsonNode.Item item : all == null ? List.<JsonNode.Item>of() : all.items()) {
                String path = item.value().string("path");
                if (path != null) {
                    vaults.add(Path.of(path));
                }
            }
        } catch (IOException | UnreadableTextException | InvalidPathException e) {
            return List.of(); // The vault can still be given.
        }
        return vaults;
    }

    private static String neovimName(Desktop desktop) {
        return desktop.environment().getOrDefault("NVIM_APPNAME", "nvim");
    }

    private static List<Place> neovim(Desktop desktop) {
        Path base = desktop.isWindows()
                ? desktop.folder("LOCALAPPDATA", "AppData", "Local")
                : desktop.folder("XDG_CONFIG_HOME", ".config");
        Path folder = base.resolve(neovimName(desktop));
        return List.of(new Place(folder.resolve("lua").resolve("acp4j.lua"), folder, null));
    }

    private static Map<String, String> plugins() {
        Map<String, String> plugins = new LinkedHashMap<>();
        plugins.put("codecompanion.nvim", "-- CodeCompanion:\nadapters = { acp = require(\"acp4j\").codecompanion },");
        plugins.put("avante.nvim", "-- avante.nvim:\nprovider = %s,\nacp_providers = require(\"acp4j\").avante,");
        plugins.put("agentic.nvim", "-- agentic.nvim:\nacp_providers = require(\"acp4j\").agentic,");
        return plugins;
    }

    /** The user's Lua is not changed: it is a program. The lines are those of the plugins that are there, or of all. */
    private static List<String> neovimLines(Desktop desktop, Path file, String agent) {
        Path data = (desktop.isWindows()
                ? desktop.folder("LOCALAPPDATA", "AppData", "Local").resolve(neovimName(desktop) + "-data")
                : desktop.folder("XDG_DATA_HOME", ".local", "share").resolve(neovimName(desktop)));
        List<String> found = new ArrayList<>();
        PLUGINS.forEach((plugin, line) -> {
            if (isPlugin(data, plugin)) {
                found.add(line);
            }
        });
        List<String> lines = new ArrayList<>();
        lines.add("Add to the options in the setup of " + (found.isEmpty() ? "your plugin:" : "the plugin:"));
        for (String plugin : found.isEmpty() ? List.copyOf(PLUGINS.values()) : found) {
            lines.addAll(plugin.replace("%s", NeovimFile.quoted(agent)).lines().toList());
        }
        return lines;
    }

    private static boolean isPlugin(Path data, String plugin) {
        if (Files.isDirectory(data.resolve("lazy").resolve(plugin))) {
            return true;
        }
        Path packs = data.resolve("site").resolve("pack");
        if (!Files.isDirectory(packs)) {
            return false;
        }
        try (Stream<Path> all = Files.list(packs)) {
            return all.anyMatch(pack -> Files.isDirectory(pack.resolve("start").resolve(plugin))
                    || Files.isDirectory(pack.resolve("opt").resolve(plugin)));
        } catch (IOException e) {
            return false;
        }
    }

    private static List<Place> emacs(Desktop desktop) {
        Path home = desktop.isWindows() ? desktop.settings() : desktop.home();
        Path classic = home.resolve(".emacs.d");
        Path modern = desktop.folder("XDG_CONFIG_HOME", ".config").resolve("emacs");
        return List.of(in(classic, "acp4j.el"), in(modern, "acp4j.el"));
    }
}
