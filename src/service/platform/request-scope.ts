import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

/** The request that is being answered. */
interface RequestScope {
  id: string;
  /** Work that a request has begun may go on after its answer, and is no longer its own. */
  answered: boolean;
}

const scopes = new AsyncLocalStorage<RequestScope>();

/** Returns the ID of the request that is being answered, if one is. */
export function currentRequestId(): string | undefined {
  const scope = scopes.getStore();
  return scope?.answered === false ? scope.id : undefined;
}

/** Returns the ID that a caller has given to a request, if it is fit for a log, or a new one. */
export function requestIdOf(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}

/**
 * Does the work of a request: what it logs has the request's ID.
 * @returns a function to be called when the request is answered
 */
export function inRequest(id: string, work: () => void): () => void {
  const scope: RequestScope = { id, answered: false };
  scopes.run(scope, work);
  return () => {
    scope.answered = true;
  };
}
