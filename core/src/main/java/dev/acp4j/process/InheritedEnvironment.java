package dev.acp4j.process;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Selects the variables of this program's environment that an agent inherits. A pattern is a name, or the beginning of
 * a name followed by {@code *}; case is ignored.
 */
final class InheritedEnvironment {
    static final InheritedEnvironment ALL = new InheritedEnvironment(List.of("*"));

    /** Variables that programs need to run. */
    static final InheritedEnvironment PROGRAMS = new InheritedEnvironment(patterns("""
            PATH HOME USER LOGNAME SHELL TMPDIR TEMP TMP TZ HOSTNAME LANG LANGUAGE LC_* CI
            TERM TERM_* TERMINFO* COLORTERM NO_COLOR FORCE_COLOR CLICOLOR* EDITOR VISUAL PAGER
            XDG_* DISPLAY WAYLAND_DISPLAY XAUTHORITY DBUS_SESSION_BUS_ADDRESS BROWSER SSH_AUTH_SOCK SSH_AGENT_PID
            SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT USERPROFILE USERNAME USERDOMAIN HOMEDRIVE HOMEPATH APPDATA
            LOCALAPPDATA PROGRAMDATA ALLUSERSPROFILE PUBLIC PROGRAMFILES* PROGRAMW6432 COMMONPROGRAM* OS
            NUMBER_OF_PROCESSORS PROCESSOR_* COMPUTERNAME SESSIONNAME PSMODULEPATH __CF_USER_TEXT_ENCODING WSL*
            HTTP_PROXY HTTPS_PROXY FTP_PROXY ALL_PROXY NO_PROXY SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE
            CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS NODE_USE_SYSTEM_CA GIT_SSL_CAINFO NIX_SSL_CERT_FILE
            JAVA_HOME* JDK_HOME JDK_JAVA_OPTIONS JAVA_TOOL_OPTIONS MAVEN_HOME MAVEN_OPTS M2_HOME GRADLE_HOME
            GRADLE_OPTS GRADLE_USER_HOME SDKMAN_* JBANG_DIR JBANG_CACHE_DIR ANDROID_HOME ANDROID_SDK_ROOT
            NODE_PATH NODE_OPTIONS NVM_* FNM_* VOLTA_HOME ASDF_* MISE_DATA_DIR MISE_SHELL PNPM_HOME BUN_INSTALL
            DENO_DIR DENO_INSTALL COREPACK_HOME NPM_CONFIG_PREFIX NPM_CONFIG_REGISTRY NPM_CONFIG_CACHE
            NPM_CONFIG_USERCONFIG PYENV_* PYTHONPATH PYTHONHOME PYTHONUTF8 PYTHONIOENCODING PYTHONUNBUFFERED
            VIRTUAL_ENV CONDA_PREFIX CONDA_EXE CONDA_DEFAULT_ENV PIPX_HOME PIPX_BIN_DIR UV_CACHE_DIR UV_PYTHON*
            UV_TOOL_* GOPATH GOROOT GOBIN GOCACHE GOMODCACHE GOPROXY GOFLAGS CARGO_HOME RUSTUP_* RUST_LOG
            RUST_BACKTRACE RBENV_* GEM_HOME GEM_PATH DOTNET_* NIX_PATH NIX_PROFILES HOMEBREW_PREFIX
            HOMEBREW_CELLAR HOMEBREW_REPOSITORY LD_LIBRARY_PATH DYLD_* PKG_CONFIG_PATH DOCKER_HOST DOCKER_CONTEXT
            """));

    /** Variables that programs need to run and agents need to reach their models. Nothing else that may be a secret. */
    static final InheritedEnvironment STANDARD = PROGRAMS.and(patterns("""
            ANTHROPIC_* CLAUDE_* OPENAI_* CODEX_* GEMINI_* GOOGLE_API_KEY GOOGLE_CLOUD_* GOOGLE_GENAI_*
            GOOGLE_GEMINI_* GOOGLE_APPLICATION_CREDENTIALS AZURE_OPENAI_* AWS_PROFILE AWS_REGION AWS_DEFAULT_REGION
            AWS_CONFIG_FILE AWS_BEARER_TOKEN_BEDROCK MISTRAL_* GROQ_* XAI_* GROK_* DEEPSEEK_* OPENROUTER_*
            TOGETHER_* FIREWORKS_* CEREBRAS_* COHERE_* MOONSHOT_* KIMI_* DASHSCOPE_* QWEN_* ZAI_* ZHIPU* MINIMAX_*
            PERPLEXITY_* HF_* HUGGINGFACE_* OLLAMA_* LMSTUDIO_* LITELLM_*
            OPENCODE_* GOOSE_* COPILOT_* CURSOR_* AMP_* AUGMENT_* FACTORY_* KIRO_* CLINE_* AIDER_* JUNIE_* MCP_*
            ACP_* ACP4J_*
            """));

    private final List<String> patterns;

    private InheritedEnvironment(List<String> patterns) {
        this.patterns = List.copyOf(patterns);
    }

    private static List<String> patterns(String words) {
        List<String> patterns = new ArrayList<>();
        // No regular expression: this runs before the first response, and regular expressions load slowly.
        for (String line : words.split("\n", -1)) {
            for (String word : line.split(" ", -1)) {
                if (!word.isEmpty()) {
                    patterns.add(word);
                }
            }
        }
        return patterns;
    }

    static InheritedEnvironment only(List<String> patterns) {
        return new InheritedEnvironment(upper(patterns));
    }

    InheritedEnvironment and(List<String> more) {
        List<String> all = new ArrayList<>(patterns);
        all.addAll(upper(more));
        return new InheritedEnvironment(all);
    }

    private static List<String> upper(List<String> patterns) {
        List<String> upper = new ArrayList<>();
        for (String pattern : patterns) {
            if (pattern.isBlank() || pattern.indexOf('=') >= 0) {
                throw new IllegalArgumentException("not the name of an environment variable: \"" + pattern + "\"");
            }
            upper.add(pattern.toUpperCase(Locale.ROOT));
        }
        return upper;
    }

    boolean covers(String name) {
        String upper = name.toUpperCase(Locale.ROOT);
        for (String pattern : patterns) {
            int last = pattern.length() - 1;
            boolean isPrefix = pattern.charAt(last) == '*';
            if (isPrefix ? upper.startsWith(pattern.substring(0, last)) : upper.equals(pattern)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the variables to pass on, ordered by name. */
    Map<String, String> select(Map<String, String> ours) {
        Map<String, String> selected = new TreeMap<>();
        ours.forEach((name, value) -> {
            if (covers(name)) {
                selected.put(name, value);
            }
        });
        return selected;
    }

    /** Returns the names that are not passed on. */
    Set<String> withheld(Map<String, String> ours) {
        Set<String> names = new TreeSet<>(ours.keySet());
        names.removeIf(this::covers);
        return names;
    }
}
