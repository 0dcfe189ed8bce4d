import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join, relative } from 'node:path';
import { type AnyNode, type CallExpression, type Expression, type Program, parse, type TemplateLiteral } from 'acorn';
import { fullAncestor } from 'acorn-walk';
import { repository } from './folders.ts';

/** A text in the product's own code, and where it is: `src/extension/extension.ts:12`. */
export interface SourceText {
  text: string;
  at: string;
}

/** The calls of `l10n.t` in the code, and the texts that people see without it. */
export interface SourceTexts {
  /** Keys of the translation. */
  translated: SourceText[];
  /** Calls whose key isn't a literal, as code. */
  computed: SourceText[];
  untranslated: SourceText[];
}

/** Folders whose texts people see in their own language. */
const folders = ['src/extension', 'src/webviews', 'src/client'];

/** Reads all texts of the extension, its webviews and the client. */
export function readSourceTexts(): SourceTexts {
  const found: SourceTexts = { translated: [], computed: [], untranslated: [] };
  for (const folder of folders) {
    for (const name of readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })) {
      // The rows of commands hold their texts in each language.
      if (name.startsWith(join('ui', 'command-table'))) continue;
      if (name.endsWith('.ts') && !name.endsWith('.d.ts')) readFile(join(repository, folder, name), found);
    }
  }
  return found;
}

function readFile(file: string, found: SourceTexts): void {
  const source = readFileSync(file, 'utf8');
  for (const [kind, texts] of Object.entries(textsOf(source))) {
    for (const { text, line } of texts)
      found[kind as keyof SourceTexts].push({ text, at: `${relative(repository, file)}:${line}` });
  }
}

type FoundTexts = Record<keyof SourceTexts, { text: string; line: number }[]>;

/** Returns the texts of one source file. */
export function textsOf(source: string): FoundTexts {
  // Types become spaces, so that places stay what they are.
  const code = stripTypeScriptTypes(source, { mode: 'strip' });
  const program: Program = parse(code, { ecmaVersion: 'latest', sourceType: 'module', locations: true });
  const found: FoundTexts = { translated: [], computed: [], untranslated: [] };
  const add = (kind: keyof SourceTexts, text: string, node: AnyNode) =>
    found[kind].push({ text, line: node.loc?.start.line ?? 0 });
  fullAncestor(program, (node) => {
    if (node.type === 'CallExpression' && isTranslation(node)) {
      const [key] = node.arguments;
      if (key?.type === 'Literal' && typeof key.value === 'string') add('translated', key.value, node);
      else add('computed', code.slice(node.start, node.end), node);
    }
    for (const shown of shownExpressions(node)) {
      for (const text of literalsIn(shown)) if (isWords(text)) add('untranslated', text, shown);
    }
  });
  return found;
}

function isTranslation({ callee }: CallExpression): boolean {
  return (
    callee.type === 'MemberExpression' &&
    callee.object.type === 'Identifier' &&
    callee.object.name === 'l10n' &&
    callee.property.type === 'Identifier' &&
    callee.property.name === 't'
  );
}

/** Functions whose arguments are shown: the positions of these arguments. */
const shownArguments = new Map<string, readonly number[]>(
  Object.entries({
    showInformationMessage: [0, 1, 2, 3, 4],
    showWarningMessage: [0, 1, 2, 3, 4],
    showErrorMessage: [0, 1, 2, 3, 4],
    setStatusBarMessage: [0],
    confirm: [0, 1, 2],
    offer: [0, 1],
    say: [0],
    askFile: [0],
    askFolder: [0, 1],
    appendText: [0],
    UserError: [0],
    TreeItem: [0],
    CodeAction: [0],
    cancellable: [0],
    webviewPage: [3],
    iconButton: [1],
    textButton: [0],
    pressable: [2, 3, 4, 5, 6, 7],
    linkButton: [0],
    showNotice: [0],
    showEnded: [0],
    showLost: [0],
    announce: [0],
    element: [2, 3, 4, 5, 6, 7],
  }),
);

/** Properties and attributes whose values are shown. */
const shownProperties = new Set([
  'title',
  'label',
  'description',
  'detail',
  'tooltip',
  'spoken',
  'prompt',
  'placeHolder',
  'placeholder',
  'openLabel',
  'saveLabel',
  'contentText',
  'textContent',
  'invocationMessage',
  'aria-label',
  'alt',
]);

function shownExpressions(node: AnyNode): AnyNode[] {
  if (node.type === 'CallExpression' || node.type === 'NewExpression') {
    const positions = shownArguments.get(nameOf(node.callee)) ?? [];
    return positions.flatMap((at) => node.arguments[at] ?? []);
  }
  if (node.type === 'Property' && !node.computed) {
    const name = node.key.type === 'Identifier' ? node.key.name : node.key.type === 'Literal' ? node.key.value : '';
    return shownProperties.has(String(name)) ? [node.value] : [];
  }
  if (node.type === 'AssignmentExpression' && node.left.type === 'MemberExpression') {
    return shownProperties.has(nameOf(node.left)) ? [node.right] : [];
  }
  return [];
}

function nameOf(callee: AnyNode): string {
  if (callee.type === 'Identifier') return callee.name;
  return callee.type === 'MemberExpression' && callee.property.type === 'Identifier' ? callee.property.name : '';
}

/** The texts that an expression may have, as far as they are written in it. */
function literalsIn(node: AnyNode): string[] {
  switch (node.type) {
    case 'Literal':
      return typeof node.value === 'string' ? [node.value] : [];
    case 'TemplateLiteral':
      return [withPlaceholders(node), ...node.expressions.flatMap((part: Expression) => branches(part))];
    default:
      return branches(node);
  }
}

function branches(node: AnyNode): string[] {
  if (node.type === 'ConditionalExpression') return [...literalsIn(node.consequent), ...literalsIn(node.alternate)];
  if (node.type === 'LogicalExpression') return [...literalsIn(node.left), ...literalsIn(node.right)];
  if (node.type === 'BinaryExpression' && node.operator === '+')
    return [...literalsIn(node.left), ...literalsIn(node.right)];
  if (node.type === 'ArrayExpression') return node.elements.flatMap((one) => (one ? literalsIn(one) : []));
  if (node.type === 'CallExpression' && node.callee.type === 'MemberExpression') return joined(node);
  return [];
}

/** The texts of `[a, b].filter(…).join(…)`. */
function joined({ callee }: CallExpression): string[] {
  if (callee.type !== 'MemberExpression' || !['join', 'filter'].includes(nameOf(callee))) return [];
  return callee.object.type === 'Super' ? [] : literalsIn(callee.object);
}

function withPlaceholders({ quasis }: TemplateLiteral): string {
  return quasis.map(({ value }) => value.cooked ?? '').join('{}');
}

/** Names that are the same in every language, and what isn't text: icons, placeholders, addresses. */
const names =
  /Web Data|JavaScript|TypeScript|Python|JSON Lines|JSON|JSONL|CSV|HTML|URL|Markdown|example\.com|\bbutton\b/g;

function isWords(text: string): boolean {
  return /\p{L}{2}/u.test(text.replace(/\$\([\w~-]+\)|\{\}|https?:\/\/\S*/g, '').replace(names, ''));
}
