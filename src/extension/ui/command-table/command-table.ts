import { activityRows } from './activity-rows.ts';
import { assistantRows } from './assistant-rows.ts';
import { connectionRows } from './connection-rows.ts';
import { pageRows } from './page-rows.ts';
import type { CommandRow } from './rows.ts';
import { runRows } from './run-rows.ts';
import { sessionRows } from './session-rows.ts';
import { watchRows } from './watch-rows.ts';
import { webhookRows } from './webhook-rows.ts';

const table = {
  ...runRows,
  ...sessionRows,
  ...connectionRows,
  ...pageRows,
  ...activityRows,
  ...assistantRows,
  ...webhookRows,
  ...watchRows,
};
export type CommandName = keyof typeof table;
export type CommandId = `webdata.${CommandName}`;

const entries: [string, CommandRow][] = Object.entries(table);

/** The row of each command. `npm run contributions` writes them into package.json and docs/. */
export const commandRows: ReadonlyMap<string, CommandRow> = new Map(
  entries.map(([name, row]) => [`webdata.${name}`, row]),
);

/** The ID of each command. */
export const commands = Object.fromEntries(entries.map(([name]) => [name, `webdata.${name}`])) as {
  readonly [Name in CommandName]: `webdata.${Name}`;
};
