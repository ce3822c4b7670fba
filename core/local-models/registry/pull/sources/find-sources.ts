import type { Host, LocatedFile, WeightSource } from '#core/host';
import { ApiError } from '#core/http';
import type { ModelName } from '#core/local-models/base/installed-model.ts';
import { hubEndpoint } from '#core/settings';
import { findInCatalogue } from '../../catalogue/catalogue.ts';
import { findPublishedFile } from '../../catalogue/published-files.ts';
import { isImageWeights } from '../../formats/file-roles.ts';
import { canonicalName, defaultHost, defaultNamespace, displayName } from '../../names/model-name.ts';
import type { ModelReference } from '../../names/model-reference.ts';
import { locateHttpFile } from '../../transfer/http-file.ts';
import { type PullableVariant, pullableVariants } from '../../variants/pullable-variants.ts';
import { matchesVariant, rateVariant, sortByRating, variantDevice } from '../../variants/rate-variant.ts';
import { hubSource } from './hub-source.ts';
import { readManifest } from './manifest-texts.ts';
import { mlcSource } from './mlc-source.ts';
import type { ModelSource, Offer } from './offer.ts';
import { registrySource } from './registry-source.ts';

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
 * The sources of a model in the order of preference: the best variant for this device comes first.
 * @param variant limits the result to a format or quantization
 * @throws ApiError 400 when the model has no such variant
 */
export async function findSources(
  host: SourceHost,
  reference: ModelReference,
  insecure: boolean,
  variant?: string,
): Promise<ModelSource[]> {
  switch (reference.kind) {
    case 'name':
      return await byVariant(host, reference.name, insecure, variant);
    case 'url':
      return [byUrl(host, reference.url)];
    case 'package':
      return fromPackage(host, reference.uri);
  }
}

/** Sources of the host that know models by name: the shim on this machine. */
function hostSources(host: SourceHost, name: ModelName): ModelSource[] {
  return host.weightSources
    .filter((source) => source.scheme === undefined)
    .map((source) => platformSource(source, canonicalName(name)));
}

async function byVariant(
  host: SourceHost,
  name: ModelName,
  insecure: boolean,
  selector: string | undefined,
): Promise<ModelSource[]> {
  const all = await pullableVariants(host, name);
  const device = await variantDevice(host);
  const selected = selector === undefined ? all : all.filter((variant) => matchesVariant(variant, selector));
  if (selector !== undefined && selected.length === 0) throw noSuchVariant(name, selector, all);
  const usable = selected.filter((variant) => rateVariant(variant, device).rank !== undefined);
  // A variant that this device cannot run may be pulled all the same: loading it reports the reason.
  const sorted = sortByRating(usable.length > 0 ? usable : selected, device);
  const ownSources = () => [...hostSources(host, name), ...byName(host, name, insecure)];
  if (sorted.length === 0) return ownSources();
  const sources = sorted.flatMap((variant) =>
    'prebuilt' in variant ? [mlcSource(host, variant.prebuilt)] : ownSources(),
  );
  return all.length > 1 ? sources.map(keepingOtherVariants) : sources;
}

function noSuchVariant(name: ModelName, selector: string, all: PullableVariant[]): ApiError {
  const labels = all.map(({ format, quantization }) => (quantization ? `${format}:${quantization}` : format));
  const list = labels.length > 0 ? `; it has ${labels.join(', ')}` : ', nor others that are known';
  return new ApiError(400, `${displayName(name)} has no variant ${JSON.stringify(selector)}${list}`);
}

/** A source whose offers keep the installed variants of the name in other formats. */
function keepingOtherVariants(source: ModelSource): ModelSource {
  return {
    ...source,
    async find(signal) {
      const offer = await source.find(signal);
      return offer && { ...offer, keepsOtherVariants: true };
    },
  };
}

function byName(host: SourceHost, name: ModelName, insecure: boolean): ModelSource[] {
  if (isHub(name.host)) {
    const repository = `${name.namespace}/${name.model}`;
    return [hubSource(host, { repository, ...(name.tag === 'latest' ? {} : { quant: name.tag }) })];
  }
  const entry = findInCatalogue(name);
  const published = entry ? undefined : publishedSource(host, name);
  if (published) return [published];
  if (!entry) return [registrySource(host, name, insecure)];
  const sources = entry.sources.flatMap((source) => {
    if ('package' in source) return fromPackage(host, source.package);
    const { hub: repository, ...rest } = source;
    return [hubSource(host, { repository, ...rest })];
  });
  return sources.map((source) => withLicence(source, entry.licence));
}

/** The source of a file by its name alone, as graphs of image workflows write it. */
function publishedSource(
  host: SourceHost,
  { host: of, namespace, model }: ModelName,
): ModelSource | undefined {
  if (of !== defaultHost || namespace !== defaultNamespace) return undefined;
  const file = findPublishedFile(model);
  if (!file) return undefined;
  const source = hubSource(host, { repository: file.repository, file: file.path });
  return file.licence === undefined ? source : withLicence(source, file.licence);
}

/** A source whose offers have this licence, unless they state one. */
function withLicence(source: ModelSource, licence: string): ModelSource {
  return {
    ...source,
    async find(signal) {
      const offer = await source.find(signal);
      return offer && { licence, ...offer };
    },
  };
}

function byUrl(host: SourceHost, url: string): ModelSource {
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
      const located = file && isImageWeights(name) ? { ...file, path: name } : file;
      return located && { origin: url, files: [located], texts: { licences: [] } };
    },
  };
}

/** Empty when the host has no source for the scheme of the URI. */
function fromPackage(host: SourceHost, uri: string): ModelSource[] {
  const scheme = uri.slice(0, uri.indexOf(':'));
  const source = host.weightSources.find((candidate) => candidate.scheme === scheme);
  return source ? [platformSource(source, uri)] : [];
}

function platformSource(source: WeightSource, uri: string): ModelSource {
  return {
    name: source.name,
    async find(signal) {
      const located = await source.locate(uri, signal);
      const files = located && 'files' in located ? located.files : (located ?? []);
      if (files.length === 0) return undefined;
      const offer = toOffer(source, uri, files);
      if (!located || !('files' in located)) return offer;
      return { ...offer, ...(await readManifest(located, signal)) };
    },
  };
}

function toOffer(source: WeightSource, uri: string, files: LocatedFile[]): Offer {
  const licence = files.find((file) => file.licence)?.licence;
  return {
    origin: source.scheme ? uri : `${source.name}: ${uri}`,
    files,
    texts: { licences: licence ? [licence] : [] },
    // Some packages state the complete text of the licence: its first line serves as the name.
    ...(licence ? { licence: licence.trim().split('\n')[0]!.slice(0, 100) } : {}),
  };
}

const isHub = (host: string) => /^(hf\.co|huggingface\.co)$/i.test(host);
