import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  insertionFor,
  type VerificationLanguage,
  verificationFiles,
} from '../../../src/extension/webhooks/verification/verification-code.ts';
import { repository, temporaryFolder } from '../../harness/folders.ts';
import { publishedVectors, wrongForms } from '../../harness/webhook-vectors.ts';

const codeIn = (language: VerificationLanguage) =>
  readFileSync(join(repository, 'media', 'webhook-verification', verificationFiles[language]), 'utf8');

/** Each with what the code must say of it. */
const cases = publishedVectors.flatMap(({ secret, body, hex }) => [
  { body, signature: `sha256=${hex}`, secret, genuine: true },
  { body: `${body} `, signature: `sha256=${hex}`, secret, genuine: false },
  { body, signature: `sha256=${hex}`, secret: `${secret} `, genuine: false },
  { body, signature: `sha256=${hex}`, secret: '', genuine: false },
  ...wrongForms(hex).map((signature) => ({ body, signature, secret, genuine: false })),
]);

/** A program that reads cases from standard input and prints what the code says of each, as JSON. */
const mains: Record<VerificationLanguage, (code: string) => string> = {
  typescript: (code) => `import { readFileSync } from 'node:fs';\n${code}
const cases: { body: string; signature: string; secret: string }[] = JSON.parse(readFileSync(0, 'utf8'));
console.log(JSON.stringify(cases.map((one) => isGenuineDelivery(Buffer.from(one.body), one.signature, one.secret))));`,
  javascript: (code) => `import { readFileSync } from 'node:fs';\n${code}
const cases = JSON.parse(readFileSync(0, 'utf8'));
console.log(JSON.stringify(cases.map((one) => isGenuineDelivery(Buffer.from(one.body), one.signature, one.secret))));`,
  python: (code) => `${code}

import json, sys
cases = json.loads(sys.stdin.buffer.read())
print(json.dumps([is_genuine_delivery(one["body"].encode(), one["signature"], one["secret"]) for one in cases]))
assert is_genuine_delivery(b"", None, "s") is False
`,
  go: (code) => `${code}
type oneCase struct{ Body, Signature, Secret string }

func main() {
	var cases []oneCase
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	results := []bool{}
	for _, one := range cases {
		results = append(results, IsGenuineDelivery([]byte(one.Body), one.Signature, one.Secret))
	}
	json.NewEncoder(os.Stdout).Encode(results)
}
`,
};
const programs: Record<VerificationLanguage, { file: string; command: string; args: string[] }> = {
  typescript: {
    file: 'main.ts',
    command: process.execPath,
    args: ['--experimental-strip-types', '--no-warnings', 'main.ts'],
  },
  javascript: { file: 'main.mjs', command: process.execPath, args: ['main.mjs'] },
  python: { file: 'main.py', command: 'python3', args: ['main.py'] },
  go: { file: 'main.go', command: 'go', args: ['run', 'main.go'] },
};
const versions: Partial<Record<VerificationLanguage, string[]>> = {
  python: ['python3', '--version'],
  go: ['go', 'version'],
};

describe('verification code for handlers', () => {
  for (const language of Object.keys(verificationFiles) as VerificationLanguage[]) {
    const [command, ...args] = versions[language] ?? [];
    // Nothing of the product needs these languages: where one is not installed, its code cannot be run.
    const missing = command !== undefined && spawnSync(command, args).status !== 0;
    const title = `tells the published vectors from forgeries in ${language}${missing ? ` (${command} is not installed)` : ''}`;
    (missing ? it.skip : it)(title, () => {
      const { code } = insertionFor(language, codeIn(language), '');
      const goCode = code
        .replace('package webhook', 'package main')
        .replace('import (', 'import (\n\t"encoding/json"\n\t"os"');
      run(language, mains[language](language === 'go' ? goCode : code));
    });
  }

  it('is inserted into a document without the parts that it already has', () => {
    const python = insertionFor('python', codeIn('python'), '#!/usr/bin/env python3\nimport hmac\n\nx = 1\n');
    assert.deepEqual([python.importLine, python.imports], [1, 'import hashlib\nimport re\n']);
    assert.match(python.code, /^def is_genuine_delivery/);
    const ts = insertionFor('typescript', codeIn('typescript'), "import x from 'x';\n");
    assert.equal(ts.importLine, 0);
    assert.equal(ts.imports, "import { createHmac, timingSafeEqual } from 'node:crypto';\n");
    assert.match(ts.code, /^\/\*\*/);
    assert.equal(insertionFor('typescript', codeIn('typescript'), ts.imports).importLine, undefined);
    const go = insertionFor(
      'go',
      codeIn('go'),
      'package main\n\nimport (\n\t"crypto/hmac"\n\t"os"\n)\n\nfunc main() {}\n',
    );
    assert.deepEqual([go.importLine, go.imports], [1, 'import "crypto/sha256"\nimport "encoding/hex"\n']);
    assert.match(go.code, /^\/\/ IsGenuineDelivery/);
  });

  it('is the same in the docs', () => {
    const docs = readFileSync(join(repository, 'docs', 'webhooks.md'), 'utf8');
    for (const language of ['typescript', 'python', 'go'] as const) {
      const fence = { typescript: 'ts', python: 'python', go: 'go' }[language];
      assert.ok(
        docs.includes(`\`\`\`${fence}\n${codeIn(language)}\`\`\``),
        `docs/webhooks.md lacks ${verificationFiles[language]}`,
      );
    }
  });
});

function run(language: VerificationLanguage, source: string): void {
  const folder = temporaryFolder();
  try {
    const { file, command, args } = programs[language];
    writeFileSync(join(folder, file), source);
    const { status, stdout, stderr } = spawnSync(command, args, {
      cwd: folder,
      input: JSON.stringify(cases.map(({ genuine: _, ...one }) => one)),
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      env: { ...process.env, GO111MODULE: 'off', GOFLAGS: '' },
    });
    assert.equal(status, 0, stderr);
    assert.deepEqual(
      JSON.parse(stdout),
      cases.map(({ genuine }) => genuine),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
