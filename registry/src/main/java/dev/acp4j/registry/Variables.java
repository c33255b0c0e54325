package dev.acp4j.registry;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeMap;

/** The variables that an entry may not set: those that decide which code is loaded, and the plumbing of programs. */
final class Variables {
    private static final Set<String> NAMES = Set.of(
            "PATH",
            "PATHEXT",
            "HOME",
            "USERPROFILE",
            "HOMEDRIVE",
            "HOMEPATH",
            "APPDATA",
            "LOCALAPPDATA",
            "PROGRAMDATA",
            "TMP",
            "TEMP",
            "TMPDIR",
            "SHELL",
            "COMSPEC",
            "USER",
            "LOGNAME",
            "PWD",
            "IFS",
            "ENV",
            "BASH_ENV",
            "CLASSPATH",
            "JAVA_TOOL_OPTIONS",
            "JDK_JAVA_OPTIONS",
            "_JAVA_OPTIONS",
            "RUBYOPT",
            "RUBYLIB",
            "PERL5LIB",
            "PERL5OPT",
            "CI",
            "SYSTEMROOT",
            "WINDIR",
            "REQUESTS_CA_BUNDLE",
            "SSL_CERT_DIR",
            "SSL_CERT_FILE",
            "GCONV_PATH",
            "LOCPATH",
            "VIRTUAL_ENV");
    private static final List<String> BEGINNINGS = List.of(
            "LD_",
            "DYLD_",
            "NODE_",
            "NPM_",
            "PYTHON",
            "PIP_",
            "UV_",
            "XDG_",
            "SSH_",
            "GIT_",
            "AWS_",
            "AZURE_",
            "GCP_",
            "GOOGLE_",
            "GCLOUD_",
            "CLOUDSDK_",
            "KUBE",
            "DOCKER_",
            "GITHUB_",
            "GITLAB_",
            "RUNNER_",
            "ACTIONS_",
            "BUILDKITE_",
            "JENKINS_",
            "CIRCLE",
            "TRAVIS",
            "ACP_");

    private Variables() {}

    /** Returns whether an entry may set a variable. */
    static boolean mayBeSet(String name) {
        String upper = name.toUpperCase(Locale.ROOT);
        return name.matches("[A-Za-z_][A-Za-z0-9_]*")
                && !NAMES.contains(upper)
                && BEGINNINGS.stream().noneMatch(upper::startsWith);
    }

    /** Returns the names that an entry may not set. */
    static List<String> refused(java.util.Map<String, String> variables) {
        return new TreeMap<>(variables)
                .keySet().stream().filter(name -> !mayBeSet(name)).toList();
    }
}
