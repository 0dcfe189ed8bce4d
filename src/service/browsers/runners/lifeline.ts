/**
 * Waits until file descriptor 5 closes, which is when the service exits, and kills all that has a mark in its environment, as
 * well as a process group. It's a process of its own: a snippet may block its whole process, or wait for the children of it.
 */
const watch = [
  "trap '' TERM INT HUP",
  'read -r _ <&5',
  'cd /proc && for file in $(grep -alzxF -- "$1" [0-9]*/environ)',
  'do kill -KILL "$(dirname "$file")"',
  'done',
  'kill -KILL "-$2"',
].join('; ');

/** Makes the process, before it becomes the program, the first that Linux kills when memory runs out: not the browser. */
const begin = [
  'mark=$1 watch=$2',
  'shift 2',
  '(PATH="/usr/bin:/bin:$PATH"; exec env -i PATH="$PATH" /bin/sh -c "$watch" sh "$mark" $$ </dev/null >/dev/null 2>&1 3<&- 4>&- &)',
  'exec 5<&-',
  '{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null',
  'unset PWD OLDPWD SHLVL',
  'exec "$@"',
].join('\n');

/**
 * Returns how to start a program that ends when the service exits, with all that it starts. On Windows, processes that aren't
 * detached do that by themselves.
 */
export function withLifeline<Plain extends { command: string; args: readonly string[] }>(
  plain: Plain,
  [name, value]: readonly [name: string, value: string],
): Plain {
  if (process.platform === 'win32') return plain;
  return {
    ...plain,
    command: '/bin/sh',
    args: ['-c', begin, 'sh', `${name}=${value}`, watch, plain.command, ...plain.args],
  };
}
