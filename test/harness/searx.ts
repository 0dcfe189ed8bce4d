import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { temporaryFolder } from './folders.ts';
import { freePort } from './free-port.ts';

const program = 'from searx.webapp import run; run()';

/** Returns the Python that has searx: the system's, if another comes first on the path. */
function pythonWithSearx(): string | undefined {
  const check = 'import sys, importlib.util as u; sys.exit(u.find_spec("searx") is None)';
  return ['python3', '/usr/bin/python3'].find(
    (python) => spawnSync(python, ['-c', check], { stdio: 'ignore' }).status === 0,
  );
}

/** Returns why searx can't be started here, or undefined. */
export function whyNoSearx(): string | undefined {
  return pythonWithSearx() === undefined ? 'searx is not installed (Debian package "searx")' : undefined;
}

/**
 * Starts searx on a free port of loopback, with one engine: the search of a local site, in the categories general and news.
 * @param site URL of a search site, with a trailing slash
 */
export async function startSearx(site: string): Promise<{ url: string; close(): Promise<void> }> {
  const port = await freePort();
  const folder = temporaryFolder();
  const settings = join(folder, 'settings.yml');
  // JSON is YAML.
  writeFileSync(
    settings,
    JSON.stringify({
      general: { debug: false, instance_name: 'searx', contact_url: false, enable_stats: false },
      brand: {
        git_url: '',
        git_branch: '',
        issue_url: '',
        docs_url: '',
        public_instances: '',
        wiki_url: '',
        twitter_url: '',
      },
      search: { safe_search: 0, autocomplete: '', default_lang: '', ban_time_on_fail: 1, max_ban_time_on_fail: 1 },
      server: {
        port,
        bind_address: '127.0.0.1',
        secret_key: 'local',
        base_url: false,
        image_proxy: false,
        http_protocol_version: '1.0',
        method: 'GET',
        default_http_headers: {},
      },
      ui: {
        static_path: '/usr/share/python3-searx/static',
        templates_path: '/usr/share/python3-searx/templates',
        default_theme: 'oscar',
        default_locale: '',
        theme_args: { oscar_style: 'logicodev' },
      },
      outgoing: { request_timeout: 10, useragent_suffix: '', pool_connections: 10, pool_maxsize: 10 },
      checker: { off_when_debug: true },
      locales: { en: 'English' },
      doi_resolvers: { 'doi.org': 'https://doi.org/' },
      default_doi_resolver: 'doi.org',
      engines: [
        {
          name: 'site',
          engine: 'json_engine',
          shortcut: 's',
          categories: 'general, news',
          paging: true,
          enable_http: true,
          first_page_num: 1,
          search_url: `${site}find?q={query}&page={pageno}`,
          results_query: 'hits',
          url_query: 'url',
          title_query: 'title',
          content_query: 'text',
          timeout: 10,
        },
      ],
    }),
  );
  const child = spawn(pythonWithSearx() ?? 'python3', ['-c', program], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH, HOME: folder, LANG: 'C.UTF-8', SEARX_SETTINGS_PATH: settings },
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-4000);
  });
  const url = `http://127.0.0.1:${port}`;
  const close = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`searx exited with code ${child.exitCode}: ${log}`);
      await fetch(`${url}/config`);
    });
  } catch (error) {
    await close();
    throw error;
  }
  return { url, close };
}
