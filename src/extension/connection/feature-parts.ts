import type * as vscode from 'vscode';
import type { VirtualDocuments } from '../ui/virtual-documents/virtual-documents.ts';
import type { Connection } from './connection.ts';

/** What most features are made of. */
export interface FeatureParts {
  connection: Connection;
  documents: VirtualDocuments;
  log: vscode.LogOutputChannel;
}
