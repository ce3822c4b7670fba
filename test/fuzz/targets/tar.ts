/** Backups: tar files with a manifest and digests. */
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack } from 'tar-stream';
import { DIGESTS, isBackedUp, MANIFEST } from '#shim/backup/contents.ts';
import { BadBackup, restoreBackup } from '#shim/backup/restore.ts';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { check, fuzzTarget } from '../target.ts';

export default fuzzTarget({
  invariant: 'a refused backup leaves the home empty, and writes nothing outside of it',
  // An empty file is a database without tables.
  seeds: async () => [
    await backup({ 'records.sqlite': '', a: 'x' }),
    await backup({ 'files/../../b': 'x', '/c': 'y' }),
  ],
  refusals: [BadBackup],
  words: ['../', 'ustar', 'path=../../x\n'],
  maxBytes: 1 << 14,
  measured: ['tar-stream'],
  async run(input) {
    const folder = await mkdtemp(join(tmpdir(), 'tabd-fuzz-'));
    try {
      const [file, home] = [join(folder, 'backup.tar'), join(folder, 'home')];
      await writeFile(file, input);
      let failure: unknown;
      await restoreBackup({ file, home, force: false, signal: neverAborted }).catch((error: unknown) => {
        failure = error;
      });
      const names = (await readdir(folder)).sort().join();
      check(names === 'backup.tar,home', 'nothing is written outside of the home', names);
      if (!failure) return;
      const inside = (await readdir(home)).filter(isBackedUp);
      check(inside.length === 0, 'a refused backup leaves the home empty', inside.join());
      throw failure;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
});

/** A backup with a manifest, these files, and their digests. */
async function backup(files: Record<string, string>): Promise<Uint8Array> {
  const archive = pack();
  const mtime = new Date(0);
  archive.entry({ name: MANIFEST, mtime }, '{"format":1,"tabd":"0.1.0","records":1,"created":"2026-01-01"}');
  const digests: Record<string, string> = {};
  for (const [name, text] of Object.entries(files)) {
    archive.entry({ name, mtime }, text);
    digests[name] = createHash('sha256').update(text).digest('hex');
  }
  archive.entry({ name: DIGESTS, mtime }, JSON.stringify(digests));
  archive.finalize();
  const pieces: Uint8Array[] = [];
  for await (const piece of archive as unknown as AsyncIterable<Uint8Array>) pieces.push(piece);
  return Buffer.concat(pieces);
}
