import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';

/**
 * Takes the translation that VS Code has loaded for its display language. The build imports it in every module of the
 * extension, since some read their texts while they load.
 */
if (vscode.l10n.bundle) l10n.config({ contents: vscode.l10n.bundle });
