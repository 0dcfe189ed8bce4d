import type { PageElement } from '../page-tree/page-tree.ts';

/** Attributes that name a language: `lang` is the reader's. */
const languageNames = /^(?:data-(?:[a-z]+-)*(?:lang|language)|syntax)$/;
/** `language-x` is what HTML suggests, whatever x is. */
const declared = /(?:^|\s)language-([^\s`]{1,31})/;
const prefixed =
  /(?:^|\s)(?:(?:lang|highlight-source|highlight-text|highlight|src)--?|sh_|(?:brush|lang):\s*)([A-Za-z][\w+#.-]{0,30})(?=[\s;]|$)/;
/** Class names that mark code but don't name its language. */
const noLanguage = words(`none text plaintext plain block default highlight wrapper line lines container inline
  notranslate nohighlight hljs sourcecode snippet box toolbar example area`);
/** Highlighters whose elements have no other classes than the name of the language. */
const bareBeside = ['hljs', 'sourceCode'];
/** Names that count beside other names, or in `lang`. */
const languages = words(`ada apache asm awk bash bat c c# c++ clojure cmake cmd cobol console coffeescript cpp cs csharp
  css csv d dart diff docker dockerfile elixir elm erlang f# fortran fsharp go golang graphql groovy haskell hcl html
  http ini java javascript js json json5 jsonc jsx julia kotlin latex less lisp lua make makefile markdown matlab md
  mermaid nginx nim nix objectivec ocaml pascal patch perl php powershell prolog properties protobuf ps1 puppet py
  python r rb rs ruby rust sass scala scheme scss sh shell solidity sql svelte swift terraform tex toml ts tsx
  typescript vb verilog vhdl vim vue wasm xml yaml yml zig zsh`);
const highlighters = words('highlight chroma codehilite code src programlisting prettyprint syntaxhighlighter listing');

/** Returns the language of code that an element's classes or other attributes name. */
export function codeLanguage({ name, attributes }: PageElement): string | undefined {
  for (const each in attributes) {
    const data = attributes[each] ?? '';
    if (languageNames.test(each) && /^[A-Za-z][\w+#.-]{0,30}$/.test(data)) return normalized(data);
  }
  const classes = `${attributes.class ?? ''} ${attributes['data-syntaxhighlighter-params'] ?? ''}`;
  const [, named] = declared.exec(classes) ?? prefixed.exec(classes) ?? [];
  if (named !== undefined) return normalized(named);
  const tokens = classes.split(/\s+/);
  if (bareBeside.some((each) => tokens.includes(each)))
    return tokens
      .filter((token) => /^[a-z][\w+#-]{0,20}$/.test(token))
      .find((token) => normalized(token) !== undefined);
  const ofCode = tokens.find((token) => token.startsWith('code-') && isLanguage(token.slice(5)));
  if (ofCode !== undefined) return ofCode.slice(5).toLowerCase();
  const isCode = name === 'pre' || name === 'code';
  if (isCode || tokens.some((token) => highlighters.has(token))) {
    return [...tokens, isCode ? (attributes.lang ?? '') : ''].find(isLanguage)?.toLowerCase();
  }
  return undefined;
}

/** Whether a name is that of a language, or of one of its versions, such as `python3`. */
function isLanguage(name: string): boolean {
  const lower = name.toLowerCase();
  return languages.has(lower) || languages.has(lower.replace(/(?<=\D\D)\d{1,2}$/, ''));
}

function normalized(language: string): string | undefined {
  const lower = language.toLowerCase();
  return noLanguage.has(lower) ? undefined : lower;
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/));
}
