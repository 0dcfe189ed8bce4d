import { type Block, indent, type TextBlock } from './blocks.ts';
import { joined } from './joined.ts';
import { add, type Run } from './lines.ts';
import type { Mark } from './marks.ts';

/** Decides which blocks are items of a list: those with a bullet, and those whose number follows that of another one. */
export function resolveItems(blocks: readonly Block[]): Block[] {
  const before = new Map<TextBlock, Mark>();
  /** What a section such as `1.2` is in. */
  const outer = new Map<TextBlock, TextBlock>();
  const open: TextBlock[] = [];
  for (const block of blocks) {
    if (block.kind !== 'text') {
      if (block.kind === 'table') open.length = 0;
      continue;
    }
    if (block.marks.length === 0) {
      // Another paragraph of an item is below its text.
      const first = open[0];
      if (!first || block.page !== first.page || block.level > 0 || block.left < first.left + 0.5 * block.size)
        open.length = 0;
      continue;
    }
    while (open.length > 0 && isLess(block, open.at(-1) as TextBlock)) open.pop();
    const sibling = open.findLast((each) => successor(each, block) !== undefined);
    const pair = sibling && successor(sibling, block);
    if (sibling && pair) {
      before.set(sibling, before.get(sibling) ?? pair[0]);
      before.set(block, pair[1]);
      open.splice(open.indexOf(sibling), 1);
    }
    const [parent, section] = outerOf(block, open) ?? [];
    if (parent && section) {
      outer.set(block, parent);
      before.set(block, section);
    }
    const dash = block.marks.find(({ kind, style }) => kind === 'dash' && /[-\u2013*]/.test(style));
    if (dash && open.some((each) => isBelowText(block, each))) before.set(block, before.get(block) ?? dash);
    open.push(block);
  }
  const result: Block[] = [];
  for (const block of blocks) {
    const previous = result.at(-1);
    if (block.kind !== 'text') {
      result.push(block);
      continue;
    }
    const [first] = block.marks;
    const item =
      before.get(block) ??
      (first && (first.kind === 'bullet' || (first.value <= 1 && block.hangs)) ? first : undefined);
    const around = outer.get(block);
    // Not within an item, a section keeps its number.
    const keepsNumber = item?.kind === 'section' && !(around && block.left > around.left + 0.5 * block.size);
    if (item && !keepsNumber) result.push({ ...block, item, runs: withoutStart(block.runs, item.length) });
    else if (!item && first && block.continues && previous?.kind === 'text' && previous.level === block.level)
      result[result.length - 1] = { ...previous, runs: joined(previous.runs, block.runs), room: block.room };
    else result.push(block);
  }
  return result;
}

/** Returns the open item that a section is in, by their numbers, and the section's mark. */
function outerOf(block: TextBlock, open: readonly TextBlock[]): [TextBlock, Mark] | undefined {
  const section = block.marks.find(({ kind }) => kind === 'section');
  const isOuter = ({ kind, style, value }: Mark) =>
    `${kind === 'section' ? style : ''}${value}.` === section?.style && /^(number|section)$/.test(kind);
  const parent = section && open.findLast((each) => each.marks.some(isOuter));
  return parent && [parent, section];
}

/** Whether a block is further to the right than the text of an item with a bullet, whose other lines aren't. */
function isBelowText({ page, left, size }: TextBlock, item: TextBlock): boolean {
  const { textLeft = Number.POSITIVE_INFINITY } = item;
  return item.page === page && item.marks.some(({ kind }) => kind === 'bullet') && left > textLeft + 0.3 * size;
}

function isLess(block: TextBlock, than: TextBlock): boolean {
  return block.page === than.page && !block.startsColumn && block.left < than.left - indent * block.size;
}

/** Returns the marks by which one block is the item after another; undefined if it isn't. */
function successor(one: TextBlock, other: TextBlock): [Mark, Mark] | undefined {
  const apart = Math.abs(one.left - other.left) > indent * other.size;
  if (apart && one.page === other.page && !isAside(one, other)) return undefined;
  for (const mark of one.marks) {
    const next = other.marks.find(
      ({ kind, style, value }) =>
        kind === mark.kind && style === mark.style && (value === 0 || value === mark.value + 1),
    );
    if (next) return [mark, next];
  }
  return undefined;
}

/** Whether a block may be in another column than one before it. */
function isAside(one: TextBlock, other: TextBlock): boolean {
  return Math.abs(one.left - other.left) > 10 * other.size;
}

function withoutStart(runs: readonly Run[], length: number): Run[] {
  let left = length;
  const kept: Run[] = [];
  for (const run of runs) {
    const rest = run.text.slice(left);
    left = Math.max(0, left - run.text.length);
    if (rest !== '') add(kept, { ...run, text: kept.length === 0 ? rest.trimStart() : rest });
  }
  return kept;
}
