import { decoded } from '../../../../contract/lenient-texts.ts';
import { inTurns } from '../../../platform/async.ts';
import type { MappedLink } from './known-site.ts';

/** Returns the links that match a search, best match first, and how many don't; all links if none match. */
export async function rankLinks(
  links: readonly MappedLink[],
  search: string,
): Promise<{ links: MappedLink[]; note: string | undefined }> {
  const words = (search.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, 50);
  const scored: { link: MappedLink; score: number }[] = [];
  await inTurns(links, (link) => {
    const text = decoded(`${link.url} ${link.title ?? ''} ${link.description ?? ''}`).toLowerCase();
    scored.push({ link, score: words.filter((word) => text.includes(word)).length });
  });
  const matching = scored.filter(({ score }) => score > 0).sort((one, other) => other.score - one.score);
  const shown = matching.length > 0 ? matching : scored;
  const left = links.length - shown.length;
  const note =
    matching.length === 0
      ? 'No URL, title or description contains a word of `search`, so all URLs are listed.'
      : `${left} of ${links.length} URLs contain no word of \`search\` and aren't listed.`;
  return { links: shown.map(({ link }) => link), note: left > 0 || matching.length === 0 ? note : undefined };
}
