import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { shorten, withoutHidden } from '../contract/shorten.ts';
import type { KeyKind } from '../contract/team/access-keys.ts';
import { databaseUrl } from './options.ts';
import { defaultDataDir, prepareDataDir } from './platform/data-dir.ts';
import { openBeside } from './platform/storage/beside.ts';
import { plainText } from './platform/storage/storage.ts';
import { type KeyTable, keyTable, type StoredKey } from './platform/team/key-table.ts';
import { variables } from './variables.ts';

export const keysUsage = `Usage: web-data-service keys create --team TEAM [--name NAME]   create an API key and print it
       web-data-service keys create --metrics [--name NAME]     create a key that opens /metrics only
       web-data-service keys list                               list the keys by ID
       web-data-service keys revoke ID                          revoke a key and close its connections
  --data-dir DIR         data directory of the service
  --database URL         PostgreSQL database of the service; also from ${variables.database}

A running service applies each change within a second.`;

/** Where a command prints: what programs read to `out`, what people read to `note`. */
export interface CommandOutput {
  out(line: string): void;
  note(line: string): void;
}

/** Maximum length of a team and of a name. */
const maxLength = 60;

/**
 * Creates, lists or revokes stored keys, beside a service that may be running.
 * Throws an Error with a one-line message to show.
 */
export async function keysCommand(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  output: CommandOutput,
  now: number,
): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    strict: true,
    allowPositionals: true,
    options: {
      help: { type: 'boolean', default: false },
      team: { type: 'string' },
      metrics: { type: 'boolean', default: false },
      name: { type: 'string' },
      'data-dir': { type: 'string' },
      database: { type: 'string' },
    },
  });
  if (values.help) return output.out(keysUsage);
  const command = commandOf(positionals, values);
  const dataDir = resolve(values['data-dir'] ?? defaultDataDir(env));
  const url = databaseUrl(values.database ?? env[variables.database]);
  if (url === undefined) prepareDataDir(dataDir);
  const database = await openBeside({ dataDir, url });
  try {
    await command(keyTable(database), output, now);
  } finally {
    await database.destroy();
  }
}

type Command = (table: KeyTable, output: CommandOutput, now: number) => Promise<void>;

/** Returns what the arguments ask for, before a database is opened. */
function commandOf(
  [command, ...rest]: readonly string[],
  { team, metrics, name }: { team?: string | undefined; metrics: boolean; name?: string | undefined },
): Command {
  if (command === 'create' && rest.length === 0) {
    if ((team === undefined) === !metrics)
      throw new Error('Set either --team, for an API key, or --metrics, for a key that opens /metrics.');
    const kind: KeyKind = metrics ? 'metrics' : 'team';
    const given = {
      kind,
      team: team === undefined ? '' : checkedName('--team', team),
      ...(name !== undefined && { name: checkedName('--name', name) }),
    };
    return async (table, { out, note }, createdAt) => {
      const { id, name: created, key } = await table.create({ ...given, createdAt });
      note(`Created "${created}" with the ID ${id}. The key isn't shown again:`);
      out(key);
    };
  }
  if (team !== undefined || metrics || name !== undefined)
    throw new Error('--team, --metrics and --name are for "keys create" only.');
  if (command === 'list' && rest.length === 0)
    return async (table, { out }) => {
      const keys = [...(await table.all()).values()].sort((one, other) => one.createdAt - other.createdAt);
      for (const line of [['ID', 'OPENS', 'TEAM', 'NAME', 'CREATED', 'LAST USED'], ...keys.map(shown)])
        out(line.join('\t'));
    };
  const [id] = rest;
  if (command === 'revoke' && id !== undefined && rest.length === 1)
    return async (table, { note }) => {
      if (!(await table.delete(id)))
        throw new Error(`There is no key with the ID ${shorten(id, 80)}. List the keys with "keys list".`);
      note(`Revoked the key ${id}.`);
    };
  throw new Error('Expected "keys create", "keys list" or "keys revoke ID". --help prints all options.');
}

const opens: Readonly<Record<KeyKind, string>> = { agent: '/mcp', team: 'the API', metrics: '/metrics' };

function shown({ id, kind, team, name, createdAt, lastUsedAt }: StoredKey): string[] {
  const date = (at: number | null) => (at === null ? 'never' : new Date(at).toISOString());
  // Those of agents' keys come over the API.
  const plainName = withoutHidden(name.replaceAll(/\s+/g, ' '));
  return [id, opens[kind], team, plainName, date(createdAt), date(lastUsedAt)];
}

/** Returns a name that fits on a line. */
function checkedName(option: string, text: string): string {
  const isPlain = text.trim() === text && text.length <= maxLength && /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(text);
  if (!isPlain) throw new Error(`${option} must be 1 to ${maxLength} characters on one line.`);
  return plainText(text);
}
