import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { docsSourceEndpoints } from '../../src/contract/docs-search/docs-sources.ts';
import { type Endpoint, type EndpointName, endpoints } from '../../src/contract/endpoints.ts';
import { agentKeyEndpoints } from '../../src/contract/mcp/agent-keys.ts';
import { agentSessionEndpoints } from '../../src/contract/mcp/agent-sessions.ts';
import { crawlScrapeOptions, document, scrapeOptions, shownScrapeOptions } from '../../src/contract/scrape/scrape.ts';
import { commandTables } from './contributions.ts';
import { type JsonSchema, toJsonSchema } from './json-schema.ts';
import { settingRows } from './manifest-tables.ts';
import { type Example, examples } from './reference-examples.ts';
import { limitRows } from './reference-limits.ts';
import { ROOT } from './repository.mjs';

const folder = join(ROOT, 'docs');
/**
 * `<!-- contract: NAME -->` … `<!-- /contract -->`, where NAME is the name of an endpoint, `endpoints` for all endpoints,
 * `shapes` for the schemas that several endpoints share, `limits`, or `docsSources` for the calls on docs sources; and
 * `<!-- manifest: NAME -->` for the extension's `settings`, `commands` and `keys`.
 */
const block = /<!-- (contract|manifest): ([\w-]+) -->[\s\S]*?<!-- \/\1 -->/g;

/** Returns every page of docs/ that has such blocks, with the blocks filled in. */
export async function createReferencePages(): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  for (const name of (await readdir(folder, { recursive: true })).sort()) {
    if (!name.endsWith('.md')) continue;
    const path = join(folder, name);
    const content = await readFile(path, 'utf8');
    const filled = fillBlocks(content);
    if (filled !== undefined) pages.set(path, filled);
  }
  return pages;
}

/** Returns a page with its blocks filled in, or undefined if it has none. Throws if a block's name is unknown. */
export function fillBlocks(page: string): string | undefined {
  let found = false;
  const filled = page.replace(block, (_, source: string, name: string) => {
    found = true;
    const tables = source === 'manifest' ? manifestTable(name) : createTables(name);
    return `<!-- ${source}: ${name} -->\n${tables}\n<!-- /${source} -->`;
  });
  return found ? filled : undefined;
}

function manifestTable(name: string): string {
  if (name === 'commands' || name === 'keys') {
    const [head = [], ...rows] = commandTables()[name];
    return markdownTable(head, rows);
  }
  if (name !== 'settings') throw new Error(`package.json has no table "${name}". Expected: settings, commands, keys`);
  return markdownTable(['Setting', 'Default', 'What it does'], settingRows());
}

function createTables(name: string): string {
  const table: Record<string, Endpoint> = endpoints;
  if (name === 'endpoints') return describeAll(table);
  if (name === 'docsSources') return describeAll(docsSourceEndpoints);
  if (name === 'agentKeys') return describeAll(agentKeyEndpoints);
  if (name === 'agentSessions') return describeAll(agentSessionEndpoints);
  if (name === 'shapes') return shapes.map(describeShape).filter(Boolean).join('\n\n');
  if (name === 'limits') return markdownTable(['What', 'Limit', 'Applies to'], Object.values(limitRows));
  const entry = table[name];
  if (!entry)
    throw new Error(
      `The contract has no endpoint "${name}". Expected one of: endpoints, shapes, limits, docsSources, agentKeys, agentSessions, ${Object.keys(table).join(', ')}`,
    );
  return describeEndpoint(name, entry);
}

function describeAll(table: Record<string, Endpoint>): string {
  return Object.entries(table)
    .map(([name, entry]) => describeEndpoint(name, entry))
    .join('\n\n');
}

/** A schema that several endpoints share, described once. */
interface Shape {
  title: string;
  anchor: string;
  schema: JsonSchema;
  describe(schema: JsonSchema): string;
}
const asFields = (schema: JsonSchema) => fieldTable('Field', schema);
const shapes: Shape[] = [
  {
    title: 'Scrape options',
    anchor: 'scrape-options',
    schema: toJsonSchema(scrapeOptions, 'input'),
    describe: asFields,
  },
  { title: 'Document', anchor: 'document', schema: toJsonSchema(document, 'output'), describe: answerTable },
  {
    title: 'Scrape options of a crawl',
    anchor: 'scrape-options',
    schema: toJsonSchema(crawlScrapeOptions, 'input'),
    describe: () => '',
  },
  {
    title: 'Scrape options as shown',
    anchor: 'scrape-options',
    schema: toJsonSchema(shownScrapeOptions, 'output'),
    describe: () => '',
  },
];

function describeShape({ title, schema, describe }: Shape): string {
  const table = describe(schema);
  return table && `### ${title}\n\n${table}`;
}

/** Returns the shared shape with the same fields as a schema, whatever its own description. */
function shapeOf(schema: JsonSchema): Shape | undefined {
  const fields = JSON.stringify(schema.properties);
  return fields === undefined ? undefined : shapes.find((shape) => JSON.stringify(shape.schema.properties) === fields);
}

function describeEndpoint(name: string, entry: Endpoint): string {
  const parts = [
    `### ${braces(entry.method, entry.path)}`,
    `${entry.summary}: \`${braces(entry.method, entry.path)}\`.`,
  ];
  if (entry.aliases) parts.push(`Also ${entry.aliases.map((path) => `\`${braces(entry.method, path)}\``).join(', ')}.`);
  if (entry.params) parts.push(fieldTable('Path', toJsonSchema(entry.params, 'input')));
  if (entry.query) parts.push(fieldTable('Query parameter', toJsonSchema(entry.query, 'output')));
  if (entry.body) {
    const schema = toJsonSchema(entry.body, 'input');
    const choices = schema.oneOf?.flatMap(({ required = [] }) => required) ?? [];
    parts.push(fieldTable('Body field', schema), bodySentence(entry, schema, choices));
  }
  const answer = toJsonSchema(entry.response, 'output');
  const answered = Object.keys(answer.properties ?? {});
  if (answered.length > 1) parts.push(`${braces(entry.method, entry.path)} returns ${listed(answered)}.`);
  parts.push(answerTable(answer));
  const errors = Object.entries(entry.errors);
  if (errors.length > 0) parts.push(markdownTable(['Error', 'When'], errors));
  const example = examples[name as EndpointName];
  if (example) parts.push(...describeExample(entry, example));
  return parts.filter(Boolean).join('\n\n');
}

/** Lists the fields of a body, and which are required, in a sentence. */
function bodySentence({ method, path }: Endpoint, schema: JsonSchema, choices: string[]): string {
  const [options] = shapes;
  const shared = options && isWithin(options, schema) ? options.schema.properties : undefined;
  const own = fieldsOf(schema).filter(
    ({ name }) => !labels.has(name) && !name.includes('.') && !(shared && name in shared),
  );
  if (own.length === 0) return '';
  const names = own.map(({ name }) => name);
  const required = own.filter((field) => field.required).map(({ name }) => name);
  const fields = shared ? `${names.map((name) => `\`${name}\``).join(', ')} and all scrape options` : listed(names);
  const needs = choices.length > 0 ? `exactly one of ${listed(choices)}` : listed(required) || 'none of them';
  return `The body of ${braces(method, path)} accepts ${fields}. Required: ${needs}.`;
}

function describeExample(entry: Endpoint, { params = {}, query, body, answer }: Example): string[] {
  const path = entry.path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? '');
  const search = query ? `?${new URLSearchParams(query)}` : '';
  const request = [`curl -X ${entry.method} "$BASE_URL${path}${search}"`, '-H "Authorization: Bearer $API_KEY"'];
  if (body)
    request.push("-H 'Content-Type: application/json'", `-d '${JSON.stringify(body).replaceAll("'", `'\\''`)}'`);
  return [
    'Example:',
    `\`\`\`sh\n${request.join(' \\\n  ')}\n\`\`\``,
    `\`\`\`json\n${JSON.stringify(answer, null, 2)}\n\`\`\``,
  ];
}

function listed(fields: string[]): string {
  const names = fields.map((field) => `\`${field}\``);
  return names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function braces(method: string, path: string): string {
  return `${method} ${path.replace(/:(\w+)/g, '{$1}')}`;
}

interface Field {
  name: string;
  schema: JsonSchema;
  required: boolean;
}

/** Fields that every body accepts; described once. */
const labels = new Set(['origin', 'integration']);

function fieldTable(title: string, schema: JsonSchema): string {
  const [options] = shapes;
  const shared = options && isWithin(options, schema) && shapeOf(schema) !== options ? options : undefined;
  const own = fieldsOf(schema).filter(
    ({ name }) => !labels.has(name) && !shared?.schema.properties?.[name.split('.')[0] ?? ''],
  );
  const table = fieldRows(title, own);
  return shared ? `${table}\n\nIt also accepts all [scrape options](#${shared.anchor}).` : table;
}

/** Whether a body includes all the fields of a shape. */
function isWithin(shape: Shape, schema: JsonSchema): boolean {
  return Object.keys(shape.schema.properties ?? {}).every((name) => name in (schema.properties ?? {}));
}

function fieldRows(title: string, fields: Field[]): string {
  const rows = fields.map(({ name, schema, required }) => [
    `\`${name}\``,
    typeOf(schema),
    required ? 'yes' : 'no',
    schema.default === undefined ? '' : `\`${JSON.stringify(schema.default)}\``,
    limitOf(schema),
    schema.description ?? '',
  ]);
  return markdownTable([title, 'Type', 'Required', 'Default', 'Limit', 'Meaning'], rows);
}

function answerTable(schema: JsonSchema): string {
  const rows = fieldsOf(schema).map(({ name, schema }) => [`\`${name}\``, typeOf(schema), schema.description ?? '']);
  return rows.length === 0 ? '' : markdownTable(['Response field', 'Type', 'Meaning'], rows);
}

/** The fields of an object: fields of nested objects as `outer.inner`, of lists as `list[].inner`. */
function fieldsOf(schema: JsonSchema, prefix = ''): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const path = `${prefix}${name}`;
    const own = { name: path, schema: property, required: schema.required?.includes(name) ?? false };
    const plain = withoutNull(property);
    const item = plain.items && withoutNull(plain.items);
    if (shapeOf(plain) || (item && shapeOf(item))) return [own];
    return [own, ...fieldsOf(plain, `${path}.`), ...(item ? fieldsOf(item, `${path}[].`) : [])];
  });
}

/** Returns the other schema of a choice between one schema and null. */
function withoutNull(schema: JsonSchema): JsonSchema {
  const others = schema.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  return others.length === 1 && others[0] ? others[0] : schema;
}

function typeOf(schema: JsonSchema): string {
  const shape = shapeOf(schema);
  if (shape) return `[${shape.anchor.replaceAll('-', ' ')}](#${shape.anchor})`;
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(' or ');
  if (schema.enum) return `one of ${schema.enum.map((value) => `\`${value}\``).join(', ')}`;
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (Array.isArray(schema.type)) return schema.type.join(' or ');
  if (schema.type === 'array') return `list of ${schema.items ? typeOf(schema.items) : 'anything'}`;
  if (schema.type === 'string' && schema.format) return `string, ${schema.format === 'uuid' ? 'UUID' : schema.format}`;
  return schema.type ?? 'anything';
}

const grouped = new Intl.NumberFormat('en-US', { useGrouping: 'min2' });

function limitOf(schema: JsonSchema): string {
  const { minLength, maxLength, minimum, maximum, maxItems } = withoutNull(schema);
  if (maxLength !== undefined) return `${range(minLength, maxLength)} characters`;
  if (minimum !== undefined || maximum !== undefined) return range(minimum, maximum);
  return maxItems === undefined ? '' : `at most ${grouped.format(maxItems)} items`;
}

function range(min: number | undefined, max: number | undefined): string {
  if (max === undefined) return min === undefined ? '' : `at least ${grouped.format(min)}`;
  return min === undefined ? `at most ${grouped.format(max)}` : `${grouped.format(min)} to ${grouped.format(max)}`;
}

function markdownTable(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}
