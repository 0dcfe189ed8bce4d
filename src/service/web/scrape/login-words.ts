const login =
  /^(?:(?:user|member|customer|wp)?[-_ ]?(?:log[-_ ]?[io]n|sign[-_ ]?(?:in|on|up))|connexion|anmelden|einloggen|iniciar[-_ ]sesi[oó]n|acceder|accedi|entrar|inloggen)(?:\.\w+)?$/iu;

/** Whether a name is that of a login or of a page to sign up, and says nothing else, as that of a list such as `sign-in-sheet` does. */
const isLoginName = (name: string): boolean => login.test(name.trim());

/** Whether a part of a title, as in `Sign in – Shop`, names a login. */
export const isLoginTitle = (title: string): boolean => title.split(/[|–—·:]|\s-\s/).some(isLoginName);

/** Whether the last part of a path names a login. */
export function isLoginPath(pathname: string): boolean {
  return isLoginName(pathname.split('/').findLast((part) => part !== '') ?? '');
}
