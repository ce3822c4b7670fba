import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '#core/base';
import { digestOf, type PairedTab, PairedTabs, type StoredTabs } from './paired-tabs.ts';
import { Pairing } from './pairing.ts';

/** Paired tabs in the home, so that tabs can reconnect after a restart of tabd. */
export function storedPairing(home: string): Pairing {
  const file = join(home, 'tabs.json');
  const save = (stored: StoredTabs) => {
    writeFileSync(`${file}.new`, `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600, flush: true });
    renameSync(`${file}.new`, file);
    rmSync(oldFile(home), { force: true });
  };
  return new Pairing(new PairedTabs(readStored(file) ?? tabOfOldKey(home), save));
}

/** Undefined without a file, or with one that no version of tabd has written. */
function readStored(file: string): StoredTabs | undefined {
  try {
    const stored: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (!isObject(stored) || !Array.isArray(stored.tabs)) return undefined;
    return {
      tabs: stored.tabs.filter(isPairedTab),
      ...(typeof stored.home === 'string' && { home: stored.home }),
    };
  } catch {
    return undefined;
  }
}

function isPairedTab(value: unknown): value is PairedTab {
  if (!isObject(value)) return false;
  const texts = [value.id, value.name, value.keyDigest, value.pairedAt, value.browser ?? ''];
  return texts.every((text) => typeof text === 'string');
}

const oldFile = (home: string) => join(home, 'bridge-key');

/** The one tab of an older version, which stored the key itself. */
function tabOfOldKey(home: string): StoredTabs {
  try {
    const key = readFileSync(oldFile(home), 'utf8').trim();
    if (key === '') return { tabs: [] };
    const tab = {
      id: 'first',
      name: 'Browser',
      keyDigest: digestOf(key),
      pairedAt: new Date().toISOString(),
    };
    return { tabs: [tab] };
  } catch {
    return { tabs: [] };
  }
}
