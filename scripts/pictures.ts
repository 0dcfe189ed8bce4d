// `npm run pictures [readme|walkthrough [FOLDER]]` takes the pictures of README.md, the docs and the walkthrough, in the real
// workbench with the built package.
import { takeReadme } from './lib/pictures/readme.ts';
import { takeWalkthrough } from './lib/pictures/walkthrough.ts';

const scenes = { readme: takeReadme, walkthrough: takeWalkthrough };
const [only, folder] = process.argv.slice(2);

for (const [name, take] of Object.entries(scenes)) {
  if (only === undefined || only === name) await take(folder);
}
