import {
  RstCompiler,
  RstDefinitionListItem,
  RstDirective,
  RstFieldListItem,
  RstInterpretedText,
  type RstNode,
  RstOptionListItem,
  RstSection,
  RstTable,
} from 'rst-compiler';
import { addPage as addMarkdownPage, nameOf } from './markdown.ts';
import { type Block, type Corpus, codeBlock, createPassages, type NewPage, rowBlocks } from './passages.ts';
import { type InlinePart, joinInline } from './plain-text.ts';

/** Directives of Docutils and Sphinx whose body is code. */
const codeDirectives = 'code code-block sourcecode doctest testcode testoutput parsed-literal prompt'.split(' ');
/** Those that have no text of their own: lists of files, includes, settings. */
const silentDirectives = new Set(
  'toctree contents include literalinclude raw index highlight currentmodule module role default-role meta image rst-class tabularcolumns sectionauthor codeauthor moduleauthor testsetup testcleanup'.split(
    ' ',
  ),
);
/** Those whose text begins on their first line. With others, that line names what the text below is about. */
const textDirectives = new Set(
  'note warning tip hint important attention caution danger error seealso rubric topic sidebar container only epigraph highlights pull-quote centered'.split(
    ' ',
  ),
);
/** What those about versions say before the number of the version. */
const versionWords: Readonly<Record<string, string>> = {
  versionadded: 'Added in version',
  versionchanged: 'Changed in version',
  versionremoved: 'Removed in version',
  deprecated: 'Deprecated since version',
  'deprecated-removed': 'Deprecated since version',
};
/** Roles whose text is words; that of others is code, such as the name of a function. */
const wordRoles = new Set(
  'title-reference ref numref doc term any abbr abbreviation emphasis strong dfn guilabel menuselection sub subscript sup superscript download title'.split(
    ' ',
  ),
);

const options = {
  disableWarnings: true,
  disableErrors: true,
  directivesWithRawText: codeDirectives,
  directivesWithInitContent: codeDirectives,
};

/**
 * Adds the passages of a page of reStructuredText to a corpus, as those of Markdown: a heading with what is directly under
 * it. What a directive describes, such as a function, is a heading too. Its title is its first heading, else the name of
 * its file. Text that can't be parsed is read as Markdown, which has the same headings and paragraphs.
 */
export function addPage(corpus: Corpus, page: NewPage, text: string): void {
  const read = text.replace(/\r\n?/g, '\n');
  const written = read.split('\n');
  const root = parse(read);
  if (!root) return addMarkdownPage(corpus, page, text);
  const title = page.title ?? inlineText(root.findFirstChild('Section')?.children ?? []);
  const passages = createPassages(corpus, { ...page, title: title || nameOf(page.address) });

  /** Returns the lines of a node, without the empty ones behind it. */
  function linesOf({ source: { startLineIdx, endLineIdx } }: RstNode): Block['lines'] {
    let end = endLineIdx;
    while (end > startLineIdx + 1 && written[end - 1]?.trim() === '') end--;
    return [startLineIdx + 1, Math.max(end, startLineIdx + 1)];
  }

  function readNodes(nodes: readonly RstNode[], kind: 'paragraph' | 'item'): void {
    for (const node of nodes) {
      const { nodeType: type, children } = node;
      const lines = linesOf(node);
      if (node instanceof RstSection) passages.heading(node.level, inlineText(children), lines);
      else if (node instanceof RstDirective) readDirective(node, kind);
      else if (node instanceof RstTable) {
        const rows = [...node.headRows.slice(-1), ...node.bodyRows].map((row) => ({
          cells: row.children.map(flatText),
          lines: linesOf(row),
        }));
        const head = node.headRows.length > 0 ? rows.shift() : undefined;
        passages.addAll(rowBlocks(rows, head));
      } else if (node instanceof RstDefinitionListItem) readDescribed(inlineText(node.term), node, node.definition);
      else if (node instanceof RstFieldListItem) readDescribed(inlineText(node.name), node, node.body);
      else if (node instanceof RstOptionListItem)
        readDescribed(codeText(node.options.map(({ name }) => name).join(', ')), node, children);
      else if (type === 'LineBlock') passages.add({ kind, text: flatText(node), lines });
      else if (type === 'Paragraph') passages.add({ kind, text: inlineText(children).replace(/::$/, ':'), lines });
      else if (type === 'LiteralBlock' || type === 'DoctestBlock')
        passages.add(codeBlock(node.textContent, type === 'DoctestBlock' ? 'python' : '', lines));
      else if (!/^(?:Comment|HyperlinkTarget|SubstitutionDef)$/.test(type))
        readNodes(children, type.endsWith('ListItem') ? 'item' : kind);
    }
  }

  function readDirective(node: RstDirective, kind: 'paragraph' | 'item'): void {
    const name = node.directive.replace(/^.*:/, '').toLowerCase();
    if (codeDirectives.includes(name))
      return passages.add(codeBlock(node.rawBodyText, node.initContentText, linesOf(node)));
    if (silentDirectives.has(name) || name.startsWith('auto')) return;
    const [first, ...below] = node.children;
    const version = versionWords[name];
    if (version && first) {
      passages.add({ kind, text: `${version} ${flatText(first)}`, lines: linesOf(first) });
      return readNodes(below, kind);
    }
    // The first line of a figure is the path of its picture.
    if (name === 'figure') return readNodes(below, kind);
    const list = node.children.at(-1);
    const heads = Number(node.config?.getField('header-rows')) || 0;
    if (name === 'list-table' && list && heads < 2 && list.children.every(isRow)) {
      const rows = list.children.map((row) => ({ cells: listedRow(row), lines: linesOf(row) }));
      const head = rows.length > heads ? rows.splice(0, heads)[0] : undefined;
      const addRows = () => passages.addAll(rowBlocks(rows, head));
      return first && first !== list ? passages.within(flatText(first), linesOf(first), addRows) : addRows();
    }
    const isNamed = first?.source.startLineIdx === node.source.startLineIdx && !textDirectives.has(name);
    if (!isNamed) return readNodes(node.children, kind);
    // The parser reads `-o FILE` as an option.
    const named = flatText(first) || codeText((written[node.source.startLineIdx] ?? '').replace(/^.*?::\s*/, ''));
    if (below.length === 0) return passages.add({ kind, text: named, lines: linesOf(node) });
    passages.within(named, linesOf(first), () => readNodes(below, 'paragraph'));
  }

  /** Reads a term with its definition: the first paragraph of that stands beside it. */
  function readDescribed(name: string, node: RstNode, definition: readonly RstNode[]): void {
    const [first, ...rest] = definition;
    const isText = first?.nodeType === 'Paragraph';
    const text = isText ? `${name}: ${inlineText(first.children)}` : name;
    const [from] = linesOf(node);
    passages.add({ kind: 'row', text, name, lines: [from, isText ? linesOf(first)[1] : from] });
    readNodes(isText ? rest : definition, 'item');
  }

  readNodes(root.children, 'paragraph');
}

/** Without resolving links, which says nothing here, takes cubic time for equal headings and throws for equal targets. */
class Parser extends RstCompiler {
  override createParserOutput(root: Parameters<RstCompiler['createParserOutput']>[0]) {
    return { root } as ReturnType<RstCompiler['createParserOutput']>;
  }
}

/** What begins a block of text, in which the parser looks for the end of each mark from its start. */
const blockStart = /\n[ \t]*\n|\n(?=[ \t]*(?:[-*+•:|]|\.\.|\d+[.)])[ \t])/;
const costOf = (block: string) => (block.match(/[*`|[]| {50}/g)?.length ?? 0) * block.length;
/** A text that costs more would take seconds. */
const mostCost = 1e8;
/** Text that is indented by more columns is nested too deeply. */
const tooDeep = /^[ \t]{300}/m;

/** Returns the nodes of a text; undefined if it can't be parsed, or not in time. */
function parse(text: string): RstNode | undefined {
  const cost = text.split(blockStart).reduce((sum, block) => sum + costOf(block), 0);
  if (cost > mostCost || tooDeep.test(text)) return undefined;
  try {
    return new Parser().parse(text, options).root;
  } catch {
    return undefined;
  }
}

/** Whether an item of a list is a row: a list of cells, which have only text. */
function isRow({ children: [list, ...more] }: RstNode): boolean {
  const cells = list?.nodeType === 'BulletList' ? [...list.children.flatMap(({ children }) => children), ...more] : [];
  return cells.length > 0 && cells.every(({ nodeType }) => nodeType === 'Paragraph');
}

/** Returns the cells of a row that is an item of a list, in which they are a list. */
function listedRow({ children: [list, ...more] }: RstNode): string[] {
  const cells = list?.children.map(flatText) ?? [];
  // What the parser reads as text below that list is of its last item.
  return [...cells.slice(0, -1), [...cells.slice(-1), ...more.map(flatText)].map((text) => text.trim()).join(' ')];
}

/** Returns the text of a node on one line. */
function flatText(node: RstNode): string {
  if (node.children.length === 0 || node.children[0]?.isInlineNode) return inlineText(node.children);
  return node.children.map(flatText).filter(Boolean).join(' ');
}

function inlineText(nodes: readonly RstNode[]): string {
  return joinInline(nodes.map(partOf));
}

const codeText = (text: string): string => joinInline([{ text, isCode: true }]);

function partOf(node: RstNode): InlinePart {
  const text = node.textContent;
  if (node instanceof RstInterpretedText) return ofRole(node.role.replace(/^.*:/, ''), text);
  if (node.nodeType === 'FootnoteRef' || node.nodeType === 'CitationRef') return { text: '' };
  return { text, isCode: node.nodeType === 'InlineLiteral' };
}

/** Returns the text of a role: its title, or else what it refers to: of `~package.name` only the name. */
function ofRole(role: string, text: string): InlinePart {
  if (role === 'pep' || role === 'rfc') return { text: `${role.toUpperCase()} ${text}` };
  const title = /^([^<]*[^<\s])\s*<[^<>]*>$/.exec(text)?.[1];
  if (wordRoles.has(role)) return { text: title ?? text.replace(/[-_/]+/g, ' ') };
  return { text: title ?? text.replace(/^~(?:.*\.)?/, '').replace(/^!/, ''), isCode: true };
}
