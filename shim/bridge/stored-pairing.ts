import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pairing } from './pairing.ts';

/** A pairing that is stored in the home, so that the tab can reconnect after a restart of tabd. */
export function storedPairing(home: string): Pairing {
  const file = join(home, 'bridge-key');
  let key: string | undefined;
  try {
    key = readFileSync(file, 'utf8').trim() || undefined;
  } catch {
    // No tab was connected before.
  }
  return new Pairing(key, (chosen) => writeFileSync(file, `${chosen}\n`, { mode: 0o600 }));
}
