/** Advisories in the format of OSV (https://ossf.github.io/osv-schema/), and the versions that they affect. */
import { strFromU8, unzipSync } from 'fflate';
import semver from 'semver';

interface OsvEvent {
  introduced?: string;
  fixed?: string;
  last_affected?: string;
}

export interface Advisory {
  id: string;
  summary?: string;
  details?: string;
  aliases?: string[];
  withdrawn?: string;
  affected?: {
    package?: { ecosystem?: string; name?: string };
    ranges?: { type?: string; events?: OsvEvent[] }[];
    versions?: string[];
  }[];
  database_specific?: { severity?: string };
}

/** The export is not in the format of OSV. */
export class ExportError extends Error {
  override name = 'ExportError';
}

/**
 * The advisories of an export: a zip with a JSON file for each, or JSON with one, a list, or `{"vulns":[…]}`.
 * @throws ExportError for other bytes, or for an export without an advisory
 */
export function readExport(bytes: Uint8Array): Advisory[] {
  const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b;
  const advisories = isZip ? Object.values(unzipFiles(bytes)).flatMap(readJson) : readJson(bytes);
  if (advisories.length === 0) throw new ExportError('the export holds no advisory');
  return advisories;
}

function unzipFiles(bytes: Uint8Array): Record<string, Uint8Array> {
  try {
    return unzipSync(bytes, { filter: ({ name }) => name.endsWith('.json') });
  } catch (error) {
    throw new ExportError(`the export is a broken zip: ${(error as Error).message}`);
  }
}

function readJson(bytes: Uint8Array): Advisory[] {
  let value: unknown;
  try {
    value = JSON.parse(strFromU8(bytes));
  } catch (error) {
    throw new ExportError(`the export is neither zip nor JSON: ${(error as Error).message}`);
  }
  const list = Array.isArray(value) ? value : ((value as { vulns?: unknown[] }).vulns ?? [value]);
  for (const entry of list)
    if (typeof (entry as Advisory | null)?.id !== 'string')
      throw new ExportError('an entry of the export has no id: it is not in the format of OSV');
  return list as Advisory[];
}

/** Whether an advisory, unless it was withdrawn, affects a version of an npm package. */
export function affects(advisory: Advisory, name: string, version: string): boolean {
  if (advisory.withdrawn) return false;
  return (advisory.affected ?? []).some(({ package: affected, ranges = [], versions = [] }) => {
    if (affected?.ecosystem !== 'npm' || affected.name !== name) return false;
    return versions.includes(version) || ranges.some((range) => isInRange(range, version));
  });
}

/** Evaluates the events in the order of their versions, as the specification says. */
function isInRange({ type, events = [] }: { type?: string; events?: OsvEvent[] }, version: string): boolean {
  if (type !== 'SEMVER' && type !== 'ECOSYSTEM') return false;
  const versionOf = ({ introduced, fixed, last_affected }: OsvEvent) =>
    introduced === '0' ? '0.0.0-0' : (introduced ?? fixed ?? last_affected ?? '');
  const inOrder = events
    .filter((event) => semver.valid(versionOf(event)))
    .toSorted((a, b) => semver.compare(versionOf(a), versionOf(b)));
  let isAffected = false;
  for (const event of inOrder) {
    const order = semver.compare(version, versionOf(event));
    if (event.introduced !== undefined && order >= 0) isAffected = true;
    if (event.fixed !== undefined && order >= 0) isAffected = false;
    if (event.last_affected !== undefined && order > 0) isAffected = false;
  }
  return isAffected;
}
