/** Stands for Pylance: the setting of its that the extension writes. */
const pylance = {
  name: 'vscode-pylance',
  publisher: 'ms-python',
  version: '1.0.0',
  engines: { vscode: '*' },
  contributes: {
    configuration: {
      properties: { 'python.analysis.extraPaths': { type: 'array', default: [], scope: 'resource' } },
    },
  },
};

/** Stands for the extension of TypeScript 7: while it is chosen, VS Code's own TypeScript is off. */
const native = { name: 'native-preview', publisher: 'TypeScriptTeam', version: '1.0.0', engines: { vscode: '*' } };

/** Options with which TypeScript offers what it does for a person. */
export const withTypes = {
  manifests: { 'ms-python.vscode-pylance-1.0.0': pylance, 'typescriptteam.native-preview-1.0.0': native },
  builtInExtensions: ['typescript-language-features'],
  settings: { 'js/ts.tsserver.useSyntaxServer': 'auto' },
};
