import type { Host } from '#core/host';
import type { ModelName } from '#core/local-models/base/installed-model.ts';
import { fileOf, type Layer, manifestType, parseManifest, shortDigest } from '../../manifest/manifest.ts';
import { ConnectionError, httpFile, statusError } from '../../transfer/http-file.ts';
import { RemoteRegistry } from '../../transfer/remote-registry.ts';
import { readTexts } from './manifest-texts.ts';
import { type Offer, type Source, SourceRefused } from './offer.ts';

type RegistryHost = Pick<Host, 'network' | 'capabilities'>;

const longestManifest = 4 * 1024 * 1024;
const longestText = 8 * 1024 * 1024;

/** A registry with manifests and blobs, such as the public one that names without a host mean. */
export function registrySource(host: RegistryHost, name: ModelName, insecure: boolean): Source {
  return {
    name: name.host,
    async find(signal) {
      const registry = new RemoteRegistry(host.network, name, insecure);
      const address = `${registry.base}/manifests/${name.tag}`;
      const answer = await get(host, registry, address, signal);
      if (answer.status === 404) {
        await answer.body?.cancel();
        return undefined;
      }
      if (!answer.ok)
        throw new SourceRefused(`${answer.status}: ${(await answer.text()).trim().slice(0, 1000)}`);
      const bytes = await small(answer, longestManifest);
      return await offer(host, registry, address, new TextDecoder().decode(bytes), signal);
    },
  };
}

async function offer(
  host: RegistryHost,
  registry: RemoteRegistry,
  address: string,
  text: string,
  signal: AbortSignal,
): Promise<Offer> {
  const manifest = parseManifest(text);
  if (!manifest) throw new SourceRefused('the registry answered with something that is no manifest');
  const files = manifest.layers.flatMap((layer) => {
    const file = fileOf(layer);
    if (!file) return [];
    const url = `${registry.base}/blobs/${layer.digest}`;
    const name = shortDigest(layer.digest);
    const { name: path, ...known } = file;
    const located = httpFile(host.network, { ...known, name, url, headers: registry.headers });
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
  const answer = await get(host, registry, url, signal);
  if (!answer.ok) throw await statusError(answer, url);
  return await small(answer, longestText);
}

async function get(
  host: RegistryHost,
  registry: RemoteRegistry,
  url: string,
  signal: AbortSignal,
): Promise<Response> {
  try {
    return await registry.request('GET', url, { headers: { accept: manifestType } }, signal);
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
    throw new ConnectionError(error.message + nextStep(host), { cause: error });
  }
}

/** Pages may not read the answers of the public registry; elsewhere the words are those of the recorded API alone. */
function nextStep({ capabilities }: RegistryHost): string {
  if (!capabilities.enforcesCors) return '';
  return (
    '; a page cannot read this registry: take a model of the catalogue or hf.co/user/repository, ' +
    'or pull it with tabd on this computer, from where this page can take it'
  );
}

async function small(answer: Response, longest: number): Promise<Uint8Array> {
  const announced = Number(answer.headers.get('content-length') ?? 0);
  if (announced > longest) {
    await answer.body?.cancel();
    throw new SourceRefused(`${answer.url} answered with ${announced} bytes`);
  }
  return new Uint8Array(await answer.arrayBuffer());
}
