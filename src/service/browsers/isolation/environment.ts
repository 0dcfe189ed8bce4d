import { loginVariables } from '../../platform/environment.ts';
import { home } from './bubblewrap.ts';

/** Returns the environment of a program in a sandbox, with the proxy that leads to the web, if the program has to know it. */
export function sandboxEnvironment(env: NodeJS.ProcessEnv, proxyUrl: string | undefined): NodeJS.ProcessEnv {
  // They would tell what is outside.
  const kept = Object.entries(env).filter(([name]) => !loginVariables.includes(name));
  return {
    ...Object.fromEntries(kept),
    HOME: home,
    USER: 'webdata',
    LOGNAME: 'webdata',
    SHELL: '/bin/sh',
    TMPDIR: '/tmp',
    ...(proxyUrl !== undefined && proxyVariables(proxyUrl)),
  };
}

function proxyVariables(url: string): NodeJS.ProcessEnv {
  const direct = '127.0.0.1,localhost,::1';
  return {
    HTTP_PROXY: url,
    HTTPS_PROXY: url,
    NO_PROXY: direct,
    http_proxy: url,
    https_proxy: url,
    no_proxy: direct,
    NODE_USE_ENV_PROXY: '1',
  };
}
