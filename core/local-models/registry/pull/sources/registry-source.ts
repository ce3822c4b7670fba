import type { Host } from '#core/host';
import type { ModelName } from '#core/local-models/base/installed-model.ts';
import { shortDigest } from '../../manifest/digests.ts';
import { type Layer, layerToFile, MANIFEST_MEDIA_TYPE, parseManifest } from '../../manifest/manifest.ts';
import { ConnectionError, httpFile, statusError } from '../../transfer/http-file.ts';
import { RemoteRegistry } from '../../transfer/remote-registry.ts';
import { readTexts } from './manifest-texts.ts';
import { type ModelSource, type Offer, SourceRefused } from './offer.ts';

type RegistryHost = Pick<Host, 'network' | 'capabilities'>;

/** In bytes. */
const MAX_MANIFEST = 4 * 1024 * 1024;
const MAX_TEXT = 8 * 1024 * 1024;

/** A registry of manifests and blobs, such as Ollama's public one. */
export function registrySource(host: RegistryHost, name: ModelName, insecure: boolean): ModelSource {
  return {
    name: name.host,
    async find(signal) {
      const registry = new RemoteRegistry(host.network, name, insecure);
      const address = `${registry.base}/manifests/${name.tag}`;
      const response = await get(host, registry, address, signal);
      if (response.status === 404) {
        await response.body?.cancel();
        return undefined;
      }
      if (!response.ok)
        throw new SourceRefused(`${response.status}: ${(await response.text()).trim().slice(0, 1000)}`);
      const bytes = await readLimited(response, MAX_MANIFEST);
      return await toOffer(host, registry, address, new TextDecoder().decode(bytes), signal);
    },
  };
}

async function toOffer(
  host: RegistryHost,
  registry: RemoteRegistry,
  address: string,
  text: string,
  signal: AbortSignal,
): Promise<Offer> {
  const manifest = parseManifest(text);
  if (!manifest) throw new SourceRefused('the registry answered with something that is no manifest');
  const files = manifest.layers.flatMap((layer) => {
    const file = layerToFile(layer);
    if (!file) return [];
    const url = `${registry.base}/blobs/${layer.digest}`;
    const name = shortDigest(layer.digest);
    const { name: path, ...properties } = file;
    const located = httpFile(host.network, { ...properties, name, url, headers: registry.headers });
    return [path === undefined ? located : { ...located, path }];
  });
  const read = (layer: Layer) => layerBytes(host, registry, layer, signal);
  return { origin: address, files, ...(await readTexts(text, manifest, read)) };
}

async function layerBytes(
  host: RegistryHost,
  registry: RemoteRegistry,
  layer: Layer,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const url = `${registry.base}/blobs/${layer.digest}`;
  const response = await get(host, registry, url, signal);
  if (!response.ok) throw await statusError(response, url);
  return await readLimited(response, MAX_TEXT);
}

async function get(
  host: RegistryHost,
  registry: RemoteRegistry,
  url: string,
  signal: AbortSignal,
): Promise<Response> {
  try {
    return await registry.request('GET', url, { headers: { accept: MANIFEST_MEDIA_TYPE } }, signal);
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
    throw new ConnectionError(error.message + nextStep(host), { cause: error });
  }
}

/**
 * A hint for pages, which may not read the responses of the public registry. Elsewhere the message has only the text of
 * the API.
 */
function nextStep({ capabilities }: RegistryHost): string {
  if (!capabilities.enforcesCors) return '';
  return (
    '; a page cannot read this registry: take a model of the catalogue or hf.co/user/repository, ' +
    'or pull it with tabd on this computer, from where this page can take it'
  );
}

async function readLimited(response: Response, maxBytes: number): Promise<Uint8Array> {
  const announced = Number(response.headers.get('content-length') ?? 0);
  if (announced > maxBytes) {
    await response.body?.cancel();
    throw new SourceRefused(`${response.url} answered with ${announced} bytes`);
  }
  return new Uint8Array(await response.arrayBuffer());
}
