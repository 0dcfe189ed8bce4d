import { clicks } from './clicks.ts';
import { forms } from './forms.ts';
import { mouse } from './mouse.ts';
import type { Oracle } from './reading.ts';
import { sites } from './sites.ts';
import { texts } from './texts.ts';

/** Who solves which tasks, by their names. */
export const oracles: readonly (readonly [RegExp, Oracle])[] = [...clicks, ...forms, ...texts, ...sites, ...mouse];
