import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';

/** Takes the translation that VS Code has loaded for its display language. Imported first: texts are read while modules load. */
if (vscode.l10n.bundle) l10n.config({ contents: vscode.l10n.bundle });
