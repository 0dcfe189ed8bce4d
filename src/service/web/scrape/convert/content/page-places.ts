import { type PageElement, walk } from '../page-tree/page-tree.ts';

/** Places of a page that are told apart. */
const maxPlaces = 200;
/** Elements that are often empty because they are anchors, icons, cells or parts of forms. */
const oftenEmpty = new Set(
  'a br hr wbr img input button select option textarea td th i b em strong source track area col'.split(' '),
);
/** Elements whose `id` is rarely just the target of a link. */
const blocks = new Set('div section article aside main ul ol dl table tbody output template figure'.split(' '));
/** Text that stands for what is to come: short, with an ellipsis at its end. */
const placeholder = /^[^\n]{0,40}(…|\.\.\.)$/;
const address = /^(https?:\/\/|\/)[^\s]+$/;

/**
 * Returns where the scripts of a page may put content, without what differs from page to page: empty elements, those with a
 * placeholder or an address in their data, custom elements, and templates.
 */
export function placesOf(root: PageElement): string[] {
  const places = new Set<string>();
  walk(root, (element) => {
    if (places.size >= maxPlaces) return false;
    const place = placeOf(element);
    if (place !== undefined) places.add(place);
    return true;
  });
  return [...places];
}

function placeOf({ name, attributes, children }: PageElement): string | undefined {
  if (name.includes('-')) return name;
  const data = Object.keys(attributes).filter((key) => key.startsWith('data-'));
  const loads = data.filter((key) => address.test(attributes[key] ?? ''));
  if (loads.length > 0) return `${name}[${steady(loads)}]`;
  if (attributes['aria-busy'] === 'true') return `${name}[busy]`;
  if (name !== 'template' && (oftenEmpty.has(name) || !isEmpty(children))) return undefined;
  const id = blocks.has(name) ? steady([attributes.id ?? '']) : '';
  const marks = `#${id}.${steady((attributes.class ?? '').split(/\s+/))}[${steady(data)}]`;
  return marks === '#.[]' ? undefined : name + marks;
}

function isEmpty(children: PageElement['children']): boolean {
  if (children.some((child) => typeof child !== 'string')) return false;
  const text = children.join('').trim();
  return text === '' || placeholder.test(text);
}

/** Names without those that have digits, which are often made up for a page. */
function steady(names: readonly string[]): string {
  return names
    .filter((name) => name !== '' && !/\d/.test(name))
    .sort()
    .join(' ');
}
