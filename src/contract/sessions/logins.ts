import * as z from 'zod';
import { endpoint, sessionErrors } from '../endpoints/endpoint.ts';
import { dateTime, ownResponse, requestBody, responseBody } from '../fields.ts';
import { profile, sessionParams } from './sessions.ts';

/** A cookie as in Playwright's `storageState`. */
const storedCookie = z.looseObject({
  name: z.string(),
  value: z.string(),
  /** With a leading dot if subdomains get it, too. */
  domain: z.string().min(1),
  path: z.string(),
  /** Seconds since 1970; -1 for a session cookie. */
  expires: z.number(),
  httpOnly: z.boolean(),
  secure: z.boolean(),
  sameSite: z.enum(['Strict', 'Lax', 'None']).optional(),
  /** The top-level site that a partitioned cookie is for. */
  partitionKey: z.string().optional(),
  _crHasCrossSiteAncestor: z.boolean().optional(),
});
export type StoredCookie = z.output<typeof storedCookie>;

/** What keeps a login, in the form of Playwright's `storageState`: cookies, and the local storage of origins. */
export const storageState = z.looseObject({
  cookies: z.array(storedCookie),
  origins: z.array(
    z.looseObject({
      origin: z.string().max(2_000),
      localStorage: z.array(z.looseObject({ name: z.string(), value: z.string() })),
    }),
  ),
});
export type StorageState = z.output<typeof storageState>;

/** A site for which a login is kept. */
export const loginSite = responseBody({
  site: z.string(),
  cookies: z.number(),
  /** When the first and the last of its cookies expire; absent if all are session cookies. */
  firstExpiry: dateTime.optional(),
  lastExpiry: dateTime.optional(),
});
export type LoginSite = z.output<typeof loginSite>;

const content = z.string().min(1);
const { name } = profile.shape;

/** Endpoints that only the embedded service has: logins into profiles, and out of them. */
export const loginEndpoints = {
  readLogin: endpoint('POST', '/embedded/logins/read', {
    summary: 'List the sites in a login file: storageState JSON, a JSON export of cookies, or cookies.txt',
    body: requestBody({ content }),
    response: ownResponse({ sites: z.array(loginSite) }),
  }),
  importLogin: endpoint('POST', '/embedded/logins/import', {
    summary: 'Add a login from a file to a profile; `sites` limits it to these',
    body: requestBody({ name, content, sites: z.array(z.string()).optional() }),
    response: ownResponse({ cookies: z.number(), rejected: z.number() }),
    errors: { 409: 'A session is writing to this profile', 502: 'The browser did not start' },
    respondsWithin: 90,
  }),
  exportLogin: endpoint('POST', '/embedded/logins/export', {
    summary: 'Read the login of a profile as storageState',
    body: requestBody({ name }),
    response: ownResponse({ state: storageState }),
    errors: { 404: 'No such profile', 502: 'The browser did not start' },
    respondsWithin: 90,
  }),
  saveLogin: endpoint('POST', '/embedded/browser/:sessionId/save-login', {
    summary: 'Add the login of an open session to a profile; the session stays open',
    params: sessionParams,
    body: requestBody({ name }),
    response: ownResponse({ cookies: z.number(), rejected: z.number() }),
    errors: { ...sessionErrors, 409: 'A session is writing to this profile' },
    respondsWithin: 90,
  }),
} as const;
