/** Words for logging in and signing up, as titles and URLs have them. */
const words =
  /(?<!\p{L})(?:(?:user|member|wp)?(?:log|sign)[-_ ]?(?:in|on)|sign[-_ ]?up|logged in|signed in|regist(?:er|ration)|account|pass(?:word|wort)|anmeld(?:en|ung)|einloggen|registrier(?:en|ung)|konto|se connecter|connexion|inscription|compte|mot de passe|iniciar sesi[oó]n|acceder|cuenta|contrase[ñn]a|accedi|entrar|senha|conta|inloggen|aanmelden|logga in|zaloguj|logowanie|войти|вход|пароль)(?!\p{L})|ログイン|로그인|登录|登入|密码/iu;

/** Whether a title, or a name in a URL, speaks of logging in or signing up. */
export const speaksOfLogin = (text: string): boolean => words.test(text);

/** Whether a URL is that of a login or of a page to sign up: the name of its page says so, or what its query asks to do. */
export function namesLogin({ pathname, searchParams }: Pick<URL, 'pathname' | 'searchParams'>): boolean {
  const name = pathname.split('/').findLast((segment) => segment !== '') ?? '';
  const todo = ['action', 'do', 'mode', 'view', 'page', 'option'].flatMap((key) => searchParams.getAll(key));
  return [name, ...todo].some(speaksOfLogin);
}
