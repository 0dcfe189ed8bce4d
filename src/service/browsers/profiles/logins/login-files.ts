import * as z from 'zod';
import { type StorageState, type StoredCookie, storageState } from '../../../../contract/sessions/logins.ts';
import { shorten } from '../../../../contract/shorten.ts';
import { createTurn, inTurns } from '../../../platform/async.ts';
import { ServiceError } from '../../../platform/errors.ts';

/** Characters of a domain name. */
const maxDomain = 255;

/** A cookie as exported by browser extensions, Puppeteer and Playwright, which name its fields differently. */
const exportedCookie = z.object({
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
  _crHasCrossSiteAncestor: z.unknown().optional(),
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
    z.object({ cookies: anyList, origins: anyList.default([]) }),
    Array.isArray(value) ? { cookies: value } : value,
  );
  const turn = createTurn();
  const state: StorageState = { cookies: [], origins: [] };
  const addCookie = ([at, each]: [number, unknown]) =>
    state.cookies.push(storedCookie(checked(exportedCookie, each, `cookies.${at}`)));
  await inTurns(lists.cookies.entries(), addCookie, turn);
  for (const [at, each] of lists.origins.entries()) {
    if (turn.isOver) await turn.end();
    const { origin, localStorage: items } = checked(originOfItems, each, `origins.${at}`);
    const localStorage: z.output<typeof storedItem>[] = [];
    const addItem = ([position, item]: [number, unknown]) =>
      localStorage.push(checked(storedItem, item, `origins.${at}.localStorage.${position}`));
    await inTurns(items.entries(), addItem, turn);
    state.origins.push({ origin, localStorage });
  }
  return state;
}

const anyList = z.array(z.unknown());
const originOfItems = z.object({ ...storageState.shape.origins.element.shape, localStorage: anyList });
const storedItem = z.object({ name: z.string(), value: z.string() });

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

/** @param place where the value is in the file, if it isn't all of it */
function checked<Schema extends z.ZodType>(schema: Schema, value: unknown, place?: string): z.output<Schema> {
  const { data, error } = schema.safeParse(value);
  if (!error) return data as z.output<Schema>;
  const [issue] = error.issues;
  throw invalid(
    `The file has no login in a supported format: at ${shorten([place ?? [], issue?.path ?? []].flat().join('.'), 100) || 'the top'}, ${shorten(issue?.message ?? '')}.`,
  );
}

function invalid(message: string): ServiceError {
  return new ServiceError(400, message, { code: 'INVALID_LOGIN_FILE' });
}
