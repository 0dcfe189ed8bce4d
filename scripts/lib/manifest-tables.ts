import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './repository.mjs';

interface Setting {
  type: string;
  default?: unknown;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  markdownDescription?: string;
  description?: string;
}

const read = (name: string): unknown => JSON.parse(readFileSync(join(ROOT, name), 'utf8'));

/** Returns the settings of the extension as rows: name, default, description. */
export function settingRows(): string[][] {
  const manifest = read('package.json') as { contributes: { configuration: { properties: Record<string, Setting> } } };
  const texts = read('package.nls.json') as Record<string, string>;
  return Object.entries(manifest.contributes.configuration.properties).map(([name, setting]) => {
    const text = setting.markdownDescription ?? setting.description ?? '';
    const meaning = texts[text.replace(/^%|%$/g, '')] ?? text;
    const values = setting.enum ? ` One of ${setting.enum.map((value) => `\`${value}\``).join(', ')}.` : '';
    return [`\`${name}\``, `\`${JSON.stringify(setting.default)}\``, withoutCommandLinks(meaning) + values];
  });
}

/** Command links work only in the editor. */
function withoutCommandLinks(text: string): string {
  return text.replace(/\[([^\]]+)\]\(command:[^)]*\)/g, '**$1**').replaceAll('\n', ' ');
}
