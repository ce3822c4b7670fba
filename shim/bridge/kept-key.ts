import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pairing } from './pairing.ts';

/** A pairing that outlives this process: the tab comes back by itself when tabd is started again. */
export function keptPairing(home: string): Pairing {
  const file = join(home, 'bridge-key');
  let key: string | undefined;
  try {
    key = readFileSync(file, 'utf8').trim() || undefined;
  } catch {
    // No tab has been connected yet.
  }
  return new Pairing(key, (chosen) => writeFileSync(file, `${chosen}\n`, { mode: 0o600 }));
}
