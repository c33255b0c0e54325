# Started by acp in the background: makes the cache for the starts after this one. Plays a short session with a second JVM,
# which writes the cache when it ends, under another name until it is complete.
#   make-cache.sh JAVA CACHE KEY OPTION MODE JVM-ARGUMENT...
# Holds none of its parent's files open, since an editor waits for the end of the pipes; what is said goes to CACHE.log.
java=$1 cache=$2 key=$3 option=$4 mode=$5
shift 5
exec </dev/null >/dev/null 2>&1
trap '' HUP INT # not ended by what ends its parent's terminal

work=$cache.making
find "$work" -prune -mmin +10 -exec rm -rf {} + # left by one that was killed
mkdir "$work" || exit 0                         # another one is at it
exec >"$cache.log" 2>&1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' TERM
cd "$work" || exit

# What the user has set for his JVMs may wait for a debugger, and the session must not land among his own.
unset JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS
export HOME="$work" XDG_CONFIG_HOME="$work" XDG_DATA_HOME="$work" XDG_STATE_HOME="$work" XDG_CACHE_HOME="$work"

answered() {
  tries=0
  until grep -q "$1" answers; do
    tries=$((tries + 1))
    [ "$tries" -lt 20 ] || return
    sleep 1
  done
}

session() {
  echo '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}'
  echo '{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"'"$work"'","mcpServers":[]}}'
  answered '"sessionId"' || return
  id=$(sed -n 's/.*"sessionId":"\([^"]*\)".*/\1/p' answers | head -n 1)
  echo '{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"'"$id"'","prompt":[{"type":"text","text":"Hello"}]}}'
  answered '"stopReason"'
}

case $mode in
  agent) session | "$java" "$option$work/jvm" "$@" agent >answers ;;
  *) "$java" "$option$work/jvm" "$@" prompt --timeout 30s --permissions allow Hello ;;
esac

rm -f "$cache.key" "$cache.jvm" "$cache.checked"
[ ! -s jvm ] || { cksum <jvm >"$cache.sum" && mv jvm "$cache.jvm"; }
cd .. && rm -rf "$work"
printf '%s\n' "$key" >"$cache.key.new" && mv "$cache.key.new" "$cache.key"
find "${cache%/*}" -type f -mtime +30 -exec rm -f {} + # those of other JDKs
