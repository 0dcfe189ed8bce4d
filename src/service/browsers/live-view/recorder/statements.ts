import type { LiveStatement } from '../../../../contract/sessions/live-view.ts';

/** An element as an expression of each language. */
export type Locators = Pick<LiveStatement, 'javascript' | 'python'>;

/** What a person does in a page. */
export type Step =
  | { kind: 'goto'; url: string }
  | { kind: 'move'; to: 'back' | 'forward' | 'reload' }
  | { kind: 'click' | 'dblclick'; on: Locators }
  /** `text` is undefined for what must not be in code. */
  | { kind: 'fill'; on: Locators; text: string | undefined }
  | { kind: 'press'; on: Locators | undefined; key: string }
  | { kind: 'select'; on: Locators; label: string }
  | { kind: 'files'; on: Locators; names: readonly string[] };

const moves = {
  back: ['goBack', 'go_back'],
  forward: ['goForward', 'go_forward'],
  reload: ['reload', 'reload'],
} as const;

/** Writes a step as a statement of each language. */
export function statement(step: Step): LiveStatement {
  switch (step.kind) {
    case 'goto':
      return both(`page.goto(${single(step.url)})`, `page.goto(${double(step.url)})`);
    case 'move': {
      const [javascript, python] = moves[step.to];
      return both(`page.${javascript}()`, `page.${python}()`);
    }
    case 'click':
    case 'dblclick':
      return on(step.on, `${step.kind}()`, `${step.kind}()`);
    case 'fill': {
      const { text } = step;
      if (text === undefined) {
        return { ...on(step.on, "fill(process.env.PASSWORD ?? '')", 'fill(os.environ["PASSWORD"])'), secret: true };
      }
      return on(step.on, `fill(${single(text)})`, `fill(${double(text)})`);
    }
    case 'press': {
      const keyboard = { javascript: 'page.keyboard', python: 'page.keyboard' };
      return on(step.on ?? keyboard, `press(${single(step.key)})`, `press(${double(step.key)})`);
    }
    case 'select':
      return on(
        step.on,
        `selectOption({ label: ${single(step.label)} })`,
        `select_option(label=${double(step.label)})`,
      );
    case 'files': {
      const [javascript, python] = [single, double].map((quoted) => step.names.map(quoted).join(', '));
      return on(step.on, `setInputFiles([${javascript}])`, `set_input_files([${python}])`);
    }
  }
}

function on(element: Locators, javascript: string, python: string): LiveStatement {
  return both(`${element.javascript}.${javascript}`, `${element.python}.${python}`);
}

function both(javascript: string, python: string): LiveStatement {
  return { javascript: `await ${javascript};`, python: `await ${python}`, secret: false };
}

function single(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** JSON's texts are those of Python, too. */
function double(text: string): string {
  return JSON.stringify(text);
}
