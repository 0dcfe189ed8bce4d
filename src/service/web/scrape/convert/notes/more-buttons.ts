import { type MoreButton, nextLabel } from '../../../../browsers/page/next-rows.ts';
import type { Attributes } from '../page-tree/page-tree.ts';

/** What such buttons say in common languages. */
const labels = new RegExp(
  [
    '^(load|show|view|see|display|get) (\\d+ )?more\\b(?! (info|details|about|options|actions))',
    '^(load|show|view|see|get) (older|earlier)\\b(?! (versions?|editions?|models?|releases?|dates?|days?|years?))',
    '^(load|show|view|see|get) (the )?next \\d+$',
    '^more (results|items|products|posts|articles|comments|reviews|entries)$',
    '^(mehr|weitere)( \\S+)? (laden|anzeigen)$',
    '^(charger|afficher|voir) plus\\b',
    '^(cargar|mostrar|ver) más\\b',
    '^(carregar|mostrar|ver) mais\\b',
    '^(carica|mostra|vedi) (altri|altro|altre|di più)\\b',
    '^(meer|laad meer)( \\S+)? (laden|tonen)$',
    '^(加载|載入|查看|显示|顯示)更多',
    '^(もっと見る|もっと読み込む|さらに(表示|読み込む))',
    '^더 ?보기',
    '^(показать|загрузить) ещё\\b',
  ].join('|'),
  'iu',
);
/** What names of elements say that have the buttons of a list's pages. */
const paging = /pagina|(?<![a-z])pager(?![a-z])|paging/i;
const maxLabelLength = 40;
const maxClasses = 5;

/** Finds the first button of a page that loads more content, and the first that may show the next rows of a list. Links are followed instead. */
export function watchButtons() {
  let more: MoreButton | undefined;
  let next: MoreButton | undefined;
  let buttonAt = 0;
  /** In forms, it leads to the next step. */
  let formAt = 0;
  let pagingAt = 0;
  /** Where the element is that is read, among those of the pages: its selector, and how many of its children have which tag. */
  let places: { selector: string; children: Map<string, number> }[] = [];
  /** The first button that has only the number of another page. */
  let numbered: MoreButton | undefined;
  let selector = '';
  let shown = '';
  let isCurrent = false;
  /** What a button without text is called. */
  let called = '';

  function check(label: string): void {
    const text = label.replace(/(\s|&nbsp;)+/g, ' ').trim();
    if (text.length > maxLabelLength) return;
    if (labels.test(text)) more ??= { text, selector };
    else if (formAt === 0 && pagingAt > 0 && nextLabel.test(text)) next ??= { text, selector };
  }

  /** Notes where an element is among those of the pages. */
  function enter(name: string, attributes: Attributes, depth: number): void {
    const at = depth - pagingAt;
    places.length = at;
    const parent = places[at - 1];
    if (!parent) {
      places = [{ selector: selectorOf(name, attributes), children: new Map() }];
      return;
    }
    const count = (parent.children.get(name) ?? 0) + 1;
    parent.children.set(name, count);
    places.push({ selector: `${parent.selector} > ${name}:nth-of-type(${count})`, children: new Map() });
  }

  return {
    get more(): MoreButton | undefined {
      return more;
    },
    get next(): MoreButton | undefined {
      return next ?? numbered;
    },
    open(name: string, attributes: Attributes, depth: number): void {
      if (name === 'form') formAt ||= depth;
      const { id = '', class: classes = '', 'aria-label': label = '' } = attributes;
      if (pagingAt === 0 && [id, classes, label].some((each) => paging.test(each))) pagingAt = depth;
      if (pagingAt > 0) enter(name, attributes, depth);
      if ((more && next) || buttonAt > 0 || !isButton(name, attributes)) return;
      selector = selectorOf(name, attributes);
      isCurrent = (attributes['aria-current'] ?? 'false') !== 'false';
      if (name === 'input') return check(attributes.value ?? '');
      buttonAt = depth;
      shown = '';
      called = label;
    },
    close(depth: number): void {
      if (depth === formAt) formAt = 0;
      if (depth === pagingAt) pagingAt = 0;
      if (depth !== buttonAt) return;
      buttonAt = 0;
      const number = shown.trim();
      const place = places[depth - pagingAt]?.selector ?? '';
      if (pagingAt > 0 && formAt === 0 && !isCurrent && /^\d{1,4}$/.test(number) && Number(number) > 1)
        numbered ??= { text: number, selector: selector.startsWith('#') ? selector : place };
      check(/\p{L}/u.test(shown) ? shown : called);
    },
    text(text: string): void {
      if (buttonAt > 0 && shown.length <= maxLabelLength * 4) shown += text;
    },
  };
}

/** A button that isn't visible or can't be pressed has nothing to load, and one that opens a part of the page has it already. */
function isButton(name: string, attributes: Attributes): boolean {
  const isNamed = name === 'button' || name === 'a' || (name === 'input' && attributes.type === 'button');
  if (!isNamed && attributes.role !== 'button') return false;
  const { href, style, hidden, disabled } = attributes;
  const isLink = name === 'a' && href !== undefined && !/^(#|javascript:|$)/i.test(href.trim());
  if (isLink || hidden !== undefined || disabled !== undefined) return false;
  if (/(^|;)\s*display\s*:\s*none/i.test(style ?? '')) return false;
  return ['aria-expanded', 'aria-controls', 'aria-haspopup'].every((name) => attributes[name] === undefined);
}

function selectorOf(name: string, { id, class: classes = '' }: Attributes): string {
  const isPlain = (text: string) => /^[a-z_][\w-]*$/i.test(text);
  if (id !== undefined && isPlain(id)) return `#${id}`;
  // Other buttons may share some of its classes.
  const own = classes.split(/\s+/).filter(isPlain).slice(0, maxClasses);
  return [name, ...own].join('.');
}
