import { mkdir, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import * as z from 'zod';
import type { Answer } from '../../../../answers/answer.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { Agent } from './tool.ts';
import type { ListedTool } from './tools.ts';

/** Tools whose answers can be long: they can be written to a file instead. */
const saving = new Set([
  ...['page_snapshot', 'page_screenshot', 'run_code', 'scrape', 'map', 'parse', 'crawl_pages', 'agent_status'],
]);

const name = z
  .string()
  .max(100)
  .regex(/^[\p{L}\p{N}_][\p{L}\p{N} ._-]*$/u, { error: 'expected a file name without a folder, such as prices.md' });

/**
 * Writes answers of tools to files in the folder of downloads, so that they don't fill an agent's context.
 * @param folder where files are written; undefined: the agents can't read files of this machine
 */
export function createSaving(folder: string | undefined) {
  const saves = (tool: string) => folder !== undefined && saving.has(tool);
  return {
    /** Adds the argument to a tool's. */
    describe(tool: ListedTool): ListedTool {
      if (!saves(tool.name)) return tool;
      const properties = tool.inputSchema.properties as object;
      const saveAs = { type: 'string', description: 'File to write the result to' };
      return { ...tool, inputSchema: { ...tool.inputSchema, properties: { ...properties, saveAs } } };
    },
    /** Takes the argument out of those of a call. Throws a ServiceError if it isn't a file name. */
    take(tool: string, args: unknown): { args: unknown; file: string | undefined } {
      if (!saves(tool) || typeof args !== 'object' || args === null || !('saveAs' in args))
        return { args, file: undefined };
      const { saveAs, ...others } = args;
      const { data, error } = name.safeParse(saveAs);
      if (error) throw new ServiceError(400, `Invalid "saveAs": ${error.issues[0]?.message}.`);
      return { args: others, file: data };
    },
    /** Writes the content of an answer to a file. Returns what the agent is told instead. */
    async write(file: string, { text, content, images = [], next }: Answer, { answers }: Agent): Promise<Answer> {
      const data = content ? Buffer.from(await answers.plain(content.text)) : imageOf(images[0]);
      if (!data) return { text, next };
      const target = folder ?? '';
      await mkdir(target, { recursive: true, mode: 0o700 });
      const path = await writeNew(target, file, data);
      const size = content ? `${data.length} bytes of text` : `${data.length} bytes`;
      const warning = content ? ' Its content is untrusted, as that of any page.' : '';
      return { text: [text, `Saved ${size} to ${path}.${warning}`].filter(Boolean).join('\n'), next };
    },
  };
}

/** Writes a file that doesn't exist yet: others are never replaced. Returns its path. */
async function writeNew(folder: string, file: string, data: Buffer): Promise<string> {
  const extension = extname(file);
  for (let number = 1; ; number++) {
    const unique = number === 1 ? file : `${file.slice(0, file.length - extension.length)}-${number}${extension}`;
    try {
      await writeFile(join(folder, unique), data, { flag: 'wx', mode: 0o600 });
      return join(folder, unique);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || number >= 1_000) throw error;
    }
  }
}

function imageOf(url: string | undefined): Buffer | undefined {
  const [, data] = /^data:[\w/+.-]+;base64,(.*)$/s.exec(url ?? '') ?? [];
  return data === undefined ? undefined : Buffer.from(data, 'base64');
}
