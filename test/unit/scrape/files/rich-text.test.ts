import assert from 'node:assert/strict';
import { lines, read } from './read.ts';

const fonts = String.raw`{\fonttbl{\f0 Arial;}{\f1\fcharset204 Arial Cyr;}{\f2\fcharset128 Gothic;}{\f3\fcharset2 Symbol;}{\f4\fcharset0\cpg1253 Greek;}}`;
const rtf = async (body: string) => {
  const file = String.raw`{\rtf1\ansi\ansicpg1252\deff0${fonts}${body}}`;
  return lines(await read(Buffer.from(file, 'latin1')));
};

describe('documents in Rich Text Format', () => {
  it('keep the URLs of links, however the field is written', async () => {
    for (const instruction of [
      String.raw`{\*\fldinst{HYPERLINK "https://site.test/a"}}`,
      String.raw`{\*\fldinst HYPERLINK "https://site.test/a" \\o "A tip"}`,
      String.raw`{\*\fldinst {\rtlch {\ltrch  HYPERLINK }}{\b "https://site.}{test/a" }}`,
      String.raw`{\*\fldinst{hyperlink https://site.test/a }}`,
    ]) {
      assert.deepEqual(await rtf(String.raw`\pard Read {\field${instruction}{\fldrslt{\ul th}{is}}} now\par`), [
        'Read [this](https://site.test/a) now',
      ]);
    }
    assert.deepEqual(
      await rtf(
        String.raw`\pard {\field{\*\fldinst HYPERLINK \\l "top"}{\fldrslt up}} {\field{\*\fldinst{HYPERLINK "javascript:x()"}}{\fldrslt bad}} {\field{\*\fldinst PAGE}{\fldrslt 3}}\par`,
      ),
      ['up bad 3'],
    );
  });

  it('keep lists, numbered or not, nested or not, with or without written marks', async () => {
    const list = String.raw`\pard{\listtext\bullet\tab}\ls1 apples\par{\listtext\f3\'b7\tab}pears\par{\listtext 1)\tab}\ilvl1 inner\par\pard after\par`;
    assert.deepEqual(await rtf(list), ['- apples', '- pears', '  1. inner', 'after']);
    const tables = String.raw`{\*\listtable{\list{\listlevel\levelnfc0}{\listlevel\levelnfc23}\listid7}{\list{\listlevel\levelnfc23}\listid8}}{\*\listoverridetable{\listoverride\listid7\ls2}{\listoverride\listid8\ls3}}`;
    assert.deepEqual(await rtf(String.raw`${tables}\pard\ls2 one\par two\par\pard\ls3 dot\par\pard end\par`), [
      '1. one',
      '2. two',
      '- dot',
      'end',
    ]);
    assert.deepEqual(
      await rtf(
        String.raw`{\pntext 3.\tab}\pard{\*\pn\pnlvlbody\pnstart3}third\par{\pntext 4.\tab}\pard{\*\pn\pnlvlcont}fourth\par`,
      ),
      ['3. third', '4. fourth'],
    );
  });

  it('are decoded by the code pages of their fonts', async () => {
    assert.deepEqual(
      await rtf(String.raw`\pard{\f1 \'cf\'f0\'e8\'e2\'e5\'f2} {\f4\'c1}\par\pard\f2 \'83A\'83\'7e\plain  \'e9\par`),
      ['Привет Α', 'アミ é'],
    );
  });

  it('leave deleted text out', async () => {
    assert.deepEqual(await rtf(String.raw`\pard{\deleted gone }kept \deleted also \deleted0 this{\revised  new}\par`), [
      'kept this new',
    ]);
  });

  it('list their notes at the end', async () => {
    assert.deepEqual(
      await rtf(
        String.raw`\pard Words{\super\chftn{\footnote\pard\plain {\super\chftn} One {\i note}\par two}} go on{\footnote\ftnalt End}.\par`,
      ),
      ['Words<sup>[1]</sup> go on<sup>[2]</sup>.', '1. One *note*', '   two', '2. End'],
    );
  });

  it('keep the columns of tables with merged cells', async () => {
    const row = (edges: number[], cells: string[]) =>
      String.raw`\trowd${edges.map((edge) => `\\cellx${edge}`).join('')}\pard\intbl ${cells.map((cell) => `${cell}\\cell `).join('')}\row`;
    assert.deepEqual(
      await rtf(`${row([100, 200, 300], ['A', 'B', 'C'])}${row([200, 300], ['AB', 'D'])}\\pard after\\par`),
      ['| A | B | C |', '| --- | --- | --- |', '| AB | | D |', 'after'],
    );
  });

  it('have equations as text', async () => {
    const equation = String.raw`{\mmath{\*\moMath{\mr A=}{\mf{\mfPr{\mctrlPr\f1 x}}{\mnum{\mr a+b}}{\mden{\mr 2}}}{\msSup{\me{\mr x}}{\msup{\mr 2}}}}}`;
    assert.deepEqual(await rtf(String.raw`\pard Area: ${equation}.\par`), ['Area: A=a+b/2x^2.']);
  });

  it('say which images, embedded objects and comments are not read', async () => {
    const picture = String.raw`{\*\shppict{\pict 0123}}{\nonshppict{\pict 0123}}`;
    const comment = String.raw`{\*\atnid A}{\*\atnauthor Ana}\chatn{\*\annotation{\*\atnref 1}Check this.}`;
    const header = String.raw`{\header{\*\shppict{\pict 0123}}{\object{\objdata 00}}}`;
    assert.equal((await read(Buffer.from(String.raw`{\rtf1${header}\pard x\par}`))).warning, undefined);
    for (const [what, said] of [
      [String.raw`{\pict 0123}{\object{\objdata 00}}`, 'images and embedded objects'],
      [picture, 'images'],
      [comment, 'comments'],
    ] as const) {
      const result = await read(Buffer.from(String.raw`{\rtf1\pard x${what}\par}`));
      assert.equal(result.markdown, 'x');
      assert.equal(result.warning, `The file has ${said}, which aren't read.`);
    }
  });

  it('have the headings of their styles', async () => {
    const styles = String.raw`{\stylesheet{\s0 Normal;}{\s1\outlinelevel0\b Chapter;}{\s2 heading 2;}{\*\cs15 heading 3 Char;}}`;
    const found = await rtf(
      String.raw`${styles}\pard\s1 One\par\pard\s2 Two\par\pard\plain\s0 Text\par\pard\cs15 Word\par`,
    );
    assert.deepEqual(found, ['# One', '## Two', 'Text', 'Word']);
  });

  it('show what is raised, lowered or struck, and nothing of the index', async () => {
    assert.deepEqual(
      await rtf(
        String.raw`\pard H{\sub 2}O m\super 2\nosupersub  {\strike old}{\xe {\v tea}}{\tc entry} {\upr{ansi}{\*\ud{\u20013?}}}\par`,
      ),
      ['H<sub>2</sub>O m<sup>2</sup> ~~old~~ 中'],
    );
  });

  it('have lists and tables in their cells', async () => {
    const row = String.raw`\trowd\cellx1000\cellx2000\pard\intbl`;
    const item = (text: string) => String.raw`{\listtext\bullet\tab}\ls1 ${text}`;
    const inner = String.raw`\pard\intbl\itap2 in\nestcell out\nestcell{\*\nesttableprops\trowd\cellx500\cellx900\nestrow}\pard\intbl`;
    assert.deepEqual(
      await rtf(
        String.raw`${row} A\cell B\cell\row${row}${item('x')}\par ${item('y')}\cell\pard\intbl c\par d\cell\row${row}${inner} e\cell f\cell\row\pard end\par`,
      ),
      ['| A | B |', '| --- | --- |', '| - x<br>- y | c<br>d |', '| in<br>out<br>e | f |', 'end'],
    );
    // The mark of an item may have properties of its own.
    const marked = (text: string) => String.raw`\pard\plain\intbl{\listtext\pard\plain \bullet\tab}\ls1 ${text}`;
    const rows = String.raw`${row} A\cell B\cell\row${row}${marked('x')}\par ${marked('y')}\cell\pard\intbl c\cell\row\pard`;
    assert.deepEqual(await rtf(rows), ['| A | B |', '| --- | --- |', '| - x<br>- y | c |']);
  });

  it('have lists that start where their table says', async () => {
    const tables = String.raw`{\*\listtable{\list{\listlevel\levelnfc0\levelstartat3}\listid7}}{\*\listoverridetable{\listoverride\listid7\ls1}}`;
    assert.deepEqual(await rtf(String.raw`${tables}\pard\ls1 three\par four\par\pard end\par`), [
      '3. three',
      '4. four',
      'end',
    ]);
  });

  it('have the symbols of fonts that have them in the place of letters', async () => {
    assert.deepEqual(
      await rtf(
        String.raw`\pard Angle {\f3 a\'62} {\f3\u-3999 ?} {\field{\*\fldinst{\f3 HYPERLINK "https://site.test/"}}{\fldrslt x}}\par`,
      ),
      ['Angle αβ α [x](https://site.test/)'],
    );
  });

  it('have the text of boxes after their paragraph, once, and none of deleted ones', async () => {
    const box = String.raw`{\shp{\*\shpinst{\sp{\sn x}{\sv 1}}{\shptxt\pard\ql Boxed\par}}{\shprslt{\pard old\par}}}`;
    assert.deepEqual(
      await rtf(String.raw`\pard{\listtext\bullet\tab}\ls1 Item${box}\par\pard Text{\deleted ${box}}\par`),
      ['- Item', 'Boxed', 'Text'],
    );
  });

  it('link to a place in a page', async () => {
    assert.deepEqual(
      await rtf(String.raw`\pard {\field{\*\fldinst{HYPERLINK "https://site.test/a" \\l "part"}}{\fldrslt x}}\par`),
      ['[x](https://site.test/a#part)'],
    );
  });
});
