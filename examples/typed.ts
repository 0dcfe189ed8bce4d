// %% Planets
// TypeScript works: the extension strips the types before it sends the code to the session.

interface Planet {
  name: string;
  /** In days. */
  year: number;
}

const planets: Planet[] = [
  { name: 'Mercury', year: 88 },
  { name: 'Venus', year: 225 },
  { name: 'Earth', year: 365 },
];

await page.setContent(
  planets.map(({ name, year }) => `<section><h2>${name}</h2><p>${year} days</p></section>`).join(''),
);

async function headings(level: 1 | 2 | 3): Promise<string[]> {
  return page.locator(`h${level}`).allInnerTexts();
}

const found = await headings(2);
console.log('Found', found);

const longest = planets.reduce((one, other) => (other.year > one.year ? other : one));
({ found: found.length, longest: longest.name });
