import type { Host, LocatedFile, WeightSource } from '#core/host';
import { ApiError } from '#core/http';
import type { ModelName } from '#core/local-models/base/installed-model.ts';
import { catalogued } from '../../catalogue/catalogue.ts';
import { canonicalName, displayName } from '../../names/model-name.ts';
import type { Reference } from '../../names/model-reference.ts';
import { locateHttpFile } from '../../transfer/http-file.ts';
import { bestFirst, judge, matchesVariant, variantDevice } from '../../variants/choose-variant.ts';
import { type PullVariant, variantsOf } from '../../variants/pullable-variants.ts';
import { hubEndpoint, hubSource } from './hub.ts';
import { readManifest } from './manifest-texts.ts';
import { mlcSource } from './mlc.ts';
import type { Offer, Source } from './offer.ts';
import { registrySource } from './ollama-registry.ts';

type SourceHost = Pick<
  Host,
  | 'network'
  | 'capabilities'
  | 'setting'
  | 'weightSources'
  | 'prebuilt'
  | 'languageEngines'
  | 'tensorEngine'
  | 'machine'
>;

/**
 * Where a model may come from, in the order in which to try: what runs best on this device first. `variant`: only that
 * format or quantisation; throws ApiError 400 where there is none.
 */
export async function sourcesOf(
  host: SourceHost,
  reference: Reference,
  insecure: boolean,
  variant?: string,
): Promise<Source[]> {
  switch (reference.kind) {
    case 'name':
      return await byVariant(host, reference.name, insecure, variant);
    case 'url':
      return [byUrl(host, reference.url)];
    case 'package':
      return fromPackage(host, reference.uri);
  }
}

/** Sources that know models by their names: the shim on this machine. */
function nearby(host: SourceHost, name: ModelName): Source[] {
  return host.weightSources
    .filter((source) => source.scheme === undefined)
    .map((source) => platformSource(source, canonicalName(name)));
}

async function byVariant(
  host: SourceHost,
  name: ModelName,
  insecure: boolean,
  wanted: string | undefined,
): Promise<Source[]> {
  const all = await variantsOf(host, name);
  const device = await variantDevice(host);
  const chosen = wanted === undefined ? all : all.filter((each) => matchesVariant(each, wanted));
  if (wanted !== undefined && chosen.length === 0) throw noVariant(name, wanted, all);
  const usable = chosen.filter((each) => judge(each, device).rank !== undefined);
  // Asked for by its own name, what cannot run here is told when it is loaded; the file may be for another device.
  const ordered = bestFirst(usable.length > 0 ? usable : chosen, device);
  const sources = ordered.flatMap((each) =>
    'prebuilt' in each
      ? [mlcSource(host, each.prebuilt)]
      : [...nearby(host, name), ...byName(host, name, insecure)],
  );
  const several = all.length > 1;
  if (ordered.length > 0) return several ? sources.map(besideOthers) : sources;
  return [...nearby(host, name), ...byName(host, name, insecure)];
}

function noVariant(name: ModelName, wanted: string, all: PullVariant[]): ApiError {
  const there = all.map(({ format, quantization }) => (quantization ? `${format}:${quantization}` : format));
  const list = there.length > 0 ? `; it has ${there.join(', ')}` : ', nor others that are known';
  return new ApiError(400, `${displayName(name)} has no variant ${JSON.stringify(wanted)}${list}`);
}

/** The other formats of the name that are installed stay. */
function besideOthers(source: Source): Source {
  return {
    ...source,
    async find(signal) {
      const offer = await source.find(signal);
      return offer && { ...offer, beside: true };
    },
  };
}

function byName(host: SourceHost, name: ModelName, insecure: boolean): Source[] {
  if (isHub(name.host)) {
    const repository = `${name.namespace}/${name.model}`;
    return [hubSource(host, { repository, ...(name.tag === 'latest' ? {} : { quant: name.tag }) })];
  }
  const entry = catalogued(name);
  if (!entry) return [registrySource(host, name, insecure)];
  const sources = entry.sources.flatMap((source) => {
    if ('package' in source) return fromPackage(host, source.package);
    const { hub: repository, ...rest } = source;
    return [hubSource(host, { repository, ...rest })];
  });
  return sources.map((source) => licensed(source, entry.licence));
}

/** A source that says nothing of a licence gives the file under the one that the catalogue names. */
function licensed(source: Source, licence: string): Source {
  return {
    ...source,
    async find(signal) {
      const offer = await source.find(signal);
      return offer && { licence, ...offer };
    },
  };
}

function byUrl(host: SourceHost, url: string): Source {
  const { hostname, pathname, origin } = new URL(url);
  const hubFile = /^\/([^/]+\/[^/]+)\/(?:resolve|blob)\/([^/]+)\/(.+)$/.exec(pathname);
  if (hubFile && (isHub(hostname) || origin === hubEndpoint(host))) {
    const [repository, revision, file] = hubFile.slice(1).map(decodeURIComponent);
    return hubSource(host, { repository: repository!, revision: revision!, file: file! });
  }
  const name = decodeURIComponent(pathname.split('/').at(-1)!);
  return {
    name: url,
    async find(signal) {
      const file = await locateHttpFile(host.network, { role: 'weights', name, url }, signal);
      return file && { origin: url, files: [file], texts: { licences: [] } };
    },
  };
}

/** undefined source when the platform has none for the scheme: then the others have to do. */
function fromPackage(host: SourceHost, uri: string): Source[] {
  const scheme = uri.slice(0, uri.indexOf(':'));
  const source = host.weightSources.find((each) => each.scheme === scheme);
  return source ? [platformSource(source, uri)] : [];
}

function platformSource(source: WeightSource, uri: string): Source {
  return {
    name: source.name,
    async find(signal) {
      const located = await source.locate(uri, signal);
      const files = located && 'files' in located ? located.files : (located ?? []);
      if (files.length === 0) return undefined;
      const offer = offerOf(source, uri, files);
      if (!located || !('files' in located)) return offer;
      return { ...offer, ...(await readManifest(located, signal)) };
    },
  };
}

function offerOf(source: WeightSource, uri: string, files: LocatedFile[]): Offer {
  const licence = files.find((file) => file.licence)?.licence;
  return {
    origin: source.scheme ? uri : `${source.name}: ${uri}`,
    files,
    texts: { licences: licence ? [licence] : [] },
    // It may be the whole text.
    ...(licence ? { licence: licence.trim().split('\n')[0]!.slice(0, 100) } : {}),
  };
}

const isHub = (host: string) => /^(hf\.co|huggingface\.co)$/i.test(host);
