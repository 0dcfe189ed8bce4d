import { decodeHTMLAttribute } from 'entities';
import type { Attributes } from '../page-tree/page-tree.ts';
import type { PageUrls } from '../page-tree/urls.ts';
import { addressOfChoice, isPath } from './declared-links.ts';

/** A form whose choices are pages, as "Year": to which no link leads, only its button. */
export interface ChoiceForm {
  name: string;
  /** The URLs of those of its choices to which no link of the page leads. */
  pages: string[];
  /** The one that is chosen, which the page itself shows. */
  shown?: string | undefined;
}

/** Pages of a list to which only the buttons of a form lead that posts their numbers. */
export interface PostedPages {
  numbers: string[];
  /** Selects the first of the buttons. */
  selector: string;
}

interface Choice {
  name: string;
  label: string;
  values: Set<string>;
  /** The one that is chosen. */
  selected?: string;
  /** If choosing is enough: how it leads to its pages, which are links. */
  menu?: ReturnType<typeof addressOfChoice>;
  /** Whether its values are the pages themselves. */
  leads?: boolean;
}

interface Form {
  id?: string | undefined;
  action: string;
  /** What each of its buttons adds to what is sent. */
  buttons: [name: string, value: string][][];
  /** Whether something is entered or chosen in it, or isn't as it stands. */
  isEntered: boolean;
  /** What is sent with any choice. */
  fixed: [name: string, value: string][];
  choices: Choice[];
  /** Whether it asks for something that only a person knows: a text to search for, a login. */
  asks: boolean;
  /** Whether it has a field for a text to search for, which may be left empty. */
  searches: boolean;
}

/** Names of choices that show the same things in another way. */
const presentation =
  /(?<![a-z])(?:sort|order|dir(?:ection)?|per_?page|page_?size|limit|view|layout|mode|theme|lang(?:uage)?|locale|currency)(?![a-z])|sort|order_?by/i;
const searchName = /^(?:q|s|query|search|keywords?|term|text)$/i;
const pageName = /^(?:pg|page|paged|page_?(?:no|num|number))$/i;
const laterPage = /^(?!0|1$)\d{1,4}$/;
/** A choice that is no other page, as "Choose a year". */
const fewest = 2;
const maxForms = 10;
const maxChoices = 5;
const maxValues = 200;
/** Characters of a choice that has only a text. */
const maxText = 500;

const newForm = (action: string, choices: Choice[] = []): Form => ({
  action,
  buttons: [],
  isEntered: false,
  choices,
  fixed: [],
  asks: false,
  searches: false,
});

/** Returns what may be the number of a page in a URL, as in `?p=2`, `/page/2` or `/page-2.html`. */
function numbersIn({ pathname, searchParams }: URL): string[] {
  const parts = pathname.split('/').map((part) => /^(?:[a-z]+[-_]?)?(\d{1,4})(?:\.\w+)?$/i.exec(part)?.[1] ?? '');
  return [...searchParams.values(), ...parts];
}

/**
 * Finds the links of lists whose choice leads to a page, and the first form of a page of which a choice alone leads to others.
 * @param follow called with the addresses to which lists lead by themselves
 */
export function watchForms(urls: PageUrls, follow: (href: string) => void) {
  const forms: Form[] = [];
  const posting: Form[] = [];
  /** Whether a link of the page leads to the next one. */
  let hasNext = false;
  let form: Form | undefined;
  let formAt = 0;
  let choice: Choice | undefined;
  let selectAt = 0;
  let optionAt = 0;
  let isSelected = false;
  let written = '';
  /** Forms with fields that stand elsewhere. */
  const scattered = new Set<string | undefined>();

  function addButton({ name = '', value = '', type = '', disabled, formaction, formmethod }: Attributes): void {
    if (/^(?:button|reset)$/i.test(type) || (disabled ?? formaction ?? formmethod) !== undefined) return;
    form?.buttons.push(name === '' ? [] : [[name, decodeHTMLAttribute(value)]]);
  }

  function addValue(value: string): void {
    if (!choice || value === '') return;
    if (choice.menu) return follow(choice.menu.before + value + choice.menu.after);
    if (choice.values.size >= maxValues) return;
    choice.values.add(decodeHTMLAttribute(value));
    if (isSelected) choice.selected = decodeHTMLAttribute(value);
  }

  function field(attributes: Attributes): void {
    if (!form) return;
    const { type = 'text', name = '', value = '', required, placeholder = '', checked, disabled } = attributes;
    const kind = type.toLowerCase();
    if (kind === 'submit') return addButton(attributes);
    form.isEntered ||= kind !== 'hidden' || disabled !== undefined;
    if (kind === 'password') form.asks = true;
    else if (kind === 'hidden') {
      if (name !== '') form.fixed.push([name, decodeHTMLAttribute(value)]);
    } else if (kind === 'radio' && name !== '') {
      let group = form.choices.find((each) => each.name === name);
      if (!group) {
        group = { name, label: name, values: new Set() };
        form.choices.push(group);
      }
      if (group.values.size < maxValues) group.values.add(decodeHTMLAttribute(value));
      if (checked !== undefined) group.selected = decodeHTMLAttribute(value);
    } else if (/^(?:text|search|email|tel|url|number)$/.test(kind)) {
      form.asks ||= required !== undefined || kind === 'email';
      form.searches ||= kind === 'search' || searchName.test(name) || /search/i.test(placeholder);
    }
  }

  /** Returns where a form sends to: without an address to the page itself, whatever the page's base is. */
  const targetOf = ({ action }: Pick<Form, 'action'>) =>
    new URL((action === '' ? urls.own : urls.resolve(action)) ?? 'about:blank');

  /** Returns the page to which a button leads: only one of the page's own list, sent with nothing that the page's address hasn't. */
  function pageOfButton(sender: Form, added: [name: string, value: string][]): string[] {
    const [url, { own }, sent] = [targetOf(sender), urls, [...sender.fixed, ...added]];
    const changed = sent.filter(([name, value]) => pageName.test(name) || !own?.searchParams.has(name, value));
    const isPage =
      changed.length === 1 && changed.every(([name, value]) => pageName.test(name) && laterPage.test(value));
    if (!isPage || url.host !== own?.host || url.pathname !== own.pathname) return [];
    url.search = String(new URLSearchParams(sent));
    return [url.href];
  }

  /** Returns the URL of a form's choice, one changed at a time. */
  function pageOf(sent: Form, { name, leads }: Choice, value: string): string | undefined {
    if (leads) return urls.link(value);
    const url = targetOf(sent);
    url.search = String(new URLSearchParams([...sent.fixed, [name, value]]));
    return urls.link(url.href);
  }

  /** Returns the page of the choice that is made, if the page with the form shows it. */
  function shownBy(sent: Form, choice: Choice): string | undefined {
    const isOwn = targetOf(sent).pathname === urls.own?.pathname && choice.leads !== true;
    // A list whose address says no page is at its first.
    const isFirst = pageName.test(choice.name) && choice.values.has('1') && !urls.own?.searchParams.has(choice.name);
    const chosen = choice.selected ?? (isFirst ? '1' : undefined);
    return isOwn && chosen !== undefined ? pageOf(sent, choice, chosen) : undefined;
  }

  return {
    /** The pages of a list to which buttons lead that send the number of one and nothing that somebody enters. */
    get pages(): string[] {
      const senders = forms.filter(({ id, isEntered }) => !isEntered && !scattered.has(id));
      return senders.flatMap((form) => form.buttons.flatMap((added) => pageOfButton(form, added)));
    },
    /** The pages of a list to which such buttons lead by a form that posts. @param links the links of the page, which may lead there, too */
    posted(links: ReadonlySet<string>): PostedPages | undefined {
      const { own } = urls;
      for (const { id, buttons, isEntered, action } of hasNext ? [] : posting) {
        const url = targetOf({ action });
        if (isEntered || scattered.has(id) || url.host !== own?.host || url.pathname !== own.pathname) continue;
        const pages = buttons.flat().filter(([name, value]) => pageName.test(name) && laterPage.test(value));
        const numbers = new Set(pages.map(([, number]) => number));
        const [first] = pages;
        if (!first || numbers.size < fewest) continue;
        if ([own.href, ...links].some((link) => numbersIn(new URL(link)).some((number) => numbers.has(number))))
          continue;
        const [name, number] = first;
        const selector = `form[method="post" i] :is(button, [type="submit" i])[name="${name}"][value="${number}"]`;
        return { numbers: [...numbers], selector };
      }
      return undefined;
    },
    /** @param links the links of the page: choices that are among them are found anyway */
    first(links: ReadonlySet<string>): ChoiceForm | undefined {
      for (const each of forms) {
        const choices = each.choices.filter(({ name, values }) => values.size >= fewest && !presentation.test(name));
        // What is searched by a text is still only searched within one choice.
        if (each.asks || (each.searches && choices.length < 2)) continue;
        for (const choice of choices) {
          const shown = shownBy(each, choice);
          const all = new Set([...choice.values].flatMap((value) => pageOf(each, choice, value) ?? []));
          const pages = [...all].filter((page) => page !== shown && !links.has(page));
          // The first choice is often the page itself, if it doesn't say which one is.
          if (pages.length >= (shown === undefined ? fewest : 1))
            return { name: choice.label, pages, ...(shown !== undefined && { shown }) };
        }
      }
      return undefined;
    },
    open(name: string, attributes: Attributes, depth: number): void {
      const isDisabled = name === 'fieldset' && attributes.disabled !== undefined;
      if (attributes.form !== undefined) scattered.add(attributes.form);
      if (form && (/^(?:select|textarea)$/.test(name) || attributes.form !== undefined || isDisabled))
        form.isEntered = true;
      if (name === 'a' || name === 'link') hasNext ||= /(?:^|\s)next(?:\s|$)/i.test(attributes.rel ?? '');
      else if (name === 'form') {
        form = undefined;
        formAt = depth;
        const { method = 'get', action = '', role, id } = attributes;
        const sent = method.toLowerCase();
        const list = sent === 'post' ? posting : forms;
        if ((sent !== 'get' && sent !== 'post') || list.length >= maxForms) return;
        form = { ...newForm(action), id, searches: role === 'search' };
        list.push(form);
      } else if (name === 'input') field(attributes);
      else if (name === 'button') addButton(attributes);
      else if (name === 'select') {
        selectAt = depth;
        const { name: sent = '', 'aria-label': label, id = '', onchange = '', disabled } = attributes;
        const menu = addressOfChoice(decodeHTMLAttribute(onchange));
        choice =
          disabled === undefined ? { name: sent, label: label || sent || id, values: new Set(), menu } : undefined;
      } else if (name === 'option' && selectAt > 0) {
        written = '';
        isSelected = attributes.selected !== undefined;
        if (attributes.disabled !== undefined || attributes.value === '') return;
        if (attributes.value !== undefined) addValue(attributes.value);
        // Alone, a text is no address.
        else if (choice?.menu?.before !== '') optionAt = depth;
      }
    },
    close(depth: number): void {
      if (depth === optionAt) {
        addValue(written.trim());
        optionAt = 0;
      }
      if (depth === selectAt) {
        selectAt = 0;
        if (!choice || choice.menu) return;
        // A script, or the server, leads to the page that is chosen.
        if ([...choice.values].every(isPath)) forms.push(newForm('', [{ ...choice, leads: true }]));
        else if (choice.name !== '' && (form?.choices.length ?? maxChoices) < maxChoices) form?.choices.push(choice);
      }
      if (depth !== formAt) return;
      formAt = 0;
      form = undefined;
    },
    text(text: string): void {
      if (optionAt > 0 && written.length < maxText) written += text;
    },
  };
}
