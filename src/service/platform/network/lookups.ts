import { shorten } from '../../../contract/shorten.ts';
import { type Asker, currentAsker } from '../asker.ts';
import { createHoldings, mayHave } from '../turns.ts';
import type { Address, Resolve } from './address-policy/address-policy.ts';

/**
 * Look-ups at the same time: of all, of one team, of one request, job or session, and how many more teams may have one that
 * have none. The system makes them, since it knows the
 * hosts file and the names of the local network: each takes a thread for as long as no name server answers. `start.ts` sets how
 * many there are; those that remain are for the service's own connections.
 */
const most = { all: 10, team: 7, work: 4, more: 2 } as const;
/** Whoever wants to connect waits for about as long. */
const longestWaitMs = 15_000;

/**
 * Makes look-ups share their number: names whose servers don't answer hold up who asked for them, and not others.
 * @param waitMs how long a look-up waits for its turn
 */
export function shareLookups(resolve: Resolve, waitMs = longestWaitMs): Resolve {
  const underWay = new Map<string, Promise<Address[]>>();
  const waiting = new Set<{ asker: Asker; begin(): void }>();
  const [ofTeams, ofWorks] = [createHoldings(), createHoldings()];
  const workOf = ({ team, work }: Asker) => `${team} ${work}`;

  const mayBegin = (asker: Asker) =>
    mayHave(ofTeams, asker.team, most.all, most.more) &&
    ofTeams.of(asker.team) < most.team &&
    ofWorks.of(workOf(asker)) < most.work;

  function count(asker: Asker, by: number): void {
    ofTeams.change(asker.team, by);
    ofWorks.change(workOf(asker), by);
  }

  /** Teams that have the fewest look-ups come first, however many names another one waits for. */
  function beginNext(): void {
    const heldBy = ({ asker }: { asker: Asker }) => ofTeams.of(asker.team);
    for (;;) {
      const [first, ...others] = [...waiting].filter(({ asker }) => mayBegin(asker));
      if (!first) return;
      others.reduce((least, next) => (heldBy(next) < heldBy(least) ? next : least), first).begin();
    }
  }

  function begin(host: string, asker: Asker): Promise<Address[]> {
    const found = resolve(host).finally(() => {
      underWay.delete(host);
      count(asker, -1);
      beginNext();
    });
    count(asker, 1);
    underWay.set(host, found);
    return found;
  }

  return (host) => {
    const known = underWay.get(host);
    if (known) return known;
    const asker = currentAsker() ?? { team: '', work: host };
    if (mayBegin(asker)) return begin(host, asker);
    return new Promise((found, failed) => {
      const next = {
        asker,
        begin() {
          waiting.delete(next);
          clearTimeout(timer);
          found(underWay.get(host) ?? begin(host, asker));
        },
      };
      const timer = setTimeout(() => {
        waiting.delete(next);
        const message = `${shorten(host, 100)} wasn't looked up in time: name servers don't answer for other hosts.`;
        failed(Object.assign(new Error(message), { code: 'ETIMEDOUT', syscall: 'getaddrinfo' }));
      }, waitMs).unref();
      waiting.add(next);
    });
  };
}
