import { decodeHTML, escapeText } from 'entities';
import type { Product } from '../../../../../contract/scrape/product.ts';
import { type Data, isData, isType, parsed, subjectsIn, textOf } from '../notes/linked-data.ts';
import type { Item } from '../notes/microdata.ts';
import { elementOf, lettersOf, type PageElement, textOf as textIn } from '../page-tree/page-tree.ts';
import type { PageUrls } from '../page-tree/urls.ts';

type Variant = Product['variants'][number];
type Price = NonNullable<Variant['price']>;
type Option = Readonly<{ name: string; values: string[] }>;

const maxVariants = 200;
const options = ['color', 'size', 'material', 'pattern', 'suggestedAge', 'suggestedGender'] as const;
/** Characters by which a text is recognized on the page. */
const comparedLength = 60;
/** Characters of the values of an option that are listed. */
const maxListed = 1000;
const schemaOrg = /^https?:\/\/schema\.org\//;
const inStock = /(InStock|LimitedAvailability|OnlineOnly|InStoreOnly)$/i;
const listPrice = /(ListPrice|StrikethroughPrice|MSRP|RegularPrice)$/i;

/**
 * Returns the product in a page's JSON-LD, or else in its microdata (schema.org's Product or ProductGroup); undefined if there
 * is none, or several of which no one is the page's.
 */
export function productOf(
  linkedData: readonly string[],
  microdata: readonly Item[],
  urls: PageUrls,
  page: string,
): Product | undefined {
  const named = (data: readonly unknown[]) =>
    data
      .flatMap((each) => subjectsIn(each))
      .filter((each) => (isType(each, 'Product') || isType(each, 'ProductGroup')) && textOf(each.name) !== undefined);
  const declared = named(linkedData.map(parsed));
  const found = declared.length > 0 ? declared : named(microdata);
  const names = new Set(found.map(({ name }) => textOf(name)));
  const own =
    names.size === 1
      ? found
      : found.filter(({ url }) => textOf(url) !== undefined && urls.link(textOf(url) ?? '') === page);
  // Of several descriptions of one product, the most detailed one.
  const [data] = own.sort((one, other) => JSON.stringify(other).length - JSON.stringify(one).length);
  if (!data) return undefined;
  const inner = listOf(data.hasVariant).filter((each) => isType(each, 'Product'));
  const variants = inner.length > 0 ? inner.flatMap((each) => variantsOf(each, urls)) : variantsOf(data, urls);
  const url = urls.link(textOf(data.url) ?? '') ?? page;
  return without({
    title: textOf(data.name) ?? '',
    brand: nameOf(data.brand) ?? nameOf(data.manufacturer),
    category: categoryOf(data.category),
    url: url === '' ? undefined : url,
    description: textOf(data.description),
    variants: variants.slice(0, maxVariants),
  });
}

/** Puts the name of a product before the content of its page, and its price, options and description after it, as far as that lacks them. */
export function withMissingParts(
  { title, description, variants }: Product,
  content: readonly PageElement[],
): PageElement[] {
  const text = decodeHTML(content.map((each) => textIn(each, ' ')).join(' '));
  const letters = lettersOf(text);
  const lacks = (words: string) => !letters.includes(lettersOf(words).slice(0, comparedLength));
  const isLacking = (price: Variant['price']) => price != null && lacks(String(price.amount));
  const [first] = variants.flatMap(({ price }) => price ?? []);
  const prices = variants.some(({ price }) => isLacking(price)) ? pricesOfVariants(variants) : [];
  const amount = prices.length === 0 && first && isLacking(first) && textOfPrice(first);
  const missing = optionsOf(variants).filter(({ name, values }) => {
    if (name !== '') return !hasInRow(wordsOf(text), values);
    return prices.length === 0 && !values.every((each) => letters.includes(lettersOf(each)));
  });
  const lines = [amount, ...[...missing, ...prices].map(lineOf), description && lacks(description) && description]
    .filter((line) => typeof line === 'string')
    .map((line) => partOf('p', line));
  return [...(lacks(title) ? [partOf('h1', title)] : []), ...content, ...lines];
}

/** Options of variants, or, if nothing else is known of these, their names. */
function optionsOf(variants: readonly Variant[]): Option[] {
  const found = options.flatMap((key) => {
    const words = key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    const values = variants.map(({ values }) => values?.[key]);
    return optionOf(words.charAt(0).toUpperCase() + words.slice(1), values);
  });
  const titles = variants.map(({ title }) => title);
  return found.length > 0 ? found : optionOf('', titles);
}

/** What each variant costs, if that differs and each has a name of its own. */
function pricesOfVariants(variants: readonly Variant[]): Option[] {
  const byName = new Map<string, Price>();
  for (const { title, values, price } of variants) {
    const name =
      Object.values(values ?? {})
        .join(' / ')
        .replace(schemaOrg, '') || title;
    if (name && price) byName.set(name, price);
  }
  const isSame = new Set([...byName.values()].map(({ amount }) => amount)).size < 2;
  if (isSame || byName.size < variants.length) return [];
  return [{ name: 'Prices', values: [...byName].map(([name, price]) => `${name} ${textOfPrice(price)}`) }];
}

function textOfPrice({ amount, currency }: Price): string {
  return [amount, currency].filter(Boolean).join(' ');
}

/** An option, if it has several values that say something to readers, as numbers of colors and what scripts replace don't. */
function optionOf(name: string, all: readonly unknown[]): Option[] {
  const texts = new Set(all.flatMap((each) => textOf(each)?.replace(schemaOrg, '') ?? []));
  const values = [...texts].filter((each) => /[\p{L}\p{N}]/u.test(each) && !/#[\da-f]{6}\b|\{\{/i.test(each));
  return values.length < 2 ? [] : [{ name, values }];
}

/** Whether words have all of these values one after the other, in any order. */
function hasInRow(words: string, values: readonly string[]): boolean {
  const own = values.map(wordsOf);
  const longestFirst = own.map((each) => each.trim()).sort((one, other) => other.length - one.length);
  const rows = words.match(new RegExp(`(?: (?:${longestFirst.join('|')})(?= ))+`, 'gu')) ?? [];
  return rows.some((row) => own.every((each) => `${row} `.includes(each)));
}

/** The words of a text, in lower case, each between spaces. */
function wordsOf(text: string): string {
  return lettersOf(` ${text} `, ' ');
}

function lineOf({ name, values }: Option): string {
  const shown = values.filter((_, at) => at === 0 || values.slice(0, at + 1).join('').length <= maxListed);
  const list = shown.join(values.some((value) => value.includes(',')) ? '; ' : ', ');
  const more = values.length > shown.length ? ` (and ${values.length - shown.length} more)` : '';
  return `${name && `${name}: `}${list}${more}`;
}

function partOf(name: string, text: string): PageElement {
  const part = elementOf(name);
  part.children.push(escapeText(text));
  return part;
}

function variantsOf(data: Data, urls: PageUrls): Variant[] {
  const offers = listOf(data.offers).flatMap((offer) =>
    listOf(offer.offers).length > 0 ? listOf(offer.offers) : [offer],
  );
  return (offers.length > 0 ? offers : [{}]).map((offer: Data) => {
    const item = listOf(offer.itemOffered)[0] ?? {};
    const values = Object.fromEntries(
      options.flatMap((name) => {
        const value = nameOf(item[name] ?? data[name]);
        return value === undefined ? [] : [[name, value]];
      }),
    );
    const images = [item.image ?? data.image].flat().flatMap((image) => imageOf(image, urls));
    const available = textOf(offer.availability);
    const prices = pricesOf(offer);
    return without({
      id: textOf(data.productID) ?? textOf(data['@id']),
      sku: textOf(offer.sku) ?? textOf(item.sku) ?? textOf(data.sku),
      title: textOf(offer.name) ?? textOf(item.name) ?? textOf(data.name),
      values: Object.keys(values).length > 0 ? values : undefined,
      price: prices.current,
      sale: prices.original && { originalPrice: prices.original },
      availability: without({
        inStock: available !== undefined && inStock.test(available),
        text: available?.replace(schemaOrg, ''),
      }),
      images: images.length > 0 ? images : undefined,
    });
  });
}

function pricesOf(offer: Data): { current: Price | undefined; original: Price | undefined } {
  const currency = textOf(offer.priceCurrency);
  const specified = listOf(offer.priceSpecification);
  const priceIn = (data: Data) => priceOf(data.price ?? data.lowPrice, textOf(data.priceCurrency) ?? currency);
  const isList = ({ priceType }: Data) => listPrice.test(textOf(priceType) ?? '');
  const current = priceIn(offer) ?? specified.filter((each) => !isList(each)).map(priceIn)[0];
  const original = specified.filter(isList).map(priceIn)[0];
  return { current, original: original && current && original.amount > current.amount ? original : undefined };
}

function priceOf(value: unknown, currency: string | undefined): Price | undefined {
  const text = textOf(value);
  const amount = Number(
    text
      ?.replace(/[^\d.,-]/g, '')
      .replace(/,(?=\d{3}\b)/g, '')
      .replace(',', '.'),
  );
  return text === undefined || text === '' || !Number.isFinite(amount) ? undefined : without({ amount, currency });
}

function imageOf(image: unknown, urls: PageUrls): NonNullable<Variant['images']> {
  const written = isData(image) ? textOf(image.url ?? image.contentUrl) : textOf(image);
  const url = written === undefined ? undefined : urls.link(written);
  return url === undefined
    ? []
    : [without({ url, alt: isData(image) ? textOf(image.caption ?? image.name) : undefined })];
}

function categoryOf(category: unknown): string | undefined {
  return Array.isArray(category) ? category.map(nameOf).filter(Boolean).join(' > ') || undefined : nameOf(category);
}

function nameOf(value: unknown): string | undefined {
  return isData(value) ? textOf(value.name) : textOf(Array.isArray(value) ? value[0] : value);
}

function listOf(value: unknown): Data[] {
  return [value].flat().filter(isData);
}

/** Leaves out fields without a value. */
function without<Fields extends object>(fields: { [Name in keyof Fields]: Fields[Name] | undefined }): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}
