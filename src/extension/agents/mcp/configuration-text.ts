import { isDeepStrictEqual } from 'node:util';
import * as l10n from '@vscode/l10n';
import { applyEdits, modify, type ParseError, parse } from 'jsonc-parser';
import { parse as parseToml, stringify } from 'smol-toml';
import { type ConfigurationFormat, serverName } from './configuration.ts';

/** A configuration can't be changed without risk to what is in it. */
export class NotEditable extends Error {}

/** What a file lists servers under, in each format. */
const listName = (format: ConfigurationFormat) => (format === 'toml' ? 'mcp_servers' : format);

/**
 * Returns the text of a configuration with an entry for the server, or without one. Everything else in it stays as it is,
 * with its comments. Throws a NotEditable if that can't be made sure.
 * @param text undefined: there is no file
 */
export function withEntry(text: string | undefined, format: ConfigurationFormat, entry: object | undefined): string {
  const given = text ?? '';
  const before = read(given, format);
  const after = format === 'toml' ? editToml(given, entry) : editJson(given, format, entry);
  const expected = edited(before, format, entry);
  if (!isDeepStrictEqual(plain(read(after, format)), plain(expected)))
    throw new NotEditable(l10n.t("Its list of servers has a form that can't be edited safely."));
  return after;
}

/** Whether a configuration has nothing but an empty list of servers. */
export function isEmptyConfiguration(text: string, format: ConfigurationFormat): boolean {
  const { [listName(format)]: servers = {}, ...others } = read(text, format);
  return Object.keys(others).length === 0 && Object.keys(servers as object).length === 0;
}

function editJson(text: string, format: ConfigurationFormat, entry: object | undefined): string {
  const indented = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
  const formattingOptions = {
    insertSpaces: !indented.startsWith('\t'),
    tabSize: indented.startsWith('\t') ? 1 : indented.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
  const source = text.trim() === '' ? '{}\n' : text;
  return applyEdits(source, modify(source, [listName(format), serverName], entry, { formattingOptions }));
}

/** Replaces or appends the tables of the server: TOML tables end where the next one begins. */
function editToml(text: string, entry: object | undefined): string {
  const lines = text.split(/(?<=\n)/);
  const own = new RegExp(`^\\s*\\[\\s*mcp_servers\\s*\\.\\s*(["']?)${serverName}\\1\\s*[.\\]]`);
  const kept: string[] = [];
  /** Comments and empty lines after the server's own: they may belong to the next table. */
  let between: string[] = [];
  let isOwn = false;
  for (const line of lines) {
    if (/^\s*\[/.test(line)) isOwn = own.test(line);
    if (isOwn && /^\s*(#|$)/.test(line)) between.push(line);
    else {
      if (!isOwn) kept.push(...between, line);
      between = [];
    }
  }
  kept.push(...between);
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const rest = kept.join('');
  if (entry === undefined) return rest.replace(/(\r?\n)(?:[ \t]*\r?\n)+$/, '$1');
  const table = stringify({ mcp_servers: { [serverName]: entry } })
    .trim()
    .replaceAll('\n', eol);
  const head = rest.trim() === '' ? '' : `${rest.trimEnd()}${eol}${eol}`;
  return `${head}${table}${eol}`;
}

function read(text: string, format: ConfigurationFormat): Record<string, unknown> {
  if (text.trim() === '') return {};
  let value: unknown;
  if (format === 'toml') {
    try {
      value = parseToml(text, { integersAsBigInt: 'asNeeded' });
    } catch (error) {
      throw new NotEditable(l10n.t("It isn't valid TOML: {0}.", (error as Error).message.split('\n')[0] ?? ''));
    }
  } else {
    const errors: ParseError[] = [];
    value = parse(text, errors, { allowTrailingComma: true });
    if (errors.length > 0) throw new NotEditable(l10n.t("It isn't valid JSON."));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new NotEditable(l10n.t("It isn't an object."));
  const list = (value as Record<string, unknown>)[listName(format)];
  if (list !== undefined && (typeof list !== 'object' || list === null || Array.isArray(list)))
    throw new NotEditable(l10n.t('"{0}" in it isn\'t an object.', listName(format)));
  return value as Record<string, unknown>;
}

function edited(before: Record<string, unknown>, format: ConfigurationFormat, entry: object | undefined): object {
  const { [serverName]: _, ...others } = (before[listName(format)] ?? {}) as Record<string, unknown>;
  const servers = { ...others, ...(entry && { [serverName]: entry }) };
  return { ...before, [listName(format)]: servers };
}

/** Values compare equal whatever parser has made them; an empty list of servers is none. */
function plain(value: object): unknown {
  return JSON.parse(
    JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? String(each) : each)),
    (key, each) =>
      ['mcp_servers', 'mcpServers', 'servers'].includes(key) && each && Object.keys(each).length === 0
        ? undefined
        : each,
  );
}
