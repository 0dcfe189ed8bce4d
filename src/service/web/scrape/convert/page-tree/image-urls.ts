import type { Attributes } from './page-tree.ts';
import { srcsetUrls } from './urls.ts';

/** Characters of a URL, or of a set of them. */
const longest = 10_000;
/** Attributes that scripts copy into `src` once an image is near the window: they count more than a `src` that is a preview. */
const lateName = /^data-(?:src|srcset|original)$|lazy/;
/** Other attributes name an image only if `src` doesn't, and these only if no other does and they are data. */
const noName = /^(?:alt|title|class|id|style|src|srcset|sizes|usemap|longdesc)$|placeholder|thumb|small|tiny|blur/;
export const imageFile = /^[^\s{}[\]<>"']+\.(?:jpe?g|png|gif|webp|avif|svg|bmp|tiff?)(?:[?#]\S*)?$/i;
/** What files are called that are shown until the image is there. */
const standIn = new Set(
  'blank clear dummy empty gray grey lazy lazyload loader loading pixel placeholder spacer spinner trans transparent 1x1'.split(
    ' ',
  ),
);
const addition = /^(?:image|img|gif|icon|\d+(?:x\d+)?)$/;

/** Returns the URL of the image that an element shows in the end, as written; undefined if none is named. */
export function imageUrlOf(attributes: Attributes): string | undefined {
  const { src, srcset = '' } = attributes;
  const late = namedIn(attributes, (name, value) => lateName.test(name) && /[/.]/.test(value));
  if (late !== undefined || isShown(src)) return late ?? src;
  const other =
    srcsetUrls(srcset).find(isShown) ??
    namedIn(attributes, (name, value) => imageFile.test(value) && !noName.test(name)) ??
    // A preview is better than nothing.
    namedIn(attributes, (name, value) => imageFile.test(value) && name.startsWith('data-'));
  return other ?? (src?.trim() ? src : undefined);
}

/** Returns the first URL among the attributes for which `test` is true, of sets of images the largest. */
function namedIn(attributes: Attributes, test: (name: string, value: string) => boolean): string | undefined {
  for (const name in attributes) {
    const value = attributes[name]?.trim() ?? '';
    if (value.length > longest) continue;
    const url = name.endsWith('set') ? srcsetUrls(value)[0] : value;
    if (url !== undefined && isShown(url) && !/[\s{}<>]/.test(url) && test(name, url)) return url;
  }
  return undefined;
}

/** Whether a URL is that of an image rather than of what stands in for it. */
export function isShown(url: string | undefined): boolean {
  const written = url?.slice(0, longest).trim() ?? '';
  if (written === '' || /^(?:data:|about:|#)/i.test(written)) return false;
  const path = written.replace(/[?#].*$/s, '').toLowerCase();
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.[a-z]{3,4}$/, '');
  const words = name.split(/[-_.]/);
  return !(words.some((word) => standIn.has(word)) && words.every((word) => standIn.has(word) || addition.test(word)));
}
