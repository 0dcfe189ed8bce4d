import { orAborted } from '../../../platform/async.ts';
import { GridError, type GridSession } from './grid-client.ts';

export interface BrowserRequestsOptions {
  /** Asks the grid for a browser. */
  ask(signal: AbortSignal): Promise<GridSession>;
  /** Ends a browser that nobody waits for. */
  end(session: GridSession): void;
  /** How long a request may be in the queue altogether, in milliseconds. */
  limitMs: number;
}

interface Request {
  answer: Promise<GridSession>;
  claimed: boolean;
}

/** Requests for browsers that wait in a grid's queue. */
export function createBrowserRequests({ ask, end, limitMs }: BrowserRequestsOptions) {
  const waiting = new Set<Request>();
  const closing = new AbortController();

  function send(): Request {
    const limit = AbortSignal.timeout(limitMs);
    const answer = ask(AbortSignal.any([limit, closing.signal])).catch((error: unknown) => {
      throw error === limit.reason ? new GridError('full', 'It had no browser in time.', error) : error;
    });
    const request: Request = { answer, claimed: true };
    waiting.add(request);
    answer
      .then((session) => {
        if (!request.claimed) end(session);
      })
      .catch(() => undefined)
      .finally(() => waiting.delete(request));
    return request;
  }

  return {
    /**
     * Waits for a browser until the signal aborts. A request whose caller no longer waits keeps its place in the queue for the
     * next caller.
     */
    async claim(signal: AbortSignal): Promise<GridSession> {
      signal.throwIfAborted();
      const request = [...waiting].find(({ claimed }) => !claimed) ?? send();
      request.claimed = true;
      const giveUp = () => {
        request.claimed = false;
      };
      signal.addEventListener('abort', giveUp, { once: true });
      return await orAborted(request.answer, signal).finally(() => signal.removeEventListener('abort', giveUp));
    },
    /** Takes all requests back. */
    close: (): void => closing.abort(),
  };
}
