import type { Clause } from './clauses/clauses.ts';
import type { Draft } from './draft.ts';
import { itemsOf, phraseOf } from './sections/phrases.ts';
import { Sections } from './sections/sections.ts';
import type { SiteSections } from './sections/site-sections.ts';
import { setAmount, type Tokens, tokenSource } from './tokens.ts';
import { readTopics } from './topics.ts';

/** Words that may deny something in a way that no rule knows. */
const denying =
  /\b(?:no|not|nor|never|none|nothing|without|zero|0|less|hardly|barely|rarely|seldom|against|out|off|away|skip\w*|exclu\w+|ignor\w+|avoid\w*|omit\w*|remov\w+|drop\w*|forbid\w*|prohibit\w*|ban\w*|block\w*|hate|dislike|useless|un(?:want|need|necess|interest|import|relat)\w+|irrelevant|worthless|junk|spam|waste)\b/i;
const othersOnly =
  /\b(?:everything|anything|all|any|both(?= the)|pages?|else|rest|others?|more|further|exceptions?|limits?|worr\w+)\b/i;

/** Reads clauses one after another, and sets the parameters that they are about. */
export class Reader {
  readonly parameters: Draft = {};
  /** Sentences with a denial that isn't understood: it may apply to what they only name. */
  readonly doubtful = new Set<number>();
  #notUnderstood: string[] = [];
  #tokens: Tokens;
  #sections: Sections;
  #distrusted: ReadonlySet<number>;
  #namesSections = false;

  /** @param distrusted sentences in which nothing is wanted that they only name */
  constructor(site: SiteSections, tokens: Tokens, distrusted: ReadonlySet<number>) {
    this.#tokens = tokens;
    this.#sections = new Sections(site, tokens);
    this.#distrusted = distrusted;
  }

  read(clause: Clause): void {
    const before = this.#notUnderstood.length;
    if (!clause.elliptic) this.#namesSections = false;
    const isRead = this.#readClause(clause);
    const unread = this.#notUnderstood.slice(before).join(' ');
    const isDenial = !clause.wanted || clause.unknown || (!clause.headed && denying.test(unread));
    const isEmpty =
      clause.headed && !clause.wanted && !isRead && denying.test(clause.head) && !othersOnly.test(clause.text);
    if (isEmpty) this.#report(clause, clause.text, true);
    const isBehind = clause.follows || isEmpty || clause.isFirst || (clause.wanted && !clause.headed);
    if (this.#notUnderstood.length === before || !isDenial || !isBehind) return;
    this.doubtful.add(clause.sentence);
    // `The press? Not needed.`
    const isShort = (clause.text.match(/\p{L}+/gu) ?? []).length <= 2;
    if (clause.isFirst && isShort) this.doubtful.add(clause.sentence - 1);
  }

  /** Sets the sections. Returns the parts of the sentences that aren't understood. */
  finish(): string[] {
    const unknown = this.#sections.finish(this.parameters).map((part) => this.#tokens.written(part));
    return [...new Set([...this.#notUnderstood, ...unknown])].filter((part) => part !== '');
  }

  #report(clause: Clause, part: string, isFirst: boolean): void {
    const isDenied = !clause.wanted && !clause.exception;
    this.#notUnderstood.push(this.#tokens.written(isFirst || isDenied ? `${clause.head} ${part}` : part));
  }

  /** Returns whether the clause says anything. */
  #readClause(clause: Clause): boolean {
    if (clause.unknown) {
      this.#report(clause, clause.text, true);
      return true;
    }
    const amounts = this.#readAmounts(clause);
    // What a label that isn't understood says of what follows it is unclear.
    const [, label, labelled] = /^([^:]*[\p{L}\p{N}][^:]*):\s(.*[\p{L}\p{N}\uE000].*)$/su.exec(amounts.rest) ?? [];
    if (label !== undefined && labelled !== undefined && this.#readItem(clause, label, 0).unknown.length > 0) {
      this.#report(clause, clause.text, true);
      return true;
    }
    const items = itemsOf(labelled ?? amounts.rest, clause.headed);
    let isRead = amounts.found;
    for (const [index, item] of items.entries()) {
      const { unknown, found } = this.#readItem(clause, item, index);
      isRead ||= found;
      for (const part of unknown) this.#report(clause, part, index === 0 && item.startsWith(part));
    }
    return isRead;
  }

  /** Sets the amounts in a clause. One that the clause denies, as in `skip 20 pages`, isn't a limit. */
  #readAmounts(clause: Clause): { rest: string; found: boolean } {
    let found = false;
    const rest = clause.text.replace(
      new RegExp(tokenSource, 'g'),
      (mark, index: string, offset: number, whole: string) => {
        const token = this.#tokens.at(index);
        if (token?.kind === 'agent') this.parameters.robotsUserAgent = token.value;
        else if (token?.kind === 'unknown') {
          // To exclude half of a section would exclude all of it.
          if (!clause.wanted) return mark;
          this.#notUnderstood.push(this.#tokens.written(token.text));
        } else if (token?.kind === 'amount') {
          const isGoverned = !clause.wanted && !whole.slice(0, offset).includes(',');
          const isDenied = isGoverned && (!token.bounded || whole.slice(0, offset).trim() === '');
          if (isDenied) this.#notUnderstood.push(this.#tokens.written(`${clause.head} ${token.text}`));
          else setAmount(this.parameters, token);
        } else return mark;
        found = true;
        return token.kind === 'amount' && token.name === 'limit' ? ' ' : ' , ';
      },
    );
    return { rest, found };
  }

  /** Sets what one item of a clause says, provided that every word of it is accounted for. Returns what isn't understood. */
  #readItem(clause: Clause, item: string, index: number): { unknown: string[]; found: boolean } {
    const draft: Draft = { ...this.parameters };
    const { rest, found, ok } = readTopics(clause, item, draft);
    const phrase = phraseOf(rest, this.#tokens);
    const isEmpty = !found && phrase?.isEmpty === true;
    const unread = { unknown: [item], found: true };
    const isOnlyNamed = clause.wanted && (!clause.headed || index > 0) && !isEmpty;
    if (clause.uncertain || (isOnlyNamed && this.#distrusted.has(clause.sentence))) return unread;
    // `skip duplicates, but not the news`: what may be duplicated in the news can't be expressed.
    if (clause.elliptic && !found && !this.#namesSections) return unread;
    if (found) {
      const isOfTopicsAlone = phrase?.head.isEmpty === true && phrase.tokens.length === 0;
      if (!ok || !isOfTopicsAlone || (!phrase.isEmpty && !clause.wanted) || !this.#commit(draft)) return unread;
      this.#namesSections = false;
      return { unknown: phrase.modifiers.map(({ text }) => text), found };
    }
    const isEverything = draft.crawlEntireDomain !== this.parameters.crawlEntireDomain;
    this.#commit(draft);
    this.#namesSections ||= !isEmpty;
    return { unknown: this.#sections.read(clause, rest), found: !isEmpty || isEverything };
  }

  /** Sets parameters; false, and the first values stay, if the sentence has set one of them to another value before. */
  #commit(draft: Draft): boolean {
    const names = Object.keys(draft) as (keyof Draft)[];
    if (names.some((name) => name in this.parameters && this.parameters[name] !== draft[name])) return false;
    Object.assign(this.parameters, draft);
    return true;
  }
}
