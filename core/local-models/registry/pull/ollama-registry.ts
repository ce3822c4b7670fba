import type { Host, LocatedFile } from '../../../host/host.ts';
import { readMessages, readParameters } from '../foreign-texts.ts';
import type { ModelTexts } from '../install.ts';
import {
  type Layer,
  layerKind,
  type Manifest,
  manifestType,
  roleOf,
  sha256,
  totalSize,
} from '../manifest.ts';
import type { ModelName } from '../types.ts';
import { ConnectionError, httpFile, statusError } from './http-file.ts';
import { networkErrorText } from './network-error.ts';
import { type Offer, type Source, SourceRefused } from './offer.ts';

type RegistryHost = Pick<Host, 'network' | 'platform'>;

const longestManifest = 4 * 1024 * 1024;
const longestText = 8 * 1024 * 1024;

/** A registry with manifests and blobs, such as the public one that names without a host mean. */
export function registrySource(host: RegistryHost, name: ModelName, insecure: boolean): Source {
  const base = `${insecure ? 'http' : 'https'}://${name.host}/v2/${name.namespace}/${name.model}`;
  return {
    name: name.host,
    async find(signal) {
      const address = `${base}/manifests/${name.tag}`;
      const answer = await get(host, address, signal);
      if (answer.status === 404) {
        await answer.body?.cancel();
        return undefined;
      }
      if (!answer.ok)
        throw new SourceRefused(`${answer.status}: ${(await answer.text()).trim().slice(0, 1000)}`);
      const bytes = await small(answer, longestManifest);
      return await offer(host, base, address, bytes, signal);
    },
  };
}

async function offer(
  host: RegistryHost,
  base: string,
  address: string,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<Offer> {
  const manifest = readManifest(bytes);
  const files: LocatedFile[] = [];
  const textLayers: Layer[] = [];
  const texts: ModelTexts = { licences: [] };
  for (const layer of manifest.layers) {
    const role = roleOf(layer);
    const url = `${base}/blobs/${layer.digest}`;
    if (role) {
      const { digest, size } = layer;
      files.push(
        httpFile(host.network, {
          role,
          name: digest.slice('sha256:'.length, 'sha256:'.length + 12),
          url,
          digest,
          size,
        }),
      );
    } else {
      readText(layer, await layerText(host, url, layer, signal), texts);
      textLayers.push(layer);
    }
  }
  textLayers.push(manifest.config);
  const digest = (await sha256(bytes)).slice('sha256:'.length);
  return { origin: address, files, texts, textLayers, manifest: { digest, size: totalSize(manifest) } };
}

function readManifest(bytes: Uint8Array): Manifest {
  const isLayer = (layer: Partial<Layer> | undefined) =>
    /^sha256:[0-9a-f]{64}$/.test(layer?.digest ?? '') &&
    Number.isSafeInteger(layer?.size) &&
    typeof layer?.mediaType === 'string';
  try {
    const manifest = JSON.parse(new TextDecoder().decode(bytes)) as Manifest;
    if (isLayer(manifest.config) && Array.isArray(manifest.layers) && manifest.layers.every(isLayer)) {
      return manifest;
    }
  } catch {
    // Told below, as for any other shape.
  }
  throw new SourceRefused('the registry answered with something that is no manifest');
}

function readText(layer: Layer, text: string, texts: ModelTexts): void {
  switch (layerKind(layer)) {
    case 'template':
      texts.template = text;
      break;
    case 'system':
      texts.system = text;
      break;
    case 'license':
      texts.licences.push(text);
      break;
    case 'params':
      texts.parameters = readParameters(text);
      break;
    case 'messages':
      texts.messages = readMessages(text);
      break;
  }
}

async function layerText(
  host: RegistryHost,
  url: string,
  layer: Layer,
  signal: AbortSignal,
): Promise<string> {
  if (layer.size > longestText) throw new SourceRefused(`layer ${layer.digest} is too long for a text`);
  const answer = await get(host, url, signal);
  if (!answer.ok) throw await statusError(answer, url);
  const bytes = await small(answer, longestText);
  const actual = await sha256(bytes);
  if (actual !== layer.digest) {
    throw new SourceRefused(
      `digest mismatch, file must be downloaded again: want ${layer.digest}, got ${actual}`,
    );
  }
  return new TextDecoder().decode(bytes);
}

async function get(host: RegistryHost, url: string, signal: AbortSignal): Promise<Response> {
  try {
    return await host.network.fetch(url, {
      headers: { accept: manifestType },
      signal,
      credentials: 'omit',
    });
  } catch (error) {
    signal.throwIfAborted();
    throw new ConnectionError(networkErrorText('Get', url, error) + nextStep(host), { cause: error });
  }
}

/** Pages may not read the answers of the public registry; elsewhere the words are those of the recorded API alone. */
function nextStep({ platform }: RegistryHost): string {
  if (platform !== 'tab') return '';
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
