/** Compares the packages of a lock file with an export of advisories. */
import { readFile } from 'node:fs/promises';
import { type Advisory, affects, ExportError, readExport } from './osv.ts';

/** An installed package with an advisory against its version. */
export interface Finding {
  name: string;
  version: string;
  id: string;
  severity: string;
  summary: string;
  /** Whether only development needs the package. */
  isDev: boolean;
}

interface LockFile {
  packages: Record<string, { version?: string; name?: string; dev?: boolean; link?: boolean }>;
}

/** Milliseconds that a server may take to send the export. */
const TIME_LIMIT = 300_000;

/**
 * Reads an export from a file or an http address.
 * @throws ExportError if it cannot be reached or is no export
 */
export async function loadExport(place: string): Promise<Advisory[]> {
  let bytes: Uint8Array;
  try {
    bytes = /^https?:/.test(place) ? await download(place) : await readFile(place);
  } catch (error) {
    throw new ExportError(`${place} cannot be read: ${(error as Error).message}`);
  }
  return readExport(bytes);
}

async function download(address: string): Promise<Uint8Array> {
  const response = await fetch(address, { signal: AbortSignal.timeout(TIME_LIMIT) });
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** All advisories against packages of the lock file, in the order of the packages. */
export function findAdvisories(lock: LockFile, advisories: Advisory[]): Finding[] {
  const byName = new Map<string, Advisory[]>();
  for (const advisory of advisories) {
    const names = new Set(advisory.affected?.map((affected) => affected.package?.name ?? ''));
    for (const name of names) byName.set(name, [...(byName.get(name) ?? []), advisory]);
  }
  const findings: Finding[] = [];
  for (const [path, entry] of Object.entries(lock.packages)) {
    const { version, link, dev } = entry;
    if (!path.includes('node_modules/') || link || !version) continue;
    const name = entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    for (const advisory of byName.get(name) ?? []) {
      if (!affects(advisory, name, version)) continue;
      findings.push({
        name,
        version,
        id: advisory.id,
        severity: advisory.database_specific?.severity?.toLowerCase() ?? 'unknown',
        summary: advisory.summary ?? advisory.details?.split('\n')[0] ?? '',
        isDev: dev === true,
      });
    }
  }
  return findings;
}
