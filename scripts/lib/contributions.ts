import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandRows } from '../../src/extension/ui/command-table/command-table.ts';
import type { CommandRow } from '../../src/extension/ui/command-table/rows.ts';
import { serverViews, viewStates } from '../../src/extension/ui/command-table/view-states.ts';
import { ROOT } from './repository.mjs';

/** Returns package.json and its texts with the commands of the table, and with what views show in states of the connection. */
export function createManifest(): Map<string, string> {
  const manifest = read('package.json') as { contributes: Record<string, unknown> };
  const listed = [...commandRows].filter(([, row]) => row.title);
  manifest.contributes.commands = listed.map(([id, row]) => declaration(id, row));
  manifest.contributes.menus = menus(listed);
  manifest.contributes.keybindings = listed.flatMap(([command, { keys }]) =>
    keys ? [{ command, key: keys.key, mac: keys.mac, when: trusted(keys.when) }] : [],
  );
  manifest.contributes.viewsWelcome = welcomes(manifest.contributes.viewsWelcome as Welcome[]);
  const english = texts('package.nls.json', listed, 0);
  const chinese = texts('package.nls.zh-cn.json', listed, 1);
  const files = { 'package.json': manifest, 'package.nls.json': english, 'package.nls.zh-cn.json': chinese };
  return new Map(
    Object.entries(files).map(([name, content]) => [join(ROOT, name), `${JSON.stringify(content, null, 2)}\n`]),
  );
}

/** Returns the docs' tables of commands and of their keys. */
export function commandTables(): Record<'commands' | 'keys', string[][]> {
  const listed = [...commandRows.values()].filter(({ title }) => title);
  return {
    commands: [['Command', 'What it does'], ...listed.map(({ title, does = '' }) => [title?.[0] ?? '', does])],
    keys: [
      ['Keys', 'On a Mac', 'Command'],
      ...listed.flatMap(({ title, keys }) =>
        keys ? [[keyText(keys.key), keyText(keys.mac ?? keys.key), `${title?.[0]}${keys.where ?? ''}`]] : [],
      ),
    ],
  };
}

const read = (name: string): object => JSON.parse(readFileSync(join(ROOT, name), 'utf8'));
const short = (id: string) => id.slice('webdata.'.length);

/** Adds trust to each alternative of a clause. */
function trusted(when: string, { free }: CommandRow = {}): string {
  if (free) return when;
  const alternatives = when.split(' || ').map((clause) => `isWorkspaceTrusted${clause && ` && ${clause}`}`);
  return alternatives.join(' || ');
}

function declaration(command: string, row: CommandRow): object {
  const { icon, enabled = '' } = row;
  return {
    command,
    title: `%command.${short(command)}%`,
    category: 'Web Data',
    icon: icon && `$(${icon})`,
    enablement: trusted(enabled, row) || undefined,
  };
}

function menus(listed: [string, CommandRow][]): Record<string, object[]> {
  const written: Record<string, object[]> = {
    commandPalette: listed.flatMap(([command, { palette, enabled }]) => {
      const when = palette ?? enabled;
      return when === undefined ? [] : [{ command, when: String(when) }];
    }),
  };
  for (const [command, row] of listed) {
    for (const { menu, when, group } of row.menus?.flat() ?? []) {
      // Menus of views show what is disabled; a row is there only in a trusted workspace.
      const clause = menu.startsWith('view/') ? when : trusted(when, row);
      written[menu] = [...(written[menu] ?? []), { command, when: clause, group }];
    }
  }
  return written;
}

interface Welcome {
  view: string;
  contents: string;
  when: string;
}

/** Replaces the texts for states of the connection. The other ones are a view's own. */
function welcomes(all: Welcome[]): Welcome[] {
  const own = all.filter(({ contents }) => !contents.startsWith('%state.'));
  const shared = Object.entries(viewStates).flatMap(([name, { state, target, views }]) => {
    const contents = `%state.${name}%`;
    const asked = Object.entries(serverViews).flatMap(([view, key]) => {
      if (views && !views.includes(view)) return [];
      const clauses = [`webdata.${key} == '${state}'`, ...(target ? [`webdata.target == '${target}'`] : [])];
      return [{ view: `webdata.${view}`, contents, when: trusted(clauses.join(' && ')) }];
    });
    const restricted = [...new Set([...asked.map(({ view }) => view), 'webdata.webhooks'])];
    return state === undefined ? restricted.map((view) => ({ view, contents, when: '!isWorkspaceTrusted' })) : asked;
  });
  return [...own, ...shared];
}

function texts(file: string, listed: [string, CommandRow][], language: 0 | 1): Record<string, string> {
  const others = Object.entries(read(file) as Record<string, string>).filter(
    ([key]) => !/^(?:command|state)\./.test(key),
  );
  const states = Object.entries(viewStates).map(([name, { text }]) => [`state.${name}`, text[language]]);
  const titles = listed.flatMap(([id, { title }]) => (title ? [[`command.${short(id)}`, title[language]]] : []));
  return Object.fromEntries([...others, ...titles, ...states]);
}

const keyText = (key: string) => key.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
