/**
 * Returns the style sheet and the font of codicons with only the icons whose names are among `words`.
 * @param {{ css: string, font: Buffer }} codicons
 * @param {ReadonlySet<string>} words
 */
export function iconsNamed({ css, font }, words) {
  const codePoints = new Set();
  const rules = css.replaceAll(
    /^\.codicon-([a-z0-9-]+):before \{ content: "\\([0-9a-f]+)".*\n?/gm,
    (rule, name, code) => {
      if (!words.has(name)) return '';
      codePoints.add(Number.parseInt(code, 16));
      return rule;
    },
  );
  if (codePoints.size === 0) throw new Error('No icon was found in the style sheet of codicons.');
  return { css: rules, font: withGlyphsOf(font, codePoints) };
}

/**
 * Returns a TrueType font in which only the glyphs of `codePoints` have outlines. All glyphs stay, so that no other table changes.
 * @param {Buffer} font
 * @param {ReadonlySet<number>} codePoints
 */
export function withGlyphsOf(font, codePoints) {
  const tables = tablesOf(font);
  const view = (tag) => font.subarray(tables.get(tag).offset, tables.get(tag).offset + tables.get(tag).length);
  const [glyf, loca] = [view('glyf'), view('loca')];
  const isLong = view('head').readInt16BE(50) === 1;
  const count = view('maxp').readUInt16BE(4);
  const start = (glyph) => (isLong ? loca.readUInt32BE(glyph * 4) : loca.readUInt16BE(glyph * 2) * 2);

  const glyphs = glyphsOf(view('cmap'));
  const kept = new Set([0, ...[...codePoints].map((codePoint) => glyphs.get(codePoint) ?? 0)]);
  const outlines = [];
  const starts = Buffer.alloc((count + 1) * 4);
  let length = 0;
  for (let glyph = 0; glyph < count; glyph++) {
    starts.writeUInt32BE(length, glyph * 4);
    const outline = glyf.subarray(start(glyph), start(glyph + 1));
    if (!kept.has(glyph) || outline.length === 0) continue;
    if (outline.readInt16BE(0) < 0) throw new Error(`Glyph ${glyph} is made of others, which isn't supported.`);
    const padded = Buffer.alloc(Math.ceil(outline.length / 4) * 4);
    outline.copy(padded);
    outlines.push(padded);
    length += padded.length;
  }
  starts.writeUInt32BE(length, count * 4);

  const head = Buffer.from(view('head'));
  head.writeInt16BE(1, 50);
  const post = Buffer.from(view('post').subarray(0, 32));
  // Version 3: without the names of glyphs, which nothing shows.
  post.writeUInt32BE(0x00030000, 0);
  const changed = { glyf: Buffer.concat(outlines), loca: starts, head, post };
  return write([...tables.keys()].map((tag) => [tag, changed[tag] ?? view(tag)]));
}

function tablesOf(font) {
  const rows = Array.from({ length: font.readUInt16BE(4) }, (_, index) => 12 + index * 16);
  return new Map(
    rows.map((at) => [
      font.toString('latin1', at, at + 4),
      { offset: font.readUInt32BE(at + 8), length: font.readUInt32BE(at + 12) },
    ]),
  );
}

/** Code point -> glyph, from the subtable of the format that icon fonts have. */
function glyphsOf(cmap) {
  const subtables = Array.from({ length: cmap.readUInt16BE(2) }, (_, index) => cmap.readUInt32BE(8 + index * 8));
  const at = subtables.find((offset) => cmap.readUInt16BE(offset) === 4);
  if (at === undefined) throw new Error('The font has no table of characters in format 4.');
  const glyphs = new Map();
  const segments = cmap.readUInt16BE(at + 6) / 2;
  const [ends, starts] = [at + 14, at + 16 + segments * 2];
  const [deltas, offsets] = [starts + segments * 2, starts + segments * 4];
  for (let segment = 0; segment < segments; segment++) {
    const offset = cmap.readUInt16BE(offsets + segment * 2);
    const first = cmap.readUInt16BE(starts + segment * 2);
    for (let code = first; code <= cmap.readUInt16BE(ends + segment * 2) && code < 0xffff; code++) {
      const delta = cmap.readInt16BE(deltas + segment * 2);
      const glyph = offset === 0 ? code : cmap.readUInt16BE(offsets + segment * 2 + offset + (code - first) * 2);
      if (glyph !== 0) glyphs.set(code, (glyph + delta) & 0xffff);
    }
  }
  return glyphs;
}

function write(tables) {
  const header = Buffer.alloc(12 + tables.length * 16);
  header.writeUInt32BE(0x00010000, 0);
  header.writeUInt16BE(tables.length, 4);
  const power = Math.floor(Math.log2(tables.length));
  header.writeUInt16BE(2 ** power * 16, 6);
  header.writeUInt16BE(power, 8);
  header.writeUInt16BE(tables.length * 16 - 2 ** power * 16, 10);
  const bodies = [];
  let offset = header.length;
  for (const [index, [tag, content]] of tables.entries()) {
    const body = Buffer.alloc(Math.ceil(content.length / 4) * 4);
    content.copy(body);
    let sum = 0;
    for (let at = 0; at < body.length; at += 4) sum = (sum + body.readUInt32BE(at)) >>> 0;
    header.write(tag, 12 + index * 16, 'latin1');
    header.writeUInt32BE(sum, 16 + index * 16);
    header.writeUInt32BE(offset, 20 + index * 16);
    header.writeUInt32BE(content.length, 24 + index * 16);
    bodies.push(body);
    offset += body.length;
  }
  return Buffer.concat([header, ...bodies]);
}
