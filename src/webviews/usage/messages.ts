import { fields, oneOf } from '../common/messages.ts';

/** Messages between the Usage view and the extension. Server texts are labels already: one line, no control characters. */

export interface ShownKey {
  name: string;
  tokens: string;
  credits: string;
  /** Share of the highest month, 0 to 1. */
  share: number;
  /** Index of the key in the legend. */
  color: number;
}

/** Its name is such as `Nov 2026`. */
export interface ShownMonth extends Omit<ShownKey, 'color'> {
  /** `November 2026` */
  spoken: string;
  /** Empty unless the usage is broken down by API key. */
  keys: ShownKey[];
}

const actions = ['read', 'connect', 'scrape', 'trust'] as const;
export type UsageAction = (typeof actions)[number];

export interface Usage {
  /** Oldest first; empty if there is nothing to show. */
  months: ShownMonth[];
  byApiKey: boolean;
  /** Names of API keys, in the order of their colors. */
  legend: string[];
  /** Tokens of the highest month. */
  highest: string;
  /** A problem or an empty state, above or instead of the chart. */
  notice?: { text: string; action?: { name: UsageAction; title: string } };
  /** What the figures mean for the user. */
  footnote?: string;
  loading: boolean;
}

export interface Events {
  usage: Usage;
}

/** What the view asks the extension for. */
export const requests = { act: fields({ action: oneOf(actions) }) };
export type Requests = typeof requests;
