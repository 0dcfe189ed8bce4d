import * as z from 'zod';
import { type StorageState, type StoredCookie, storageState } from '../../../../contract/sessions/logins.ts';
import { shorten } from '../../../../contract/shorten.ts';
import { createTurn, inTurns, type Turn } from '../../../platform/async.ts';
import { ServiceError } from '../../../platform/errors.ts';

/** Characters of a domain name. */
const maxDomain = 255;

/** A cookie as exported by browser extensions, Puppeteer and Playwright, which name its fields differently. */
const exportedCookie = z.looseObject({
  name: z.string(),
  value: z.string(),
  domain: z.string().min(1).max(maxDomain),
  path: z.string().default('/'),
  expires: z.number().nullish(),
  expirationDate: z.number().nullish(),
  hostOnly: z.boolean().nullish(),
  httpOnly: z.boolean().nullish(),
  secure: z.boolean().nullish(),
  sameSite: z.string().nullish(),
  partitionKey: z.unknown().optional(),
});

const sameSites: Readonly<Record<string, StoredCookie['sameSite']>> = {
  strict: 'Strict',
  lax: 'Lax',
  none: 'None',
  no_restriction: 'None',
};

/**
 * Parses a file with a login: storageState JSON, a JSON array of cookies, or a Netscape `cookies.txt`.
 * Throws 400 with the place of the first mistake; messages never contain what the file says.
 */
export async function parseLogin(content: string): Promise<StorageState> {
  const text = content.replace(/^\ufeff/, '');
  return /^\s*[[{]/.test(text) ? await parseJson(text) : { cookies: await parseCookiesTxt(text), origins: [] };
}

async function parseJson(text: string): Promise<StorageState> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The reason quotes the file.
    throw invalid("The file isn't valid JSON. Export it again.");
  }
  const lists = checked(
    z.looseObject({ cookies: anyList, origins: anyList.default([]) }),
    Array.isArray(value) ? { cookies: value } : value,
  );
  const turn = createTurn();
  const cookies = await eachChecked(exportedCookie, lists.cookies, ['cookies'], turn);
  const origins: StorageState['origins'] = [];
  for (const { localStorage, ...rest } of await eachChecked(originOfItems, lists.origins, ['origins'], turn)) {
    if (turn.isOver) await turn.end();
    const path = ['origins', origins.length, 'localStorage'];
    origins.push({ ...rest, localStorage: await eachChecked(storedItem, localStorage, path, turn) });
  }
  return { cookies: cookies.map(storedCookie), origins };
}

const anyList = z.array(z.unknown());
const storedOrigin = storageState.shape.origins.element;
const originOfItems = storedOrigin.extend({ localStorage: anyList });
const storedItem = storedOrigin.shape.localStorage.element;

/** Checks one item of a list after another, up to the first mistake: a file may have a million of them. */
async function eachChecked<Schema extends z.ZodType>(
  schema: Schema,
  list: readonly unknown[],
  path: readonly PropertyKey[],
  turn: Turn,
): Promise<z.output<Schema>[]> {
  const found: z.output<Schema>[] = [];
  await inTurns(list, (item) => found.push(checked(schema, item, [...path, found.length])), turn);
  return found;
}

function storedCookie(cookie: z.output<typeof exportedCookie>): StoredCookie {
  const { name, value, domain, path, partitionKey } = cookie;
  const sameSite = sameSites[cookie.sameSite?.toLowerCase() ?? ''];
  const ancestor = cookie._crHasCrossSiteAncestor;
  return {
    name,
    value,
    path,
    domain: cookie.hostOnly === false && !domain.startsWith('.') ? `.${domain}` : domain,
    expires: cookie.expires ?? cookie.expirationDate ?? -1,
    httpOnly: cookie.httpOnly ?? false,
    secure: cookie.secure ?? false,
    ...(sameSite && { sameSite }),
    ...(typeof partitionKey === 'string' && { partitionKey }),
    ...(typeof ancestor === 'boolean' && { _crHasCrossSiteAncestor: ancestor }),
  };
}

const httpOnlyMark = '#HttpOnly_';

/** Seven fields a line: domain, whether subdomains get it, path, whether it is secure, expiry (0: session), name, value. */
async function parseCookiesTxt(text: string): Promise<StoredCookie[]> {
  const cookies: StoredCookie[] = [];
  await inTurns(text.split(/\r\n|\n|\r/).entries(), ([index, line]) => {
    const httpOnly = line.startsWith(httpOnlyMark);
    if (line.trim() === '' || (line.startsWith('#') && !httpOnly)) return;
    const fields = (httpOnly ? line.slice(httpOnlyMark.length) : line).split('\t');
    const [domain = '', subdomains = '', path = '', secure = '', expires = '', name = '', value = ''] = fields;
    const place = `Line ${index + 1} isn't a cookie`;
    // A cookie without a value may end before the last tab.
    if (fields.length !== 7 && fields.length !== 6)
      throw invalid(`${place}: expected 7 fields separated by tabs, got ${fields.length}.`);
    if (domain === '') throw invalid(`${place}: its first field, the domain, is empty.`);
    if (domain.length > maxDomain) throw invalid(`${place}: its first field is longer than a domain name.`);
    for (const [field, position] of [
      [subdomains, 'second'],
      [secure, 'fourth'],
    ] as const)
      if (!/^(?:true|false)$/i.test(field)) throw invalid(`${place}: its ${position} field isn't TRUE or FALSE.`);
    if (!/^-?\d{1,16}(?:\.\d+)?$/.test(expires))
      throw invalid(`${place}: its fifth field, the expiry, isn't a number.`);
    const host = domain.replace(/^\./, '');
    cookies.push({
      name,
      value,
      httpOnly,
      domain: subdomains.toUpperCase() === 'TRUE' ? `.${host}` : host,
      path: path || '/',
      expires: Number(expires) > 0 ? Number(expires) : -1,
      secure: secure.toUpperCase() === 'TRUE',
    });
  });
  if (cookies.length === 0) {
    throw invalid(
      'The file has no cookies. Expected storageState JSON, a JSON array of cookies, or cookies.txt with a line for each cookie.',
    );
  }
  return cookies;
}

/** @param path where the value is in the file */
function checked<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  path: readonly PropertyKey[] = [],
): z.output<Schema> {
  const { data, error } = schema.safeParse(value);
  if (!error) return data as z.output<Schema>;
  const [issue] = error.issues;
  throw invalid(
    `The file has no login in a supported format: at ${shorten([...path, ...(issue?.path ?? [])].join('.'), 100) || 'the top'}, ${shorten(issue?.message ?? '')}.`,
  );
}

function invalid(message: string): ServiceError {
  return new ServiceError(400, message, { code: 'INVALID_LOGIN_FILE' });
}
