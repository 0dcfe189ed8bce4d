import { lazy } from '../../../platform/lazy.ts';
import type { Names } from './search-index.ts';
import { formsOf } from './words.ts';

/** What people call the things that the product's own texts are about: the words of a line are names for the same. Folders and crawls of users are searched without them. */
const lines = `
delete destroy stop end kill close terminate quit cancel remove dispose abort
run execute execution evaluate
code script snippet program
javascript js node nodejs
authenticate authentication authorization auth authorize bearer
maximum max limit biggest longest largest highest cap ceiling
lifetime ttl lifespan alive expire expiry duration last
inactive inactivity idle activityttl unused
field fields property attribute parameter param option setting argument
error fail failure exception problem wrong broken crash
response return answer reply returned
cost price charge charged bill billing pay expensive credit credits
keep persist save store retain remember survive preserve
concurrent parallel simultaneous simultaneously concurrently
webhook callback
signature verify forged genuine
month monthly historical
usage consumption statistics
acknowledge confirm ack
delay slow slower pause throttle
type datatype format
id identifier
required mandatory obligatory necessary
characters length chars
seconds unit
`;

/** Term -> the name of its group. */
export const ownNames = lazy((): Names => {
  const groups = lines.trim().split('\n');
  return new Map(
    groups.flatMap((line) => line.split(' ').map((word, _at, [name]) => [formsOf(word)[0] ?? '', `=${name}`] as const)),
  );
});
