/** What a block is, as far as it says what may follow it without a blank line. */
export type BlockKind = 'text' | 'heading' | 'code' | 'rule' | 'table' | 'quote' | 'list' | 'group';

/** A list that is being written. */
export interface List {
  /** After the number of an item, or its bullet; another one than that of the list beside it. */
  readonly sign: '-' | '*' | '.' | ')';
  /** Whether its items have no blank lines between them. */
  readonly isTight: boolean;
  /** Whether its first item can directly follow the line of a text (CommonMark 5.3). */
  readonly interrupts: boolean;
  /** How far the text of its last item is indented. */
  indent: string;
}

interface Container {
  readonly kind: BlockKind;
  readonly prefix: string;
  readonly list: List | undefined;
  /** Whether its blocks can stand without blank lines between them. */
  readonly isTight: boolean;
  /** What was last written directly in it. */
  last: BlockKind | undefined;
  lastList: List | undefined;
}

/** Containers in more others than this have no signs of their own: each line would begin with all of them. */
const maxContainers = 24;

/** The lines of a Markdown text: each block has its own, behind the signs of the quotes and items that it is in. */
export class BlockLines {
  #out = '';
  readonly #containers: Container[] = [
    { kind: 'group', prefix: '', list: undefined, isTight: false, last: undefined, lastList: undefined },
  ];
  /** The beginning of the next line if an item or quote has no text yet. */
  #start: string | undefined;

  get markdown(): string {
    return this.#out;
  }

  /** What each further line of a block begins with. */
  get prefix(): string {
    return this.#inner.prefix;
  }

  get isFull(): boolean {
    return this.#containers.length > maxContainers;
  }

  /** The list that was last written directly where the next block begins. */
  get listAbove(): List | undefined {
    return this.#inner.last === 'list' ? this.#inner.lastList : undefined;
  }

  get #inner(): Container {
    return this.#containers.at(-1) as Container;
  }

  /** Writes a block that has one line, or whose other lines begin with the prefix. */
  write(kind: BlockKind, text: string): void {
    this.#separate(kind);
    const start = this.#start ?? this.prefix;
    this.#start = undefined;
    this.#out += text === '' ? start.trimEnd() : start + text;
  }

  /** Writes a block of several lines. */
  writeLines(kind: BlockKind, lines: readonly string[]): void {
    const { prefix } = this;
    const blank = `\n${prefix.trimEnd()}`;
    this.write(
      kind,
      lines.reduce((text, line, at) => (at === 0 ? line : text + (line === '' ? blank : `\n${prefix}${line}`))),
    );
  }

  /** A line between two parts of a text: none of its characters is taken for the sign of an item. */
  rule(): void {
    this.write('rule', this.#start === undefined ? '---' : '___');
  }

  /**
   * Writes what is in a quote or an item.
   * @param sign of its first line
   * @param isKept whether it is written if nothing is in it
   */
  within(sign: string, list: List | undefined, isKept: boolean): () => void {
    const { prefix } = this;
    const start = this.#start;
    this.#start = (start ?? prefix) + sign;
    const indent = list ? ' '.repeat(sign.length) : sign;
    if (list) list.indent = indent;
    this.#enter(list ? 'list' : 'quote', prefix + indent, list);
    return () => {
      if (this.#start !== undefined && isKept) this.write('text', '');
      this.#containers.pop();
      if (this.#start !== undefined) this.#start = start;
    };
  }

  /** Goes on in the last item of a list. */
  again(list: List): () => void {
    this.#enter('list', this.prefix + list.indent, list);
    this.#inner.last = 'text';
    return () => void this.#containers.pop();
  }

  /** Writes blocks with blank lines between them, also in an item whose other blocks have none. */
  apart(): () => void {
    this.#enter('group', this.prefix, undefined);
    return () => void this.#containers.pop();
  }

  #enter(kind: BlockKind, prefix: string, list: List | undefined): void {
    const isTight = list?.isTight ?? false;
    this.#containers.push({ kind, prefix, list, isTight, last: undefined, lastList: undefined });
  }

  #separate(kind: BlockKind): void {
    let at = this.#containers.length - 1;
    while (at > 0 && this.#containers[at]?.last === undefined) at--;
    const container = this.#containers[at] as Container;
    if (container.last !== undefined) {
      const next = this.#containers[at + 1];
      const isClose =
        next?.list !== undefined && next.list === container.lastList
          ? next.list.isTight
          : container.isTight && follows(container.last, next?.kind ?? kind, next?.list);
      this.#out += isClose ? '\n' : `\n${container.prefix.trimEnd()}\n`;
    }
    for (; at < this.#containers.length; at++) {
      const each = this.#containers[at] as Container;
      const next = this.#containers[at + 1];
      each.last = next?.kind ?? kind;
      each.lastList = next?.list;
    }
  }
}

/** Whether a block can follow another without a blank line. */
function follows(last: BlockKind, next: BlockKind, list: List | undefined): boolean {
  if (last === 'table' || next === 'table' || next === 'rule' || next === 'group') return false;
  if (last === 'heading' || last === 'code' || last === 'rule') return true;
  if (next === 'text' || last === next) return false;
  return next !== 'list' || list?.interrupts === true;
}
