/**
 * `npm run catalogue:check`: asks the model hub (HF_ENDPOINT, HF_TOKEN) whether it has what the catalogue says.
 * Ends with 0 when it has all, 1 when something is amiss, 2 when the hub cannot be reached and nothing was verified.
 */
import { pathToFileURL } from 'node:url';
import type { Host } from '#core/host';
import {
  type CatalogueEntry,
  type CatalogueSource,
  catalogueEntries,
} from '#core/local-models/registry/catalogue/catalogue.ts';
import { hubEndpoint, hubSource } from '#core/local-models/registry/pull/sources/hub-source.ts';
import { formatBytes } from '#core/local-models/registry/transfer/format-bytes.ts';
import { ConnectionError } from '#core/local-models/registry/transfer/http-file.ts';

type CheckHost = Pick<Host, 'network' | 'setting'>;
type HubEntry = Extract<CatalogueSource, { hub: string }>;

/** What a size may be off by: pages of models round theirs. */
const ROUNDED = 0.01;

/** Returns the exit code. */
export async function checkCatalogue(
  host: CheckHost,
  catalogue: readonly CatalogueEntry[],
  say: (line: string) => void,
): Promise<number> {
  let found = 0;
  let asked = 0;
  for (const entry of catalogue) {
    const wrong: string[] = [];
    for (const source of entry.sources) {
      if (!('hub' in source)) continue;
      try {
        wrong.push(...(await checkSource(host, entry, source, say)));
        asked++;
      } catch (error) {
        if (error instanceof ConnectionError && asked === 0) {
          say(`${hubEndpoint(host)} is unreachable, nothing verified: ${error.message}`);
          return 2;
        }
        wrong.push(`${source.hub}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    if (wrong.length === 0) found++;
    for (const each of wrong) say(`WRONG ${entry.name}: ${each}`);
  }
  say(`${found} of ${catalogue.length} entries found`);
  return found === catalogue.length ? 0 : 1;
}

async function checkSource(
  host: CheckHost,
  entry: CatalogueEntry,
  { hub: repository, ...rest }: HubEntry,
  say: (line: string) => void,
): Promise<string[]> {
  const offer = await hubSource(host, { repository, ...rest }).find(AbortSignal.timeout(30_000));
  if (!offer) return [`${repository} does not exist`];
  const [weights] = offer.files;
  if (!weights?.digest || weights.size === undefined) return [`${offer.origin} has no digest or size`];
  say(
    `ok    ${entry.name}: ${weights.name}, ${formatBytes(weights.size)}, ${offer.licence ?? 'no licence told'}`,
  );
  const wrong: string[] = [];
  const told = offer.licence?.split(' ')[0];
  if (told && told !== entry.licence)
    wrong.push(`its licence is ${told}, the catalogue says ${entry.licence}`);
  const bytes = offer.files.reduce((sum, { size = Number.NaN }) => sum + size, 0);
  if (entry.bytes !== undefined && Math.abs(bytes / entry.bytes - 1) > ROUNDED)
    wrong.push(`it has ${formatBytes(bytes)}, the catalogue says ${formatBytes(entry.bytes)}`);
  return wrong;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const host: CheckHost = {
    network: { fetch: (url, init) => fetch(url, init as RequestInit) },
    setting: (name) => process.env[name],
  };
  process.exitCode = await checkCatalogue(host, catalogueEntries, (line) => console.log(line));
}
