import assert from 'node:assert/strict';
import { toLine } from '../../../../src/service/web/scrape/convert/files/pdf/lines.ts';
import { marksOf } from '../../../../src/service/web/scrape/convert/files/pdf/marks.ts';
import { directionsOf, type Piece } from '../../../../src/service/web/scrape/convert/files/pdf/pieces.ts';
import { type PdfPage, type PdfText, pdf } from '../../../harness/documents.ts';
import { lines, markdownOf, read } from './read.ts';

type Text = [x: number, y: number, text: string, size?: number];
const page = (...texts: Text[]): PdfText[] => texts.map(([x, y, text, size = 11]) => ({ x, y, text, size }));
/** Lines below each other, 14 points apart. */
const below = (x: number, y: number, texts: readonly string[], size = 11): PdfText[] =>
  texts.flatMap((text, index) => (text === '' ? [] : page([x, y - 14 * index, text, size])));
/** The lines of several columns as they are written line by line. */
const lineByLine = (...columns: PdfText[][]): PdfText[] =>
  columns.flat().sort((one, other) => other.y - one.y || one.x - other.x);
const pdfLines = async (...pages: (PdfText[] | PdfPage)[]) => lines(await read(pdf(pages)));

const left = [
  'The committee met in the spring',
  'and looked at the annual report',
  'of the harbour, which had grown',
  'by a tenth since the last year.',
  'It asked for more detail on the',
  'cost of the new northern quay.',
];
const right = [
  'The second half of the meeting',
  'was about the ferries, since the',
  'oldest of them has to be replaced',
  'before the coming winter starts.',
  'A decision is expected in June,',
  'when the numbers are complete.',
];
const title = page([60, 740, 'Minutes of the harbour committee of the town, in full', 20]);

describe('the layout of a PDF', () => {
  describe('with columns', () => {
    for (const [what, x, from] of [
      ['far apart', 320, 700],
      ['close to each other', 232, 700],
      ['on other lines', 320, 693],
    ] as const) {
      it(`${what} is read column by column, whatever the order of the file`, async () => {
        const columns = [below(60, 700, left), below(x, from, right)];
        const closing = page([
          60,
          560,
          'A closing line that goes over the whole width of the page, from left to right.',
        ]);
        const expected = [
          '# Minutes of the harbour committee of the town, in full',
          left.join(' '),
          right.join(' '),
          'A closing line that goes over the whole width of the page, from left to right.',
        ];
        assert.deepEqual(await pdfLines([...title, ...columns.flat(), ...closing]), expected);
        assert.deepEqual(await pdfLines([...title, ...lineByLine(...columns), ...closing]), expected);
      });
    }

    it('of which one is longer, or has a table, is read column by column', async () => {
      const table: Text[] = ['Item|Qty|Price', 'Tea|3|4.50', 'Cups|12|6.20'].flatMap((row, index) =>
        row.split('|').map((cell, column): Text => [80 + 50 * column, 590 - 18 * index, cell]),
      );
      const rest = ['Below the table the text goes on', 'and ends, lower than the right one.'];
      const columns = [...below(60, 700, left), ...page(...table), ...below(60, 520, rest)];
      assert.deepEqual(await pdfLines([...title, ...columns, ...below(300, 700, [...right, ...left])]), [
        '# Minutes of the harbour committee of the town, in full',
        left.join(' '),
        '| Item | Qty | Price |',
        '| --- | --- | --- |',
        '| Tea | 3 | 4.50 |',
        '| Cups | 12 | 6.20 |',
        rest.join(' '),
        [...right, ...left].join(' '),
      ]);
    });

    it('is read column by column where a table stands above the right one', async () => {
      const table: Text[] = ['Item|Qty|Price', 'Tea|3|4.50', 'Cups|12|6.20', 'Pots|2|16.00'].flatMap((row, index) =>
        row.split('|').map((cell, column): Text => [330 + 60 * column, 700 - 17 * index, cell]),
      );
      const columns = [...below(60, 700, [...left, ...right]), ...page(...table), ...below(330, 610, left)];
      assert.deepEqual(await pdfLines([...title, ...columns]), [
        '# Minutes of the harbour committee of the town, in full',
        [...left, ...right].join(' '),
        '| Item | Qty | Price |',
        '| --- | --- | --- |',
        '| Tea | 3 | 4.50 |',
        '| Cups | 12 | 6.20 |',
        '| Pots | 2 | 16.00 |',
        left.join(' '),
      ]);
    });

    it('of two lines are no table, nor are lists that go on in the next one', async () => {
      const [some, others] = [left.slice(0, 2), left.slice(2, 4)];
      assert.deepEqual(await pdfLines(lineByLine(below(60, 700, some), below(320, 700, others))), [
        [...some, ...others].join(' '),
      ]);
      for (const [first, second, shown] of [
        [
          ['\x95 a quay', '\x95 a shop'],
          ['\x95 a wall', '\x95 a church'],
          ['- a quay', '- a shop', '- a wall', '- a church'],
        ],
        [
          ['1. Open it', '2. Wait'],
          ['3. Close it', '4. Go home'],
          ['1. Open it', '2. Wait', '3. Close it', '4. Go home'],
        ],
      ] as const)
        assert.deepEqual(await pdfLines(lineByLine(below(60, 700, first), below(320, 700, second))), shown);
    });

    it('stand between titles that go over both', async () => {
      const second = 'The second part of the minutes, over the whole width';
      const texts = [
        ...title,
        ...lineByLine(below(60, 700, left), below(320, 700, right)),
        ...page([60, 590, second, 20]),
        ...lineByLine(below(60, 560, right), below(320, 560, left)),
      ];
      assert.deepEqual(
        await pdfLines(texts),
        [`# ${title[0]?.text}`, left, right, `# ${second}`, right, left].map((part) =>
          typeof part === 'string' ? part : part.join(' '),
        ),
      );
    });

    it('joins the sentence that goes on in the next one', async () => {
      const [first, second] = [left.slice(0, 3), [...left.slice(3), ...right]];
      assert.deepEqual(await pdfLines(lineByLine(below(60, 700, first), below(320, 700, second))), [
        [...first, ...second].join(' '),
      ]);
    });

    it('written from right to left starts with the right one', async () => {
      const words = (x: number, letters: string) =>
        [0, 1, 2, 3].map((row) => ({ x, y: 700 - 14 * row, size: 11, hebrew: true, text: letters }));
      // Glyphs are in the order in which they are seen.
      const text = await markdownOf(pdf([[...words(60, 'gd gd gd gd ba'), ...words(330, 'zh zh zh zh wh')]]));
      assert.ok(text.indexOf('\u05d7\u05d6') < text.indexOf('\u05d0\u05d1'), text);
    });
  });

  describe('with tables', () => {
    /** Rows of cells of several lines, 12 points apart; rows are further apart. */
    const table = (
      rows: readonly string[],
      align: 'top' | 'middle' | 'bottom',
      gap: number,
      places = [60, 160, 380],
    ): PdfText[] => {
      let y = 700;
      return rows.flatMap((row) => {
        const cells = row.split('|').map((cell) => cell.split('/'));
        const most = Math.max(...cells.map(({ length }) => length));
        const texts = cells.flatMap((cell, column) => {
          const free = (most - cell.length) * 12 * { top: 0, middle: 0.5, bottom: 1 }[align];
          return cell.map((text, index): Text => [places[column] ?? 0, y - free - 12 * index, text, 10]);
        });
        y -= 12 * most + gap;
        return page(...texts);
      });
    };
    const rows = [
      'Item|Description|Price',
      'Tea|A green tea from the hills, picked by hand/in the first week of April and dried in the/shade|4.50',
      'Coffee|Dark beans, roasted slowly for a long time/until they crack for the second time|6.20',
      'Cup|Plain|2.00',
    ];
    const expected = ['| Item | Description | Price |', '| --- | --- | --- |'].concat(
      rows.slice(1).map((row) => `| ${row.replaceAll('/', ' ').replaceAll('|', ' | ')} |`),
    );
    for (const align of ['top', 'middle', 'bottom'] as const) {
      it(`whose cells have several lines keeps their rows, aligned at the ${align}`, async () => {
        assert.deepEqual(await pdfLines(table(rows, align, 6)), expected);
      });
    }

    it('without space between rows goes by the first column, or by the lines that are drawn', async () => {
      assert.deepEqual(await pdfLines(table(rows, 'top', 0)), expected);
      const drawn = [709, 697, 661, 637].map((y) => `55 ${y} m 420 ${y} l S`).join('\n');
      assert.deepEqual(await pdfLines({ texts: table(rows, 'bottom', 0), drawn }), expected);
    });

    it('with the lines of a grid has its columns, however few the rows and close the cells', async () => {
      const texts = page([60, 700, 'Day'], [104, 700, 'Fare'], [60, 684, 'Sunday'], [104, 684, '12.50']);
      const lines = ['40 712 m 140 712 l', '40 696 m 140 696 l', '40 680 m 140 680 l'];
      const down = [40, 100, 140].map((x) => `${x} 680 m ${x} 712 l`);
      const drawn = (all: string[]) => all.map((line) => `${line} S`).join('\n');
      const expected = ['| Day | Fare |', '| --- | --- |', '| Sunday | 12.50 |'];
      assert.deepEqual(await pdfLines({ texts, drawn: drawn([...lines, ...down]) }), expected);
      const halves = lines.flatMap((line) => [line.replace('140', '100'), line.replace('40', '100')]);
      assert.deepEqual(await pdfLines({ texts, drawn: drawn([...halves, ...down]) }), expected);
      // A line beside numbered code or steps is no grid, nor are one beside some rows and lines that end at it.
      for (const others of [
        down,
        [...lines, '100 680 m 100 692 l'],
        [...lines.map((line) => line.replace('140', '100')), ...down],
      ])
        assert.notDeepEqual(await pdfLines({ texts, drawn: drawn(others) }), expected);
    });

    it('of text in all columns is a table if its rows are apart', async () => {
      const plans = [
        'Basic plan|Pro plan',
        'A small amount of space that suits/a person who writes a little|As much space as a whole team/needs, with copies for a month',
        'By mail within three days, on/weekdays only and in English|By telephone at any time, in/eight languages, with a person',
        'Free for a year, then two euros/a month for each of the seats|Eight euros a month for each/seat, and paid by the year',
      ];
      assert.deepEqual(
        (await pdfLines(table(plans, 'top', 8, [60, 260]))).filter((line) => line.startsWith('| ')).length,
        5,
      );
    });

    it('with numbers on the right and empty cells keeps its columns', async () => {
      const texts = page(
        [60, 700, 'Region'],
        [200, 700, '2024'],
        [300, 700, 'Change'],
        [60, 684, 'North'],
        [194, 684, '1,200'],
        [310, 684, '+9%'],
        [60, 668, 'South coast'],
        [207, 668, '80'],
        [310, 668, '+2%'],
        [194, 652, '1,280'],
      );
      assert.deepEqual(await pdfLines(texts), [
        '| Region | 2024 | Change |',
        '| --- | --- | --- |',
        '| North | 1,200 | +9% |',
        '| South coast | 80 | +2% |',
        '| | 1,280 | |',
      ]);
    });

    it('with a column of numbers or of the same letter keeps it', async () => {
      const rows = ['1|Anna|x', '2|Bo|x', '3|Cleo|x'].flatMap((row, index) =>
        row.split('|').map((cell, column): Text => [60 + 80 * column, 700 - 16 * index, cell]),
      );
      assert.deepEqual(await pdfLines(page(...rows)), [
        '| 1 | Anna | x |',
        '| --- | --- | --- |',
        '| 2 | Bo | x |',
        '| 3 | Cleo | x |',
      ]);
    });

    it('of decimals that are not numbers of sections keeps its columns', async () => {
      for (const rows of [
        ['1.2|3.4|5.6', '1.3|3.7|5.9', '2.2|4.4|6.6'],
        ['0.5|12.25', '1.0|13.75', '1.5|14.50'],
        ['1.1|12', '1.2|14', '1.3|9'],
      ]) {
        const cells = rows.flatMap((row, index) =>
          row.split('|').map((cell, column): Text => [60 + 80 * column, 700 - 16 * index, cell]),
        );
        const written = (await pdfLines(page(...cells))).filter((line) => !line.includes('---'));
        assert.deepEqual(
          written,
          rows.map((row) => `| ${row.replaceAll('|', ' | ')} |`),
        );
      }
      const titles = ['1.1|The old quay', '1.2|The new one', '1.3|Ferries'].flatMap((row, index) =>
        row.split('|').map((cell, column): Text => [60 + 40 * column, 700 - 16 * index, cell]),
      );
      assert.deepEqual(await pdfLines(page(...titles)), ['1.1 The old quay', '1.2 The new one', '1.3 Ferries']);
    });

    it('that are narrow keep their columns, also on a turned page', async () => {
      const rows = ['Year|Boats|Men', '2019|12|40', '2020|14|52', '2021|9|31'].map((row) => row.split('|'));
      const expected = rows.map((row) => `| ${row.join(' | ')} |`).toSpliced(1, 0, '| --- | --- | --- |');
      const texts = rows.flatMap((row, line) =>
        row.map((text, column) => ({ x: [60, 90, 125][column] ?? 0, y: 700 - 14 * line, size: 10, text })),
      );
      assert.deepEqual(await pdfLines(texts), expected);
      const turned = rows.flatMap((row, line) =>
        row.map((text, column) => ({ x: 300 + 16 * line, y: 100 + 80 * column, size: 11, angle: 90, text })),
      );
      assert.deepEqual(await pdfLines({ texts: turned, rotate: 90 }), expected);
    });

    it('whose header is in the middle of a wide column keeps that column', async () => {
      const texts = page(
        [40, 700, 'Name'],
        [83, 700, 'Value'],
        [336, 700, 'Note'],
        [40, 681, 'Depth'],
        [83, 681, '12 m'],
        [125, 681, 'at low tide'],
        [125, 663, 'between the two towers of the old entrance, as measured in the spring of the year by the'],
        [40, 657, 'Width'],
        [83, 657, '80 m'],
        [125, 651, 'harbour master'],
      );
      assert.deepEqual((await pdfLines(texts)).slice(2), [
        '| Depth | 12 m | at low tide |',
        '| Width | 80 m | between the two towers of the old entrance, as measured in the spring of the year by the harbour master |',
      ]);
    });

    it('whose heads stand over two columns keeps those', async () => {
      const row = (y: number, texts: string, xs: number[]) =>
        texts.split('|').map((text, at): Text => [xs[at] ?? 0, y, text]);
      const columns = [60, 160, 220, 280, 340];
      const rows = [
        ...row(700, '2024|2025', [185, 305]),
        ...row(684, 'Q1|Q2|Q1|Q2', columns.slice(1)),
        ...row(668, 'North|10|20|30|40', columns),
        ...row(652, 'South|11|21|31|41', columns),
      ];
      assert.deepEqual(await pdfLines(page(...rows)), [
        '| | 2024 | | 2025 | |',
        '| --- | --- | --- | --- | --- |',
        '| | Q1 | Q2 | Q1 | Q2 |',
        '| North | 10 | 20 | 30 | 40 |',
        '| South | 11 | 21 | 31 | 41 |',
      ]);
    });

    it('of contents has titles and pages without the dots between them', async () => {
      const dots = ' . . . . . . . . . .';
      const texts = page(
        [60, 700, `1 Definition${dots}`],
        [400, 700, '2'],
        [60, 686, `2 Related work${dots}`],
        [400, 686, '3'],
        [60, 672, `3 Tricks${dots}`],
        [400, 672, '14'],
      );
      assert.deepEqual(await pdfLines(texts), [
        '| 1 Definition | 2 |',
        '| --- | --- |',
        '| 2 Related work | 3 |',
        '| 3 Tricks | 14 |',
      ]);
    });
  });

  describe('with lists', () => {
    it('keeps the items of numbered and nested ones', async () => {
      const list = [
        'Do this, in order:',
        '',
        '1. Open the valve.',
        '2. Wait for the lamp.',
        '3. Close the valve and write the time',
        'into the book.',
        '4. Go home.',
        '',
        'Text after the list.',
      ];
      assert.deepEqual(await pdfLines(below(60, 700, list)), [
        'Do this, in order:',
        '1. Open the valve.',
        '2. Wait for the lamp.',
        '3. Close the valve and write the time into the book.',
        '4. Go home.',
        'Text after the list.',
      ]);
      const nested = page(
        [72, 700, '1) Prepare'],
        [90, 686, 'a) the boat'],
        [90, 672, 'b) the ropes'],
        [72, 658, '2) Depart'],
        [90, 644, '\x95 slowly'],
      );
      assert.deepEqual(await pdfLines(nested), [
        '1. Prepare',
        '   1. the boat',
        '   2. the ropes',
        '2. Depart',
        '   - slowly',
      ]);
    });

    it('whose marks stand apart, or start elsewhere than at 1, are no tables', async () => {
      const texts = page(
        [60, 700, '7.'],
        [80, 700, 'Open the valve.'],
        [60, 686, '8.'],
        [80, 686, 'Wait for the lamp that hangs over'],
        [80, 672, 'the door.'],
        [60, 658, '9.'],
        [80, 658, 'Close it.'],
      );
      assert.deepEqual(await pdfLines(texts), [
        '7. Open the valve.',
        '8. Wait for the lamp that hangs over the door.',
        '9. Close it.',
      ]);
      assert.deepEqual(await pdfLines(page([60, 700, '-'], [72, 700, 'one'], [60, 686, '-'], [72, 686, 'two'])), [
        '- one',
        '- two',
      ]);
    });

    it('has a single item with a dash where it is further to the right than the text above it', async () => {
      const inner = '\x96 the ropes of the boat';
      const list = (x: number) =>
        page([60, 700, '\x95'], [80, 700, 'Prepare'], [x, 686, inner], [60, 672, '\x95'], [80, 672, 'Go']);
      assert.deepEqual(await pdfLines(list(92)), ['- Prepare', '  - the ropes of the boat', '- Go']);
      assert.deepEqual(await pdfLines(list(80)), ['- Prepare \u2013 the ropes of the boat', '- Go']);
      const arrows = page([60, 700, '\x95'], [80, 700, 'Prepare'], [92, 686, '>'], [110, 686, '>']);
      assert.deepEqual(await pdfLines(arrows), ['- Prepare > >']);
    });

    it('has the bullets of Japanese texts', () => {
      const bullet = { kind: 'bullet', value: 0, style: '', length: 1 };
      assert.deepEqual(marksOf({ text: '・網', marked: false, head: undefined }), [bullet]);
      assert.deepEqual(marksOf({ text: 'ジョン・スミス', marked: false, head: undefined }), []);
    });

    it('in large type is no heading', async () => {
      const slide = page(
        [60, 700, 'Plans of the year', 30],
        [60, 640, '\x95 Build the quay, which is to be', 24],
        [80, 610, 'longer than the old one', 24],
        [60, 580, '\x95 Buy a boat', 24],
      );
      const notes = below(60, 500, left.slice(0, 4));
      assert.deepEqual(await pdfLines([...slide, ...notes]), [
        '# Plans of the year',
        '- Build the quay, which is to be longer than the old one',
        '- Buy a boat',
        left.slice(0, 4).join(' '),
      ]);
      for (const title of ['\x95 Overview', '\x96 Overview \x96']) {
        const text = below(60, 670, left.slice(0, 4));
        assert.deepEqual(await pdfLines([...page([60, 700, title, 18]), ...text]), [
          `# ${new TextDecoder('windows-1252').decode(Buffer.from(title, 'latin1'))}`,
          left.slice(0, 4).join(' '),
        ]);
      }
    });

    it('above a table is no part of it', async () => {
      const items = page(
        [79, 700, '\x95'],
        [92, 700, 'one'],
        [114, 684, '\x95'],
        [128, 684, 'one b'],
        [149, 668, '\x95'],
        [163, 668, 'deep'],
        [79, 652, '\x95'],
        [92, 652, 'two'],
        [57, 612, 'Table'],
      );
      const rows = ['Name|Value|Note', 'Tea|12|cold', 'Cups|7|new'].flatMap((row, index) =>
        row.split('|').map((cell, column): Text => [57 + 170 * column, 590 - 18 * index, cell]),
      );
      assert.deepEqual(await pdfLines([...items, ...page(...rows)]), [
        '- one',
        '  - one b',
        '    - deep',
        '- two',
        'Table',
        '| Name | Value | Note |',
        '| --- | --- | --- |',
        '| Tea | 12 | cold |',
        '| Cups | 7 | new |',
      ]);
    });

    it('whose bullets are drawn keeps its items', async () => {
      const drawn = [704, 690, 662].map((y) => `64 ${y - 2} 4 4 re f`).join('\n');
      const texts = below(76, 700, [
        'Check the oil',
        'Check the lamps, and if one of them',
        'does not burn, put in a new one',
        'Look around',
      ]);
      assert.deepEqual(await pdfLines({ texts, drawn }), [
        '- Check the oil',
        '- Check the lamps, and if one of them does not burn, put in a new one',
        '- Look around',
      ]);
    });

    it('whose bullets are drawn keeps its items on a turned page', async () => {
      const texts = [400, 414, 442].map(
        (x, index): PdfText => ({ x, y: 76, size: 11, angle: 90, text: ['oil', 'lamps', 'rope'][index] ?? '' }),
      );
      const drawn = [396, 410, 438].map((x) => `${x - 2} 64 4 4 re f`).join('\n');
      assert.deepEqual(await pdfLines({ texts, drawn, rotate: 90 }), ['- oil', '- lamps', '- rope']);
    });

    it('keeps the items of sections, and the numbers of those that are in none', async () => {
      const nested = page(
        [60, 700, '1. Prepare the boat'],
        [80, 686, '1.1. Check the oil'],
        [80, 672, '1.2. Check the lamps'],
        [60, 658, '2. Leave the harbour'],
        [80, 644, '2.1 Slowly, and with'],
        [80, 630, 'the lamps on'],
      );
      assert.deepEqual(await pdfLines(nested), [
        '1. Prepare the boat',
        '   1. Check the oil',
        '   2. Check the lamps',
        '2. Leave the harbour',
        '   1. Slowly, and with the lamps on',
      ]);
      const clauses = [
        '2.1 The seller sells the ship',
        'as it lies.',
        '2.2 The buyer pays for it',
        'within 30 days, and',
      ];
      assert.deepEqual(await pdfLines(below(60, 700, [...clauses, '1.5 percent more after that.'])), [
        '2.1 The seller sells the ship as it lies.',
        '2.2 The buyer pays for it within 30 days, and 1.5 percent more after that.',
      ]);
    });

    it('takes no number at the start of a line for an item', async () => {
      assert.deepEqual(
        await pdfLines(below(60, 700, ['In 2019 the town had 300 people. In', '2020. it had more than that.'])),
        ['In 2019 the town had 300 people. In 2020. it had more than that.'],
      );
    });
  });

  describe('of text', () => {
    it('keeps superscripts and subscripts in their sentence', async () => {
      const texts: Text[] = [
        [60, 700, 'Water is H'],
        [112, 697, '2', 8],
        [117, 700, 'O and the area is 12 m'],
        [229, 705, '2', 8],
        [234, 700, ', see note'],
        [282, 705, '3', 8],
        [287, 700, '.'],
      ];
      assert.deepEqual(await pdfLines(page(...texts)), ['Water is H2O and the area is 12 m2, see note3.']);
    });

    it('goes on in a line that raised or lowered text moves down, but not in the next paragraph', async () => {
      const first = 'The power follows from the height of the';
      const last = page([60, 672, 'of the pond, which was measured.'], [60, 660, 'It was taken from a map.']);
      const raised = (text: string) =>
        page([60, 700, text], [60, 684.5, 'tide h'], [87.5, 690, '2', 9], [96, 684.5, 'and area']);
      const rest = 'tide h2 and area of the pond, which was measured. It was taken from a map.';
      assert.deepEqual(await pdfLines([...raised(first), ...last]), [`${first} ${rest}`]);
      assert.deepEqual(await pdfLines([...raised(`${first}.`), ...last]), [`${first}.`, rest]);
      const other = page([60, 700, first], [60, 684.5, 'Tide'], [82.5, 690, '2', 9], [91, 684.5, 'and area']);
      assert.deepEqual(await pdfLines([...other, ...last]), [first, rest.replace('tide h', 'Tide')]);
      const lowered = page([60, 700, `${first} A`], [266.5, 695, '2', 9], [60, 684.5, 'tide and the area']);
      assert.deepEqual(await pdfLines([...lowered, ...last]), [
        `${first} A2 tide and the area of the pond, which was measured. It was taken from a map.`,
      ]);
    });

    it('tells exponents and the numbers of notes from the numbers before them', async () => {
      const texts: Text[] = [
        [60, 700, 'Built in 1880'],
        [120.5, 705, '1', 8],
        [128, 700, 'for 10'],
        [156.1, 705, '6', 8],
        [163.6, 700, 'ships.'],
      ];
      const expected = ['Built in 1880<sup>1</sup> for 10<sup>6</sup> ships.'];
      assert.deepEqual(await pdfLines(page(...texts)), expected);
      const link = '/Subtype /Link /Rect [145 690 210 715] /A << /S /URI /URI (https://site.test/ships) >>';
      const result = lines(await read(pdf([{ texts: page(...texts), annotations: [link] }])));
      assert.deepEqual(result, ['Built in 1880<sup>1</sup> for [10<sup>6</sup> ships.](https://site.test/ships)']);
    });

    it('is no heading where a sentence ends with the number of a note', async () => {
      const texts = page(
        [60, 700, 'The harbour was built in 1882 by the town'],
        [60, 686, 'and paid for by a tax on tea.'],
        [197, 690.5, '1', 7],
        [60, 80, '1', 6],
        [66, 76, 'Minutes of the council, page 12.', 8],
      );
      assert.deepEqual(await pdfLines(texts), [
        'The harbour was built in 1882 by the town and paid for by a tax on tea.1',
        '1 Minutes of the council, page 12.',
      ]);
    });

    it('beside a figure goes on at names', async () => {
      const aside = [
        'Der Hafen hat in jedem Jahr mehr',
        'Schiffe und die Stadt hat neue',
        'Kais gebaut, wo sie vor dem',
        'Winter liegen.',
      ];
      const short = ['Der Hafen hat in jedem Jahr mehr', 'Schiffe.'];
      const wide = ['Unter dem Bild geht der Text so breit weiter, wie die Seite ist, und hat alle ihre Zeilen'];
      const texts = [...below(60, 700, aside), ...below(60, 630, short), ...below(60, 590, wide)];
      assert.deepEqual(await pdfLines(texts), [aside.join(' '), short.join(' '), ...wide]);
    });

    it('joins words that are broken, and no others', async () => {
      const broken = [
        'The new harbour is a well-known example of careful plan-',
        'ning, built in 2019-',
        '2021 by a self-',
        'taught builder, with a soft\xad',
        'ened front, state-of-the-',
        'art lamps, and a Jean-',
        'Paul who is well-',
        'known too, by e-',
        'mail.',
      ];
      assert.deepEqual(await pdfLines(below(60, 700, broken)), [
        'The new harbour is a well-known example of careful planning, built in 2019-2021 by a self-taught builder, with a softened front, state-of-the-art lamps, and a Jean-Paul who is well-known too, by e-mail.',
      ]);
      // A letter after an apostrophe is no word of its own.
      assert.deepEqual(
        await pdfLines(below(60, 700, ['The pupils all went to l\x92\xe9-', "cole there and to l'\xe9-", 'glise.'])),
        ["The pupils all went to l\u2019\xe9cole there and to l'\xe9glise."],
      );
    });

    it('tells headings of one size apart, and joins those of two lines', async () => {
      const body = ['Some words that make the text of the page, and', 'more of them.'];
      const texts = [
        ...page([60, 740, 'Main title', 18], [60, 712, 'First chapter', 18]),
        ...below(60, 690, body),
        ...page([60, 640, 'A heading that has', 18], [60, 618, 'two lines', 18]),
        ...below(60, 596, body),
      ];
      assert.deepEqual(await pdfLines(texts), [
        '# Main title',
        '# First chapter',
        body.join(' '),
        '# A heading that has two lines',
        body.join(' '),
      ]);
    });

    it('starts a paragraph where a line is indented', async () => {
      const texts = page(
        [87, 700, 'It was a bright day in April, and the clocks of the town'],
        [72, 687, 'were all striking.'],
        [87, 674, 'Nobody looked up. The ferry lay at the quay and its crew'],
        [72, 661, 'was asleep.'],
      );
      assert.deepEqual(await pdfLines(texts), [
        'It was a bright day in April, and the clocks of the town were all striking.',
        'Nobody looked up. The ferry lay at the quay and its crew was asleep.',
      ]);
    });

    it('starts a paragraph at an indent below a line that has room', async () => {
      const term = (y: number, name: string, text: string) => page([60, y, name], [80, y - 14, text]);
      const wall = 'A wall at which ships lie while they are loaded and unloaded.';
      const ship = 'A ship that carries people and their cars over short ways.';
      assert.deepEqual(await pdfLines([...term(700, 'Quay', wall), ...term(668, 'Ferry', ship)]), [
        'Quay',
        wall,
        'Ferry',
        ship,
      ]);
    });

    it('is code where letters have one width, and those of most other text have not', async () => {
      const code: PdfText[] = [
        [60, 690, 'def main():'],
        [84, 678, 'print("*")'],
        [60, 654, 'main()'],
      ].map(([x, y, text]) => ({ x: Number(x), y: Number(y), size: 10, code: true, text: String(text) }));
      const texts = page(
        [60, 720, 'Run this program in the folder of the project to begin:'],
        [60, 630, 'It prints it.'],
      );
      assert.equal(
        await markdownOf(pdf([[...texts, ...code]])),
        `${texts[0]?.text}\n\n\`\`\`\ndef main():\n    print("*")\n\nmain()\n\`\`\`\n\nIt prints it.`,
      );
      assert.deepEqual(await pdfLines(code.slice(0, 2)), ['def main():', 'print("*")']);
      const short = page([60, 720, 'Run this:']);
      assert.deepEqual(await pdfLines([...short, ...code]), [
        'Run this:',
        '```',
        'def main():',
        '    print("*")',
        'main()',
        '```',
      ]);
      const typed = [690, 678].map((y, index) => ({ x: 60, y, size: 10, code: true, text: left[index] ?? '' }));
      assert.deepEqual(await pdfLines([...short, ...typed]), ['Run this:', left.slice(0, 2).join(' ')]);
    });

    it('is no code because all of its letters are as wide as those of East Asia are in all fonts', () => {
      const of = (str: string) => ({
        str,
        dir: 'ltr',
        transform: [9, 0, 0, 9, 60, 700],
        width: 9,
        height: 9,
        fontName: 'f',
      });
      const texts = ['渔船每天离开港口，', 'ls', '# 港口'];
      const [direction] = directionsOf(texts.map(of), { f: { vertical: false, fontFamily: 'monospace' } });
      const [prose, command, comment] = direction?.pieces ?? [];
      assert.ok(prose && command && comment);
      const isFixed = (...pieces: Piece[]) => toLine({ pieces, y: 700, size: 9 }).fixed;
      assert.deepEqual([isFixed(prose), isFixed(command), isFixed(command, comment)], [false, true, true]);
    });

    it('starts with an initial that hangs over several lines', async () => {
      const texts = page(
        [60, 674, 'T', 40],
        [88, 700, 'he harbour of the town was built in the year'],
        [88, 687, 'of the storm, when all of the boats were lost'],
        [88, 674, 'and nobody knew what was to be done about it'],
        [60, 661, 'until the council met on a Sunday and voted for a wall.'],
      );
      assert.deepEqual(await pdfLines(texts), [
        'The harbour of the town was built in the year of the storm, when all of the boats were lost and nobody knew what was to be done about it until the council met on a Sunday and voted for a wall.',
      ]);
    });

    it('that is turned, by its page or not, is read in order', async () => {
      const turned = (angle: number) =>
        left.map((text, index): PdfText => {
          const [cos, sin] = [
            Math.round(Math.cos((angle * Math.PI) / 180)),
            Math.round(Math.sin((angle * Math.PI) / 180)),
          ];
          return { x: 300 + sin * 14 * index, y: 400 - cos * 14 * index, size: 11, angle, text };
        });
      for (const angle of [90, 180, 270]) {
        for (const rotate of [0, angle])
          assert.deepEqual(await pdfLines({ texts: turned(angle), rotate }), [left.join(' ')]);
      }
      const aside: PdfText = { x: 30, y: 300, size: 9, angle: 90, text: 'arXiv:2601.00001 [cs]' };
      assert.deepEqual((await pdfLines([aside, ...below(60, 700, left)])).length, 2);
    });

    it('that is printed twice to look bold is read once', async () => {
      assert.deepEqual(await pdfLines(page([60, 700, 'Bold words'], [60.3, 700, 'Bold words'])), ['Bold words']);
    });

    it('has letters as they are typed, not in the shapes of a font', () => {
      const item = { dir: 'rtl', transform: [12, 0, 0, 12, 60, 700], width: 40, height: 12, fontName: 'f' };
      const [direction] = directionsOf([{ ...item, str: '\ufee3\ufeae\ufea3\ufe92\ufe8e' }], {});
      assert.equal(direction?.pieces[0]?.text, '\u0645\u0631\u062d\u0628\u0627');
    });

    it('with words of two directions is in the order in which it is read', async () => {
      const texts: PdfText[] = [
        { x: 200, y: 700, size: 10, hebrew: true, text: 'ba' },
        { x: 160, y: 700, size: 10, text: '2019' },
        { x: 130, y: 700, size: 10, hebrew: true, text: 'dc' },
      ];
      assert.deepEqual(await pdfLines(texts), ['\u05d0\u05d1 2019 \u05d2\u05d3']);
    });
  });

  describe('over several pages', () => {
    const sentence = (number: number) => `Sentence number ${number} of the report tells of ships and of the sea`;
    /** Pages that are full of lines, with a sentence from each to the next. */
    const report = (head: (page: number) => Text[], count = 4) =>
      Array.from({ length: count }, (_, index) => [
        ...page(...head(index + 1)),
        ...below(
          60,
          720,
          Array.from(
            { length: 30 },
            (_each, line) => `${sentence(index * 30 + line)}${line === 29 ? ' and' : '.'}`,
          ).map((text, line) => (line === 0 && index > 0 ? `goes on. ${text}` : text)),
        ),
      ]);

    for (const [what, head] of [
      [
        'the same',
        (number: number): Text[] => [
          [60, 770, 'Harbour Company - Annual Report 2026', 9],
          [280, 30, `Page ${number} of 4`, 9],
        ],
      ],
      [
        'different on left and right ones',
        (number: number): Text[] =>
          number % 2
            ? [
                [400, 770, 'Chapter one', 9],
                [500, 30, String(number), 9],
              ]
            : [
                [60, 770, 'The Sea Book', 9],
                [60, 30, String(number), 9],
              ],
      ],
      ['roman numbers', (number: number): Text[] => [[300, 30, ['i', 'ii', 'iii', 'iv'][number - 1] ?? '', 9]]],
    ] as const) {
      it(`leaves out running heads and page numbers, ${what}, and joins sentences`, async () => {
        const text = (await pdfLines(...report(head))).join('\n');
        assert.doesNotMatch(text, /Harbour Company|Page \d|Chapter one|The Sea Book|^\d+$|^i+v?$/m);
        assert.match(text, /and of the sea and goes on\. Sentence number 30/);
        for (let number = 0; number < 120; number++) assert.ok(text.includes(sentence(number)), String(number));
      });
    }

    for (const count of [2, 3, 4]) {
      it(`leaves out heads and feet in larger type on ${count} pages, but for the first head`, async () => {
        const head = (number: number): Text[] => [
          [60, 770, 'Harbour Company', 16],
          [280, 30, `Page ${number} of ${count}`, 16],
        ];
        const found = await pdfLines(...report(head, count));
        assert.equal(found[0], '# Harbour Company');
        assert.equal(found.length, 2);
        assert.equal(found[1]?.match(/and goes on\. Sentence/g)?.length, count - 1);
        for (let number = 0; number < 30 * count; number++) assert.ok(found[1]?.includes(sentence(number)));
      });
    }

    it('leaves out a head in larger type where it first stands within a sentence', async () => {
      const head = (number: number): Text[] => (number > 1 ? [[60, 770, 'The Sea Book', 16]] : []);
      assert.equal((await pdfLines(...report(head))).length, 1);
    });

    it('keeps what looks alike on many pages in larger type, if no sentence goes on past it', async () => {
      const sheets = (title: (number: number) => string, end = '') =>
        [1, 2, 3].map((number) => [
          ...page([60, 770, title(number), 16]),
          ...below(
            60,
            720,
            Array.from({ length: 30 }, (_, line) => `Row ${line} of ${number} tells of the ship`),
          ),
          ...(end === '' ? [] : page([60, 200, `Total: ${number}0`, 16], [60, 184, end])),
        ]);
      for (const title of ['Data sheet', 'Chapter #', 'Agenda (#/3)']) {
        const titles = [1, 2, 3].map((number) => `# ${title.replace('#', String(number))}`);
        const found = await pdfLines(...sheets((number) => title.replace('#', String(number))));
        assert.deepEqual(
          found.filter((line) => line.startsWith('#')),
          titles,
        );
      }
      const invoices = await pdfLines(...sheets(() => 'Invoice', 'Pay within 14 days to the account of the company'));
      assert.equal(invoices.filter((line) => line.startsWith('Pay within')).length, 3);
      const cards = [1, 2, 3].map((number) =>
        page(
          [60, 700, `Guests of family ${'ABC'[number - 1]}`],
          [60, 600, 'Welcome'],
          [60, 100, `Table ${number}`, 40],
        ),
      );
      assert.equal((await pdfLines(...cards)).filter((line) => /^# Table \d$/.test(line)).length, 3);
    });

    it('keeps the titles of sections of two pages', async () => {
      const head = (number: number): Text[] => (number % 2 ? [[60, 770, 'Summary', 16]] : []);
      const sections = [0, 1, 2].flatMap(() => report(head, 2));
      assert.equal((await pdfLines(...sections)).filter((line) => line === '# Summary').length, 3);
    });

    it('keeps rows of tables and titles that look alike on many pages', async () => {
      const rows = (number: number) =>
        Array.from({ length: 12 }, (_, row): Text[] => [
          [60, 700 - 50 * row, `a${row}`],
          [200, 700 - 50 * row, `${number * 12 + row}.50`],
        ]).flat();
      const tables = await pdfLines(...[0, 1, 2, 3].map((number) => page(...rows(number))));
      assert.equal(tables.filter((line) => /^\| a\d+ \|/.test(line)).length, 48);
      const slides = await pdfLines(
        ...['one', 'two', 'three'].map((word) =>
          page([60, 740, 'Results', 24], [60, 600, `Slide ${word} has these words.`]),
        ),
      );
      assert.equal(slides.filter((line) => line === '# Results').length, 3);
    });

    it('joins a table that goes on, without its repeated header', async () => {
      const rows = (from: number) =>
        Array.from({ length: 30 }, (_, row): Text[] => [
          [60, 700 - 18 * row, row === 0 ? 'Name' : `row ${from + row}`],
          [200, 700 - 18 * row, row === 0 ? 'Value' : String(row)],
        ]).flat();
      const result = await pdfLines(page(...rows(0)), page(...rows(29)));
      assert.equal(result.length, 2 + 58);
      assert.equal(result[0], '| Name | Value |');
    });
  });

  describe('with annotations', () => {
    const link = (rect: string, url: string) => `/Subtype /Link /Rect [${rect}] /A << /S /URI /URI (${url}) >>`;

    it('keeps links on their words, and lists them', async () => {
      const texts = page([60, 700, 'Read the guide first, then the'], [60, 686, 'questions of others.']);
      const annotations = [
        link('85 696 137 712', 'https://site.test/guide'),
        link('180 696 212 712', 'https://site.test/q'),
        link('60 682 111 698', 'https://site.test/q'),
        link('60 682 300 698', 'javascript:alert(1)'),
      ];
      const result = await read(pdf([{ texts, annotations }]));
      assert.deepEqual(lines(result), [
        'Read [the guide](https://site.test/guide) first, then [the questions](https://site.test/q) of others.',
      ]);
      assert.deepEqual(result.links, ['https://site.test/guide', 'https://site.test/q']);
    });

    it('ends a link within a text before the signs of the sentence', async () => {
      const ends = async (text: string, left: number, right: number) =>
        await pdfLines({
          texts: page([60, 700, text]),
          annotations: [link(`${left} 696 ${right} 712`, 'https://site.test/guide')],
        });
      const guide = '[the guide](https://site.test/guide)';
      assert.deepEqual(await ends('Read the guide.', 87, 128), [`Read ${guide}.`]);
      assert.deepEqual(await ends('Read the guide?!', 87, 128), [`Read ${guide}?!`]);
      assert.deepEqual(await ends('As said (in the guide).', 112, 156), [`As said (in ${guide}).`]);
      assert.deepEqual(await ends('As said (the guide, too).', 100, 143), [`As said (${guide}, too).`]);
      assert.deepEqual(await ends('Call f(x) or g(x).', 81, 97), ['Call [f(x)](https://site.test/guide) or g(x).']);
      assert.deepEqual(await ends('the guide.', 60, 112), ['[the guide.](https://site.test/guide)']);
    });

    it('lists links of images after the text', async () => {
      const annotations = [link('400 400 500 500', 'https://site.test/picture')];
      assert.deepEqual((await read(pdf([{ texts: page([60, 700, 'Words']), annotations }]))).links, [
        'https://site.test/picture',
      ]);
    });

    const field = (rect: string, rest: string) => `/Subtype /Widget /Rect [${rect}] ${rest}`;

    it('keeps the fields of a form apart, however close they are, and joins a sentence that has some', async () => {
      const box = (rect: string, state: string) =>
        field(
          rect,
          `/FT /Btn /T (b${rect}) /V /${state} /AS /${state} /AP << /N << /Yes << /Length 0 >> /Off << /Length 0 >> >> >>`,
        );
      for (const gap of [14, 20, 28]) {
        const names = ['Name', 'City', 'Street'];
        const texts = page(
          ...names.map((name, index): Text => [60, 700 - gap * index, `${name}:`]),
          [60, 700 - 3 * gap, 'Member:'],
          [80, 700 - 4 * gap, 'Send me letters'],
          [80, 700 - 5 * gap, 'Call me'],
        );
        const annotations = [
          ...names.map((name, index) =>
            field(`120 ${696 - gap * index} 320 ${708 - gap * index}`, `/FT /Tx /T (${name}) /V (My ${name})`),
          ),
          ...['Yes', 'Off', 'Yes'].map((state, index) => {
            const [x, y] = [index === 0 ? 120 : 66, 698 - (3 + index) * gap];
            return box(`${x} ${y} ${x + 10} ${y + 10}`, state);
          }),
        ];
        assert.deepEqual(await pdfLines({ texts, annotations }), [
          ...names.map((name) => `${name}: My ${name}`),
          'Member: \u2611',
          '\u2610 Send me letters',
          '\u2611 Call me',
        ]);
      }
      const sentence = page([60, 700, 'I live in'], [60, 686, 'and my name is'], [220, 686, 'too.']);
      const annotations = [
        field('110 696 210 708', '/FT /Tx /T (a) /V (Oslo by the sea)'),
        field('140 682 200 694', '/FT /Tx /T (b) /V (Mira)'),
      ];
      assert.deepEqual(await pdfLines({ texts: sentence, annotations }), [
        'I live in Oslo by the sea and my name is Mira too.',
      ]);
    });

    it('says that comments and embedded files are not read', async () => {
      const warningOf = async (annotation: string, catalog = '') => {
        const file = pdf([{ texts: page([60, 700, 'Text']), annotations: [annotation] }]).toString('latin1');
        return (await read(Buffer.from(file.replace('/Type /Catalog', `/Type /Catalog ${catalog}`), 'latin1'))).warning;
      };
      const at = '/Rect [60 690 90 710]';
      assert.equal(
        await warningOf(`/Subtype /Text ${at} /Contents (Check this)`),
        "The file has comments, which aren't read.",
      );
      assert.equal(await warningOf(`/Subtype /Highlight ${at}`), undefined);
      // Shown on paper only, or hidden.
      for (const flag of [2, 32])
        assert.equal(await warningOf(`/Subtype /Text /F ${flag} ${at} /Contents (No)`), undefined);
      for (const drawn of [
        'Square',
        'Ink /InkList [[60 690 90 710]]',
        'Stamp',
        'Polygon /Vertices [60 690 90 710 90 690]',
      ])
        assert.equal(
          await warningOf(`/Subtype /${drawn} ${at} /Contents (Too small)`),
          "The file has comments, which aren't read.",
        );
      const marked = `/Subtype /Highlight ${at} /QuadPoints [60 710 90 710 60 690 90 690]`;
      assert.equal(await warningOf(`${marked} /Contents (Te xt)`), undefined);
      assert.equal(await warningOf(`${marked} /Contents (Text?)`), "The file has comments, which aren't read.");
      assert.equal(
        await warningOf(`/Subtype /FileAttachment ${at} /FS << /Type /Filespec /F (a.txt) /EF << /F 1 0 R >> >>`),
        "The file has embedded files, which aren't read.",
      );
      const files =
        '/Names << /EmbeddedFiles << /Names [(a.txt) << /Type /Filespec /F (a.txt) /EF << /F 1 0 R >> >>] >> >>';
      assert.equal(
        await warningOf(`/Subtype /StrikeOut ${at} /QuadPoints [60 710 90 710 60 690 90 690] /Contents (No)`, files),
        "The file has comments and embedded files, which aren't read.",
      );
    });

    it('writes the values of a form beside their labels', async () => {
      const annotations = [
        field('120 692 320 712', '/FT /Tx /T (name) /V (Mira Stone)'),
        field('120 652 320 672', '/FT /Ch /Ff 131072 /T (city) /V (o) /Opt [[(o) (Oslo)] [(b) (Bergen)]]'),
        field('120 612 320 632', '/FT /Tx /Ff 8192 /T (secret) /V (hunter2)'),
        field('120 572 320 592', '/F 2 /FT /Tx /T (hidden) /V (unseen)'),
      ];
      const texts = page([60, 697, 'Name:'], [60, 657, 'City:'], [60, 617, 'Word:']);
      assert.deepEqual(await pdfLines({ texts, annotations }), ['Name: Mira Stone', 'City: Oslo', 'Word:']);
      const note = '/Subtype /FreeText /Rect [60 500 200 520] /Contents (A typed note)';
      assert.deepEqual(await pdfLines({ texts, annotations: [note] }), ['Name:', 'City:', 'Word:', 'A typed note']);
    });
  });
});
