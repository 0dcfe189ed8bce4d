import { registerHooks } from 'node:module';

/** The rules of main content, each with its file and function in `main-content`, and what the function returns without the rule. */
const rules: Readonly<Record<string, { file: string; name: string; off: string }>> = {
  'most-paragraphs': { file: 'marks', name: 'isMost', off: 'false' },
  names: { file: 'boilerplate', name: 'isBoilerplateName', off: 'false' },
  title: { file: 'title', name: 'isCalled', off: 'false' },
  leads: { file: 'title', name: 'isLead', off: 'false' },
  pictures: { file: 'title', name: 'isPicture', off: 'false' },
  beside: { file: 'beside', name: 'dropBeside', off: '' },
  ends: { file: 'ends', name: 'pruneEnds', off: '' },
  facts: { file: 'ends', name: 'isFact', off: 'false' },
  links: { file: 'prune', name: 'isLinks', off: 'false' },
  announcements: { file: 'prune', name: 'isAnnouncement', off: 'false' },
  cards: { file: 'prune', name: 'dropCards', off: '' },
  headings: { file: 'prune', name: 'dropHeadings', off: '' },
  related: { file: 'prune', name: 'dropAnnounced', off: '' },
  reviews: { file: 'prune', name: 'dropReviews', off: '' },
  repeated: { file: 'prune', name: 'dropRepeated', off: '' },
  menus: { file: 'prune', name: 'dropMenus', off: '' },
  forms: { file: 'marks', name: 'asks', off: 'false' },
  'heading-buttons': { file: 'marks', name: 'isHeadingButton', off: 'false' },
  posts: { file: 'page-kind', name: 'postsProse', off: '0' },
  controls: { file: 'boilerplate', name: 'isControl', off: 'false' },
  dialogs: { file: 'boilerplate', name: 'isDialog', off: 'false' },
  hidden: { file: 'boilerplate', name: 'isHidden', off: 'false' },
  openable: { file: 'marks', name: 'isOpenable', off: 'false' },
  comments: { file: 'boilerplate', name: 'isComments', off: 'false' },
  asides: { file: 'boilerplate', name: 'isQuoteOrNote', off: 'false' },
  'beside-main': { file: 'marks', name: 'isBesideContent', off: 'false' },
  'take-back': { file: 'main-content', name: 'takeBack', off: '' },
  plain: { file: 'main-content', name: 'isPlain', off: 'false' },
  structures: { file: 'structures', name: 'isStructure', off: 'false' },
  'named-parts': { file: 'ends', name: 'namedIn', off: 'new Set()' },
  'named-lists': { file: 'prune', name: 'isOwnList', off: 'false' },
};

/** Leaves a rule out of what is imported from now on. Throws if there is no such rule, or no longer its function. */
export function leaveOut(rule: string): void {
  const { file, name, off } = rules[rule] ?? {};
  if (file === undefined)
    throw new Error(`There is no rule "${rule}". The rules are: ${Object.keys(rules).join(', ')}.`);
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      if (!url.endsWith(`/convert/main-content/${file}.ts`)) return loaded;
      const source = String(loaded.source);
      const changed = source.replace(new RegExp(`function ${name}\\([^)]*\\)[^{]*\\{`), `$& return ${off};`);
      if (changed === source)
        throw new Error(`${file}.ts has no function "${name}": correct test/bench/extraction/rules.ts.`);
      return { ...loaded, source: changed };
    },
  });
}
