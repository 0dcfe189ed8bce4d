import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repository } from '../harness/folders.ts';
import { checks } from './checks.ts';
import type { Client } from './clients.ts';
import type { Line } from './rig.ts';

/** A client whose calls passed their checks. */
export interface Checked {
  client: Client;
  lines: Line[];
}

const path = join(repository, 'docs', 'clients.md');
const [start, end] = ['<!-- calls: written by npm run clients -->', '<!-- end of calls -->'];

/** Compares the generated part of docs/clients.md with the calls; with WEBDATA_CLIENTS_PAGE=write, writes it. */
export async function comparePage(checked: readonly Checked[]): Promise<void> {
  const page = await readFile(path, 'utf8');
  const wanted = page.replace(
    new RegExp(`${start}[^]*${end}`),
    () => `${start}\n\n${checked.map(section).join('\n\n')}\n\n${end}`,
  );
  if (process.env.WEBDATA_CLIENTS_PAGE === 'write') return await writeFile(path, wanted);
  assert.equal(page, wanted, 'docs/clients.md is out of date. Run: npm run clients');
}

function section({ client, lines }: Checked): string {
  const methods = Map.groupBy(lines, ({ method }) => method);
  const rows = [...methods]
    .sort(([a], [b]) => order(a) - order(b) || (a < b ? -1 : 1))
    .map(([method, calls]) => `| \`${method}\` | ${outcome(calls)} |`);
  return [`### ${client.title}`, '', client.connect, '', `| ${client.unit} | Checked |`, '|---|---|', ...rows].join(
    '\n',
  );
}

const order = (method: string) => (/^v[12]\./.test(method) ? 1 : 0);

function outcome(calls: readonly Line[]): string {
  const shown = [...new Set(calls.map(({ shows }) => shows))].sort();
  const works = shown.filter((shows) => typeof checks[shows] === 'function');
  const failed = (by: 'service' | 'client') =>
    shown.flatMap((shows) => {
      const check = checks[shows];
      return typeof check === 'object' && check.by === by ? [check.as] : [];
    });
  const [refused, failing] = [failed('service'), failed('client')];
  return [
    works.join(', '),
    refused.length > 0 && `refused: ${refused.join(', ')}`,
    failing.length > 0 && `fails in the client: ${failing.join(', ')}`,
  ]
    .filter(Boolean)
    .join('; ')
    .replace(/^./, (letter) => letter.toUpperCase());
}
