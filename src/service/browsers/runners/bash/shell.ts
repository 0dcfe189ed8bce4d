import type { RunMessage, ToRunner } from '../messages.ts';

/**
 * How bash is started: with the program as a script, so that `main` ends the call stack. Bash lets the variables of the call
 * stack be set only if they were in its environment.
 */
export const shellStart = {
  args: ['--noprofile', '--norc', '-c', 'exec "$BASH" --noprofile --norc /dev/fd/6 6<<<"$1"', 'bash'],
  env: { BASH_SOURCE: '', BASH_LINENO: '' },
};

/** Attaches agent-browser to the session's page, and closes the port that its daemon opens for viewers. */
const attach = '{ agent-browser get url; agent-browser stream disable; } </dev/null >/dev/null 2>&1 3<&- 4>&-';

const sendStarted = `builtin printf '{"type":"started","nonce":"%s"}\\n' "$WEBDATA_NONCE" >&4`;
const sendResult = `builtin printf '{"type":"result","nonce":"%s","exitCode":%d}\\n' "$WEBDATA_NONCE" "\${WEBDATA_STATUS-0}" >&4`;

/**
 * Runs what a snippet has left to do at its exit, as a script does: the shell goes on. Both branches run it, so that it finds
 * the status in `$?`, even after `set -e`. There, `exit` has that status too, unless it is given one.
 */
const runExitTrap = [
  'WEBDATA_CODE=$(builtin trap -p EXIT)',
  // In POSIX mode, bash prints the trap that isn't set too.
  "if [[ -n $WEBDATA_CODE && $WEBDATA_CODE != 'trap -- - EXIT' ]]",
  'then builtin trap - EXIT',
  `WEBDATA_CODE=\${WEBDATA_CODE#trap -- }`,
  `WEBDATA_CODE="eval \${WEBDATA_CODE% EXIT}"`,
  // No function can have this name in POSIX mode.
  `[[ -o posix ]] || exit() { builtin exit "\${1-\${WEBDATA_STATUS-0}}"; }`,
  `if (builtin exit "\${WEBDATA_STATUS-0}")`,
  'then eval "$WEBDATA_CODE" 3<&- 4>&-',
  'else eval "$WEBDATA_CODE" 3<&- 4>&-',
  'fi',
  'unset -f exit',
  'fi',
].join('; ');

/** Tracing (`set -x`) that a snippet turns on continues in the next snippet, but is off in between. */
const pauseTrace = "case $- in *x*) WEBDATA_TRACE='set -x; '; set +x;; esac";

/**
 * Executes runs one after another. The outer loop is for snippets that use `break` or `continue` outside their own loops:
 * these end an iteration here, and the next iteration sends the result.
 */
const serve = [
  'while :',
  'do while :',
  `do { ${pauseTrace}; } 2>/dev/null`,
  `if [[ -n \${WEBDATA_NONCE-} ]]; then ${runExitTrap}; { ${pauseTrace}; ${sendResult}; } 2>/dev/null; fi`,
  'unset WEBDATA_NONCE WEBDATA_STATUS WEBDATA_CODE',
  "LC_ALL=C IFS= builtin read -r -d '' -u 3 WEBDATA_NONCE || exit 0",
  "LC_ALL=C IFS= builtin read -r -d '' -u 3 WEBDATA_CODE || exit 0",
  'builtin eval "$WEBDATA_CODE" </dev/null >/dev/null 2>&1 3<&- 4>&-',
  "LC_ALL=C IFS= builtin read -r -d '' -u 3 WEBDATA_CODE || exit 0",
  `WEBDATA_CODE=\${WEBDATA_TRACE-}$WEBDATA_CODE`,
  'unset WEBDATA_TRACE',
  sendStarted,
  'eval "$WEBDATA_CODE" 3<&- 4>&-',
  `{ WEBDATA_STATUS=$?; ${pauseTrace}; } 2>/dev/null`,
  'done',
  'done',
].join('; ');

/**
 * The program of a session's shell. A single line, so that line numbers in bash errors are those of the snippet; not a
 * function, so that a snippet's declarations are global.
 */
export const shellProgram = [
  'exec 6<&-',
  'unset BASH_SOURCE BASH_LINENO',
  attach,
  `builtin printf '{"type":"ready"}\\n' >&4`,
  serve,
]
  .join('; ')
  .replaceAll(/\b(do|then|\{|&) *; /g, '$1 ');

/** Name of code without a file, which its errors start with. */
export const shellName = 'snippet.sh';

/**
 * Creates the encoder of the messages to one shell: NUL-terminated fields, because bash can't parse JSON. A run is its nonce,
 * a script that prepares its place, and its code.
 */
export function createShellEncoder(directory: string): (message: ToRunner) => string {
  let entered = directory;

  function prepare(message: RunMessage): string {
    const lines: string[] = [];
    const wanted = message.directory ?? directory;
    // A snippet's own `cd` lasts until a run is in another directory.
    if (wanted !== entered) lines.push(`builtin cd -- ${quote(wanted)}`);
    entered = wanted;
    for (const [key, value] of Object.entries(message.environment)) {
      if (isSettable(key))
        lines.push(value === null ? `builtin unset -v ${key}` : `builtin export ${key}=${quote(value)}`);
    }
    const name = quote(message.file ?? shellName);
    lines.push(`BASH_ARGV0=${name} BASH_SOURCE=(${name}) BASH_LINENO=(0)`);
    // Errors of a line, such as a read-only variable, don't keep the others from running, even after `set -e`.
    return lines.map((line) => `${line} || :`).join('\n');
  }

  return (message) => {
    if (message.type !== 'run') return '';
    // Errors state lines of the file.
    return `${message.nonce}\0${prepare(message)}\0${'\n'.repeat(message.line ?? 0)}${message.code}\0`;
  };
}

/** Whether a variable has a name for bash and doesn't belong to the runner or to agent-browser. */
function isSettable(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name) && !/^(?:WEBDATA_(?:NONCE|CODE|STATUS|TRACE)|AGENT_BROWSER_.*|BASH.*)$/.test(name);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
