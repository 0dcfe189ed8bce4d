/** Published signatures: GitHub's documentation and octokit's tests. */
export const publishedVectors = [
  {
    secret: "It's a Secret to Everybody",
    body: 'Hello, World!',
    hex: '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
  },
  {
    secret: 'mysecret',
    body: '{"foo":"bar"}',
    hex: '4864d2759938a15468b5df9ade20bf161da9b4f737ea61794142f3484236bda3',
  },
] as const;

/** Test cases 1 to 4, 6 and 7 of RFC 4231 (5 is of a truncated digest). */
export const rfc4231Vectors = [
  {
    key: Buffer.alloc(20, 0x0b),
    data: Buffer.from('Hi There'),
    hex: 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
  },
  {
    key: Buffer.from('Jefe'),
    data: Buffer.from('what do ya want for nothing?'),
    hex: '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  },
  {
    key: Buffer.alloc(20, 0xaa),
    data: Buffer.alloc(50, 0xdd),
    hex: '773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe',
  },
  {
    key: Buffer.from(Array.from({ length: 25 }, (_, index) => index + 1)),
    data: Buffer.alloc(50, 0xcd),
    hex: '82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b',
  },
  {
    key: Buffer.alloc(131, 0xaa),
    data: Buffer.from('Test Using Larger Than Block-Size Key - Hash Key First'),
    hex: '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
  },
  {
    key: Buffer.alloc(131, 0xaa),
    data: Buffer.from(
      'This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm.',
    ),
    hex: '9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2',
  },
] as const;

/** Values that resemble the right signature but do not have its exact format. */
export function wrongForms(hex: string): string[] {
  const good = `sha256=${hex}`;
  const bad = `sha256=${'0'.repeat(64)}`;
  return [
    ...[`SHA256=${hex}`, `Sha256=${hex}`, `sha1=${hex}`, `sha512=${hex}`, `sha256:${hex}`, hex, `=${hex}`],
    ...[
      `sha256=${good}`,
      ` ${good}`,
      `${good} `,
      `\t${good}`,
      `sha256= ${hex}`,
      `${good}\n`,
      `sha256=${hex.toUpperCase()}`,
    ],
    ...[good.slice(0, -1), `${good}0`, `${good}zz`, `sha256=${'zz'.repeat(32)}`, `sha256=${hex.slice(0, 62)}zz`],
    ...[
      `sha256=${Buffer.from(hex, 'hex').toString('base64')}`,
      'sha256=',
      '',
      bad,
      `sha256=${'a'.repeat(1024 * 1024)}`,
    ],
    ...[`v1=${hex},t=1700000000`, `t=1700000000,v1=${hex}`, `${good},${bad}`, `${bad},${good}`, `${good}, ${good}`],
  ];
}
