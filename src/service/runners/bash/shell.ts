import type { ToRunner } from '../messages.ts';

/** Ends what a session's shell left behind, in whatever group, once the service is no more. */
const lifeline = [
  "( ( trap '' TERM INT HUP",
  'exec </dev/null >/dev/null 2>&1 3<&- 4>&-',
  'read -r -u 5',
  'for file in /proc/[0-9]*/environ',
  'do grep -aqzxF "$WEBDATA_MARK" "$file" && pid=$(basename "$(dirname "$file")") && [ "$pid" != "$BASHPID" ] && kill -KILL "$pid"',
  'done',
  'kill -KILL -- -$$ ) & )',
].join('; ');

/** Attaches agent-browser to the session's page, and closes the port that its daemon opens for viewers. */
const attach = '{ agent-browser get url; agent-browser stream disable; } </dev/null >/dev/null 2>&1 3<&- 4>&-';

const begin = `builtin printf '{"type":"started","nonce":"%s"}\\n' "$WEBDATA_NONCE" >&4`;
const answer = `builtin printf '{"type":"result","nonce":"%s","exitCode":%d}\\n' "$WEBDATA_NONCE" "\${WEBDATA_STATUS-0}" >&4`;

/** Tracing that a snippet began is for snippets: it goes on with the next, and not in between. */
const holdTrace = "case $- in *x*) WEBDATA_TRACE='set -x; '; set +x;; esac";

/**
 * One run after another. The outer loop is for snippets that say `break` or `continue` outside a loop of their own: they
 * end an iteration of these, and the answer is given at the beginning of the next.
 */
const serve = [
  'while :',
  'do while :',
  `do { ${holdTrace}; if [[ -n \${WEBDATA_NONCE-} ]]; then ${answer}; fi; } 2>/dev/null`,
  'unset WEBDATA_NONCE WEBDATA_STATUS WEBDATA_CODE',
  "LC_ALL=C IFS= builtin read -r -d '' -u 3 WEBDATA_NONCE || exit 0",
  "LC_ALL=C IFS= builtin read -r -d '' -u 3 WEBDATA_CODE || exit 0",
  `WEBDATA_CODE=\${WEBDATA_TRACE-}$WEBDATA_CODE`,
  'unset WEBDATA_TRACE',
  begin,
  'eval "$WEBDATA_CODE" 3<&- 4>&-',
  `{ WEBDATA_STATUS=$?; ${holdTrace}; } 2>/dev/null`,
  'done',
  'done',
].join('; ');

/**
 * What a session's shell runs. It is a single line, so that lines that bash names are those of the snippet, and not a
 * function, so that what a snippet declares is global.
 */
export const shellProgram = [
  lifeline,
  'exec 5<&-',
  'unset WEBDATA_MARK',
  '{ builtin printf 1000 >/proc/$$/oom_score_adj; } 2>/dev/null',
  attach,
  `builtin printf '{"type":"ready"}\\n' >&4`,
  serve,
]
  .join('; ')
  .replaceAll(/\b(do|then|\{|&) *; /g, '$1 ');

/** Words that NUL ends: bash cannot read JSON by itself. */
export function encodeForShell(message: ToRunner): string {
  return message.type === 'run' ? `${message.nonce}\0${message.code}\0` : '';
}
