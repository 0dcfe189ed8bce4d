/** Who may import whom. The picture is in docs/architecture.md. */
const features = [
  'runs',
  'browser-sessions',
  'live-view',
  'crawls',
  'pages',
  'activity',
  'usage',
  'webhooks',
  'docs-chat',
  'agents',
  'chat-tools',
  'search',
  'types',
  'watches',
  'parse',
  'agent-sessions',
  'first-steps',
];

/** Of the service, from the ground up. */
const wings = ['platform', 'browsers', 'web', 'assistants'];

module.exports = {
  forbidden: [
    {
      name: 'contract-imports-nothing-of-ours',
      severity: 'error',
      from: { path: '^src/contract/' },
      to: { path: '^src/', pathNot: '^src/contract/' },
    },
    {
      name: 'client-imports-contract-only',
      severity: 'error',
      from: { path: '^src/client/' },
      to: { path: '^src/', pathNot: '^src/(client|contract)/' },
    },
    {
      name: 'answers-import-contract-only',
      severity: 'error',
      from: { path: '^src/answers/' },
      to: { path: '^src/|^vscode$', pathNot: '^src/(answers|contract)/' },
    },
    {
      name: 'discovery-imports-contract-only',
      severity: 'error',
      from: { path: '^src/discovery/' },
      to: { path: '^src/', pathNot: '^src/(discovery|contract)/' },
    },
    {
      name: 'the-protocol-of-agents-is-loaded-alone',
      severity: 'error',
      from: { path: '^src/service/assistants/mcp/(protocol|stdio)/' },
      // Only types of the service, so that it isn't bundled twice.
      to: {
        path: '^src/service/',
        pathNot: '^src/service/(assistants/mcp/|platform/data-dir\\.ts)',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'only-the-protocol-loads-its-sdk',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/service/assistants/mcp/(protocol|stdio)/' },
      to: { path: 'node_modules/@modelcontextprotocol/' },
    },
    {
      name: 'the-queues-of-nodes-are-loaded-alone',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/service/platform/fleet/jobs/pg-boss\\.ts$' },
      to: { path: 'node_modules/pg-boss/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'storage-imports-nothing-of-ours',
      severity: 'error',
      from: { path: '^src/storage/' },
      to: { path: '^src/', pathNot: '^src/storage/' },
    },
    {
      name: 'storage-is-imported-by-its-face',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/storage/' },
      to: { path: '^src/storage/', pathNot: '^src/storage/storage\\.ts$' },
    },
    {
      name: 'only-storage-imports-drivers',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(service/platform/)?storage/' },
      to: { path: '^(node:)?sqlite$|(^|/)node_modules/pg/|^pg$' },
    },
    {
      name: 'service-imports-contract-answers-and-storage',
      severity: 'error',
      from: { path: '^src/service/' },
      to: { path: '^src/', pathNot: '^src/(service|contract|answers|storage)/|^src/discovery/discovery\\.ts$' },
    },
    ...wings.slice(0, -1).map((wing, index) => ({
      name: `${wing}-imports-no-wing-above-it`,
      severity: 'error',
      from: { path: `^src/service/${wing}/` },
      to: { path: `^src/service/((${wings.slice(index + 1).join('|')})/|[^/]+\\.ts$)` },
    })),
    {
      name: 'service-never-imports-vscode',
      severity: 'error',
      from: { path: '^src/(service|contract|client)/' },
      to: { path: '^vscode$' },
    },
    {
      name: 'extension-imports',
      severity: 'error',
      from: { path: '^src/extension/' },
      to: {
        path: '^src/',
        pathNot:
          '^src/(extension|client|contract|answers)/|^src/discovery/discovery\\.ts$|^src/webviews/[^/]+/messages\\.ts$|^src/storage/storage\\.ts$',
      },
    },
    {
      name: 'extension-stores-in-the-receiver-only',
      severity: 'error',
      from: { path: '^src/extension/', pathNot: '^src/extension/webhooks/receiver/' },
      to: { path: '^src/storage/' },
    },
    {
      name: 'typescript-plugin-imports-nothing-of-ours',
      severity: 'error',
      from: { path: '^src/typescript-plugin/' },
      to: { path: '^src/|^vscode$', pathNot: '^src/typescript-plugin/' },
    },
    {
      name: 'nothing-imports-the-typescript-plugin',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/typescript-plugin/' },
      to: { path: '^src/typescript-plugin/' },
    },
    {
      name: 'webviews-import-their-own-folder',
      severity: 'error',
      from: { path: '^src/webviews/([^/]+)/' },
      // The viewer of a live view speaks with the service itself; the messages are types, which leave nothing behind.
      to: {
        path: '^src/',
        pathNot:
          '^src/webviews/($1|common)/|^src/contract/(addresses|lenient-texts|shorten|sessions/(live-view(-wire)?|traffic))\\.ts$',
      },
    },
    ...features.map((feature) => ({
      name: `feature-${feature}-stands-alone`,
      severity: 'error',
      from: { path: `^src/extension/${feature}/` },
      to: { path: `^src/extension/(${features.filter((other) => other !== feature).join('|')})/` },
    })),
    {
      name: 'shared-rooms-never-import-features',
      severity: 'error',
      from: { path: '^src/extension/(ui|connection)/' },
      to: { path: `^src/extension/(${features.join('|')})/` },
    },
    {
      name: 'ui-imports-no-connection',
      severity: 'error',
      from: { path: '^src/extension/ui/' },
      to: { path: '^src/extension/connection/' },
    },
    {
      name: 'stores-have-no-vscode',
      severity: 'error',
      from: { path: '^src/extension/.*store\\.ts$' },
      to: { path: '^vscode$' },
    },
    {
      name: 'product-never-imports-tests',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|scripts)/' },
    },
    {
      name: 'no-circles',
      severity: 'error',
      from: { path: '^src/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist|\\.vscode-test' },
    enhancedResolveOptions: { extensions: ['.ts', '.mjs', '.cjs', '.js'] },
  },
};
