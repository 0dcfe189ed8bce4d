/** A page of the corpus, with planted facts that its markdown must contain. */
export interface CorpusPage {
  html: string;
  facts: { kind: string; text: string }[];
  /** Words outside its main content, which the markdown must not contain. */
  boilerplate: string;
}

export interface CorpusOptions {
  pages: number;
  seed?: number;
  minBytes?: number;
  maxBytes?: number;
}

const words =
  'harbour lantern copper meadow signal gravel window orchard pepper timber velvet canyon marble ribbon saddle thunder walnut anchor basket candle desert engine fabric garden hammer island jacket kettle ladder magnet needle oyster parcel quarry rocket silver tunnel upland vessel wagon yellow zephyr bridge clover dragon ember falcon glacier'.split(
    ' ',
  );

/** Returns a generator of numbers between 0 and 1, the same for the same seed (mulberry32). */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Generates pages like those of documentation, blogs and shops, with tables, code, nested lists and images: 5 to 200 KB, evenly distributed on a logarithmic scale. */
export function corpus({ pages, seed = 1, minBytes = 5_000, maxBytes = 200_000 }: CorpusOptions): CorpusPage[] {
  const next = random(seed);
  return Array.from({ length: pages }, (_, index) => {
    const bytes = minBytes * (maxBytes / minBytes) ** (pages === 1 ? 0.5 : index / (pages - 1));
    return makePage(next, index, bytes, index % 10 !== 9, index % 20 !== 19);
  });
}

function makePage(next: () => number, index: number, bytes: number, structured: boolean, hasMenu: boolean): CorpusPage {
  const pick = () => words[Math.floor(next() * words.length)] ?? '';
  const sentence = (length: number) => {
    const text = Array.from({ length }, pick).join(' ');
    return `${text[0]?.toUpperCase()}${text.slice(1)}.`;
  };
  const link = () =>
    `<a href="/pages/${Math.floor(next() * 1000)}?ref=${pick()}" class="link external">${pick()} ${pick()}</a>`;
  const facts: CorpusPage['facts'] = [];
  const fact = (kind: string, text: string) => void facts.push({ kind, text });
  const boilerplate = `Surrounding${index}`;

  const parts: (() => string)[] = [
    () =>
      `<p class="text-base leading-7">${sentence(12)} ${link()} ${sentence(8)} <strong>${pick()}</strong> &amp; <em>${pick()}</em> ${sentence(14)}</p>`,
    () => `<p>${sentence(40)} ${sentence(25)}</p>`,
    () => {
      const name = `${pick()} ${pick()} ${facts.length}`;
      fact('heading', `## ${name}`);
      return `<h2 id="h${facts.length}"><a class="anchor" href="#h${facts.length}">#</a>${name}</h2>`;
    },
    () => {
      const cells = Array.from({ length: 4 }, () => `${pick()} ${Math.floor(next() * 1000)}`);
      fact('table', `| ${cells.join(' | ')} |`);
      const rows = [cells, ...Array.from({ length: 6 }, () => [pick(), pick(), pick(), pick()])];
      const body = rows.map(
        (row) => `<tr class="row">${row.map((cell) => `<td class="cell p-2">${cell}</td>`).join('')}</tr>`,
      );
      return `<table class="table"><thead><tr><th>One</th><th>Two</th><th>Three</th><th>Four</th></tr></thead><tbody>${body.join('\n')}</tbody></table>`;
    },
    () => {
      const lines = Array.from(
        { length: 8 },
        () => `  ${pick()}(${pick()} < ${Math.floor(next() * 99)} && "${pick()}");`,
      );
      const code = [`function ${pick()}() {`, ...lines.slice(0, 4), '', ...lines.slice(4), '}'].join('\n');
      fact('code', `\`\`\`ts\n${code}\n\`\`\``);
      const escaped = code.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
      return `<div class="highlight"><pre><code class="language-ts">${escaped}\n</code></pre></div>`;
    },
    () => {
      const deep = `${pick()} ${pick()} ${facts.length}`;
      fact('nested list', `- ${deep}`);
      return `<ul><li>${sentence(5)}<ul><li>${sentence(4)}<ul><li>${deep}</li></ul></li></ul></li><li>${link()} ${sentence(6)}</li></ul><ol><li>${pick()}</li><li>${sentence(3)}</li></ol>`;
    },
    () => {
      const target = `/target/${index}/${facts.length}`;
      fact('link', `(https://site.test${target})`);
      return `<p>${sentence(9)} <a href="${target}">${pick()}</a> ${sentence(6)} <code>${pick()}</code></p>`;
    },
    () =>
      `<blockquote><p>${sentence(20)}</p></blockquote><figure><img src="/images/${pick()}.png" alt="${pick()}" loading="lazy" width="640" height="360"><figcaption>${sentence(6)}</figcaption></figure>`,
  ];

  let content = '';
  for (let turn = 0; content.length < bytes * 0.8; turn++) content += `${parts[turn % parts.length]?.()}\n`;
  const menu = Array.from({ length: 30 }, () => `<li class="menu-item">${link()}</li>`).join('');
  const around = structured
    ? [
        `<header class="site-header"><p>${boilerplate}</p></header><nav><ul>${menu}</ul></nav><main><article>`,
        `</article></main><aside class="sidebar"><p>${boilerplate}</p><ul>${menu}</ul></aside><footer><p>${boilerplate}</p></footer>`,
      ]
    : [`<div class="outer">${hasMenu ? `<ul>${menu}</ul>` : ''}<div class="inner">`, '</div></div>'];
  const style = `<style>.x{color:red}</style><script>window.data = ${JSON.stringify(Array.from({ length: 40 }, pick))};</script>`;
  return {
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Page ${index}</title><meta name="description" content="${sentence(12)}">${style}</head><body>${around[0]}<h1>Page ${index}</h1>${content}${around[1]}${style}</body></html>`,
    facts,
    boilerplate,
  };
}
