/**
 * `npm run catalogue:check` compares the catalogue with the model hub (HF_ENDPOINT, HF_TOKEN). Exit codes: 0
 * if all entries match, 1 if an entry is wrong, 2 if the hub cannot be reached.
 */
import { pathToFileURL } from 'node:url';
import { errorMessage } from '#core/base';
import type { Host } from '#core/host';
import {
  type CatalogueEntry,
  type CatalogueSource,
  catalogueEntries,
} from '#core/local-models/registry/catalogue/catalogue.ts';
import { hubSource } from '#core/local-models/registry/pull/sources/hub-source.ts';
import { formatModelSize } from '#core/local-models/registry/transfer/format-bytes.ts';
import { ConnectionError } from '#core/local-models/registry/transfer/http-file.ts';
import { hubEndpoint } from '#core/settings';

type CheckHost = Pick<Host, 'network' | 'setting'>;
type HubEntry = Extract<CatalogueSource, { hub: string }>;

/** Allowed relative difference of sizes, because pages of models show rounded ones. */
const SIZE_TOLERANCE = 0.01;

/** Returns the exit code. */
export async function checkCatalogue(
  host: CheckHost,
  catalogue: readonly CatalogueEntry[],
  print: (line: string) => void,
): Promise<number> {
  let found = 0;
  let checked = 0;
  for (const entry of catalogue) {
    const wrong: string[] = [];
    for (const source of entry.sources) {
      if (!('hub' in source)) continue;
      try {
        wrong.push(...(await checkSource(host, entry, source, print)));
        checked++;
      } catch (error) {
        if (error instanceof ConnectionError && checked === 0) {
          print(`${hubEndpoint(host)} is unreachable, nothing verified: ${error.message}`);
          return 2;
        }
        wrong.push(`${source.hub}: ${errorMessage(error)}`);
      }
    }
    if (wrong.length === 0) found++;
    for (const each of wrong) print(`WRONG ${entry.name}: ${each}`);
  }
  print(`${found} of ${catalogue.length} entries found`);
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
    `ok    ${entry.name}: ${weights.name}, ${formatModelSize(weights.size)}, ${offer.licence ?? 'no licence licence'}`,
  );
  const wrong: string[] = [];
  const licence = offer.licence?.split(' ')[0];
  if (licence && licence !== entry.licence)
    wrong.push(`its licence is ${licence}, the catalogue says ${entry.licence}`);
  const bytes = offer.files.reduce((sum, { size = Number.NaN }) => sum + size, 0);
  if (entry.bytes !== undefined && Math.abs(bytes / entry.bytes - 1) > SIZE_TOLERANCE)
    wrong.push(`it has ${formatModelSize(bytes)}, the catalogue says ${formatModelSize(entry.bytes)}`);
  return wrong;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const host: CheckHost = {
    network: { fetch: (url, init) => fetch(url, init as RequestInit) },
    setting: (name) => process.env[name],
  };
  process.exitCode = await checkCatalogue(host, catalogueEntries, (line) => console.log(line));
}
