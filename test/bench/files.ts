/**
 * Compares how files are read with the converters in the folder `peers`: WEBDATA_BENCH_PARTS chooses between `checks` and `costs`.
 */
export async function run({ peers }: { peers?: string }): Promise<void> {
  if (peers === undefined) return console.log('Name a folder with other converters: --peers DIR');
  await (await import('./files/peers.ts')).comparePeers(peers);
}
