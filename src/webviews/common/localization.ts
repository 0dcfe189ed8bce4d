import * as l10n from '@vscode/l10n';

/** Takes the translation that the extension has put into the page. Imported first: texts are read while modules load. */
const bundle = document.getElementById('l10n')?.textContent;
if (bundle) l10n.config({ contents: bundle });
