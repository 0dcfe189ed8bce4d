/** What a block is, as far as it says what may follow it without a blank line. */
export type BlockKind = 'text' | 'heading' | 'code' | 'rule' | 'table' | 'quote' | 'item' | 'group';

/** A list that is being written. */
export interface List {
  /** After the number of an item, or its bullet; another one than that of the list beside it. */
  readonly sign: '-' | '*' | '.' | ')';
  /** Whether its items have no blank lines between them. */
  readonly isTight: boolean;
  /** Whether its first item can directly follow the line of a text (CommonMark 5.3). */
  readonly interrupts: boolean;
}

interface Block {
  readonly kind: BlockKind;
  text: string;
  /** The list that an item is in, and how far its text is indented. */
  readonly list: List | undefined;
  readonly indent: string;
}

/** Containers in more others than this have no signs of their own: each line would begin with all of them. */
const maxContainers = 24;

/** The blocks of a Markdown text, and of each quote and item that is open. */
export class Blocks {
  readonly #open: Block[][] = [[]];

  /** Whether nothing has been added since something was opened. */
  get isAtStart(): boolean {
    return this.#inner.length === 0;
  }

  get isFull(): boolean {
    return this.#open.length > maxContainers;
  }

  /** The list whose item was written last, where the next block begins. */
  get listAbove(): List | undefined {
    return this.#inner.at(-1)?.list;
  }

  get #inner(): Block[] {
    return this.#open.at(-1) as Block[];
  }

  add(kind: BlockKind, text: string): void {
    this.#inner.push({ kind, text, list: undefined, indent: '' });
  }

  /** A line between two parts of a text: none of its characters is taken for the sign of an item. */
  addRule(): void {
    this.add('rule', this.#open.length > 1 && this.#inner.length === 0 ? '___' : '---');
  }

  /** Begins a quote, an item or a group, which `addOpen` or `addToItem` ends. */
  open(): void {
    this.#open.push([]);
  }

  /**
   * Adds what was opened last, unless it is empty.
   * @param sign of the first line of a quote or an item
   * @param isKept whether an item or quote is added if nothing is in it
   */
  addOpen(kind: 'quote' | 'item' | 'group', sign = '', list?: List, isKept = false): void {
    const text = this.end(list);
    const indent = kind === 'item' ? ' '.repeat(sign.length) : sign;
    if (text !== '' || isKept) this.#inner.push({ kind, text: indented(text, sign, indent), list, indent });
  }

  /** Adds what was opened last to the item above it. */
  addToItem(list: List): void {
    const [first] = this.#inner;
    const text = this.end(list);
    const item = this.#inner.at(-1);
    if (item && first) item.text += separator('text', first, list.isTight) + indented(text, item.indent, item.indent);
  }

  /** Ends what was opened last, or the whole. Returns its blocks as one text. */
  end(list?: List): string {
    let text = '';
    let above: Block | undefined;
    for (const block of this.#open.pop() ?? []) {
      const isNextItem = above?.list !== undefined && above.list === block.list;
      if (isNextItem) text += above?.list?.isTight ? '\n' : '\n\n';
      else if (above) text += separator(above.kind, block, list?.isTight);
      text += block.text;
      above = block;
    }
    return text;
  }
}

/** What stands between two blocks: without a blank line only in a list that has none, where the next one can follow. */
function separator(last: BlockKind, { kind, list }: Block, isTight = false): string {
  if (!isTight || last === 'table' || kind === 'table' || kind === 'rule' || kind === 'group') return '\n\n';
  if (last === 'heading' || last === 'code' || last === 'rule') return '\n';
  const isClose = kind !== 'text' && last !== kind && list?.interrupts !== false;
  return isClose ? '\n' : '\n\n';
}

function indented(text: string, sign: string, indent: string): string {
  if (!text.includes('\n')) return text === '' ? sign.trimEnd() : sign + text;
  return text
    .split('\n')
    .map((line, at) => (line === '' ? indent.trimEnd() : (at === 0 ? sign : indent) + line))
    .join('\n');
}
