# Sourced by acp and .ci/run: finds a JDK by the files that JDKs carry, since asking one for its version takes as long as
# starting acp.

# Reads the version of the JDK in folder $1: its number into $jdk_feature, its exact build into $jdk_build. Fails if there is
# no JDK, or one older than $2.
read_jdk() {
  jdk_feature=0 jdk_build=
  [ -x "$1/bin/java" ] && [ -r "$1/release" ] || return 1
  while IFS='="' read -r jdk_key _ jdk_value _; do
    case $jdk_key in
      JAVA_RUNTIME_VERSION) jdk_build=$jdk_value ;;
      JAVA_VERSION) jdk_feature=${jdk_value%%[!0-9]*} ;;
    esac
    [ "${jdk_feature:-0}" -eq 0 ] || [ -z "$jdk_build" ] || break
  done <"$1/release"
  [ "${jdk_feature:-0}" -ge "$2" ]
}

# Finds a JDK of version $1 or newer: JAVA_HOME, else java on the PATH, else the newest in the usual places. Sets $jdk,
# $jdk_feature and $jdk_build.
find_jdk() {
  jdk=${JAVA_HOME:-}
  [ -n "$jdk" ] && read_jdk "$jdk" "$1" && return
  jdk_on_path=$(command -v java)
  jdk='' jdk_newest=0
  for jdk_home in /usr/lib/jvm/* /opt/* "${HOME:-}"/.sdkman/candidates/java/* "${HOME:-}"/.jdks/* \
    "${HOME:-}"/.local/share/mise/installs/java/* "${HOME:-}"/.asdf/installs/java/* \
    /Library/Java/JavaVirtualMachines/*/Contents/Home /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home; do
    if [ "$jdk_home/bin/java" -ef "$jdk_on_path" ]; then
      jdk_on_path= # spares a call of readlink
      if read_jdk "$jdk_home" "$1"; then
        jdk=$jdk_home
        return
      fi
    elif read_jdk "$jdk_home" "$1" && [ "$jdk_feature" -ge "$jdk_newest" ]; then
      jdk=$jdk_home jdk_newest=$jdk_feature
    fi
  done
  if [ -h "$jdk_on_path" ]; then jdk_on_path=$(readlink -f "$jdk_on_path"); fi
  if read_jdk "${jdk_on_path%/bin/java}" "$1"; then
    jdk=${jdk_on_path%/bin/java}
  else
    [ -n "$jdk" ] && read_jdk "$jdk" "$1"
  fi
}
