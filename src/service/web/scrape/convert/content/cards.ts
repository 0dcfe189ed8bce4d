import type { PageElement } from './page-tree.ts';

/** Characters of prose that a card can have. */
const maxCardProse = 300;
/** Share of a card's other text that leads elsewhere. */
const minLinkedShare = 0.5;

/**
 * Groups of siblings that are alike and lead elsewhere: what isn't prose in them is a picture or heading, mostly linked.
 * @param least siblings in a group
 * @param longest characters of prose in a card with a heading
 */
export function cardGroups(children: readonly PageElement[], least: number, longest = maxCardProse): PageElement[][] {
  const groups = new Map<string, PageElement[]>();
  for (const child of children) {
    if (child.leftOut !== '' || !isCard(child, longest)) continue;
    const group = groups.get(child.name);
    if (group) group.push(child);
    else groups.set(child.name, [child]);
  }
  return [...groups.values()].filter(({ length }) => length >= least);
}

function isCard({ name, has }: PageElement, longest: number): boolean {
  // The heading of a section, unlike that of a card, leads nowhere.
  const leads = has.headings > 0 ? has.linkedHeadings > 0 : has.images > 0;
  if (has.links === 0 || !leads || name === 'p' || name === 'figure') return false;
  return (
    has.prose <= (has.headings > 0 ? longest : maxCardProse) && has.linked >= (has.text - has.prose) * minLinkedShare
  );
}
