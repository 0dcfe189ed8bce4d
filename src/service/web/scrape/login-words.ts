const login =
  /^(?:(?:user|member|customer|wp)?[-_ ]?(?:log[-_ ]?[io]n|sign[-_ ]?(?:in|on|up))|connexion|anmelden|einloggen|iniciar[-_ ]sesi[oó]n|acceder|accedi|entrar|inloggen)(?:\.\w+)?$/iu;

/** Whether a name is that of a login or of a page to sign up, and says nothing else, as that of a list such as `sign-in-sheet` does. */
const isLoginName = (name: string): boolean => login.test(name.trim());

/** Whether a part of a title, as in `Sign in – Shop`, names a login. */
export const isLoginTitle = (title: string): boolean => title.split(/[|–—·:]|\s-\s/).some(isLoginName);

const lastOf = (path: string): string => path.split('/').findLast((part) => part !== '') ?? '';

/** Whether the last part of a path names a login. */
export const isLoginPath = (pathname: string): boolean => isLoginName(lastOf(pathname));

/** A script at the end of a path, whose pages differ in their queries. */
export const script = /[^/]+\.(?:php\d?|phtml|[aj]spx?|cgi|pl|do|cfm|dll)$/i;

/** What only members write, in a word that can be a page's own, and as only software calls it: a new reply, a forgotten password. */
const writing = /^(?:reply|quote|edit)(?:\.\w+)?$/i;
const writingWhat =
  /^(?:(?:new|add|create|post|submit|send|write|edit|email|report|delete|rate)[-_]?(?:reply|thread|topic|post|comment|message|pm|review|user|member|profile)|(?:lost|forgot|forgotten|reset|recover|change)[-_]?(?:pw|pass|password)|user[-_]?cp)(?:\.\w+)?$/i;

/**
 * Whether a URL names the site's own login, or a form for its members, by the last part of its path or in its query, and no page
 * that a login there would stand in for: `/login`, `/login?next=/`, `member.php?action=login` and `newreply.php?tid=7`, but not
 * `/login?next=/members`. A login that leads back to a place on a page, such as its comments, is for what is written there.
 */
export function isForMembers(url: URL): boolean {
  const home = new URL('/', url).href;
  const isHome = (value: string) => /^(?:\/|https?:\/\/)/i.test(value) && URL.parse(value, url)?.href === home;
  const isPlace = (value: string) => /^(?:\/|https?:\/\/)[^#]*#[\w-]+$/i.test(value);
  const values = [...url.searchParams.values()].filter((value) => !isHome(value) && !isPlace(value)).map(lastOf);
  const names = [lastOf(url.pathname), ...values];
  const isWriting = (name: string) => writing.test(name) || writingWhat.test(name);
  return (
    (names.some(isLoginName) && values.every(isLoginName)) ||
    (names.some(isWriting) && values.every((value) => isWriting(value) || /^\d*$/.test(value)))
  );
}

/**
 * Whether a URL alone tells that it is a form for members: one of a script, such as `newreply.php?tid=7`. Others may be articles
 * on such forms, or on other things of that name.
 */
export function isFormOfScript(url: URL): boolean {
  const actions = ['action', 'act', 'mode', 'do'].flatMap((name) => url.searchParams.get(name) ?? []);
  const isForm = (name: string) => writingWhat.test(name) || name === 'posting.php';
  return script.test(url.pathname) && [lastOf(url.pathname), ...actions].some(isForm) && isForMembers(url);
}
