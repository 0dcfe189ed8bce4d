const listMark = /^(\s*)([-*+]|\d{1,9}[.)])(\s+)(.*)$/;
const fenceMark = /^ {0,3}(`{3,})([^`]*)$/;

/**
 * Converts an answer to markdown that is safe in VS Code's chat: keeps code blocks, code spans and list markers, and escapes
 * everything else. Without links, images, headings or HTML, nothing is loaded and nothing can be clicked.
 */
export function chatMarkdown(answer: string): string {
  const out: string[] = [];
  let fence: { length: number; language: string; lines: string[] } | undefined;
  for (const line of answer.split('\n')) {
    const mark = fenceMark.exec(line);
    if (fence) {
      if (mark?.[1] && mark[1].length >= fence.length && mark[2]?.trim() === '') {
        out.push(fenced(fence));
        fence = undefined;
      } else fence.lines.push(line);
    } else if (mark?.[1]) {
      fence = { length: mark[1].length, language: mark[2] ?? '', lines: [] };
    } else out.push(textLine(line));
  }
  if (fence) out.push(fenced(fence));
  return out.join('\n');
}

/** Rewrites the fence, so that every parser sees the block end at the same place. */
function fenced({ language, lines }: { language: string; lines: string[] }): string {
  const code = lines.join('\n');
  const mark = '`'.repeat(Math.max(3, ...[...code.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  const name = /^[\w+#-]{1,30}$/.exec(language.trim().split(/\s/)[0] ?? '')?.[0] ?? '';
  return `\n${mark}${name}\n${code}\n${mark}\n`;
}

function textLine(line: string): string {
  const [, indent = '', mark, space = '', rest = ''] = listMark.exec(line) ?? [];
  if (mark === undefined) return spans(line.trim());
  return `${indent.slice(0, 6)}${mark}${space.slice(0, 2)}${spans(rest)}`;
}

/** Keeps code spans and escapes all other punctuation. */
function spans(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part, index) => (index % 2 === 1 ? part : escaped(part)))
    .join('');
}

function escaped(text: string): string {
  return text.replace(/[!-/:-@[-`{-~]/g, '\\$&');
}
