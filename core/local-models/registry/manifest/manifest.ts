import type { Digest, ModelFile } from '#core/host';

export interface Layer {
  mediaType: string;
  digest: Digest;
  size: number;
  /** The model that it was taken over from: `smollm2:135m`. */
  from?: string;
  /** Path of a file inside its repository. */
  name?: string;
}

export interface Manifest {
  schemaVersion: 2;
  mediaType: string;
  config: Layer;
  layers: Layer[];
}

/** Kinds of layers that hold a text. */
export type TextKind = 'template' | 'system' | 'license' | 'params' | 'messages';

export const manifestType = 'application/vnd.docker.distribution.manifest.v2+json';
export const configType = 'application/vnd.docker.container.image.v1+json';
const image = 'application/vnd.ollama.image.';
const fileLayers: Record<ModelFile['role'], string> = {
  weights: 'model',
  projector: 'projector',
  adapter: 'adapter',
  tokenizer: 'tokenizer',
  config: 'config',
  library: 'library',
  part: 'part',
};

/** The bytes that are hashed and pushed: members in the usual order, a line feed at the end. */
export function printManifest(config: Layer, layers: Layer[]): string {
  const print = ({ mediaType, digest, size, from, name }: Layer) => ({ mediaType, digest, size, from, name });
  const manifest = {
    schemaVersion: 2,
    mediaType: manifestType,
    config: print(config),
    layers: layers.map(print),
  };
  return `${JSON.stringify(manifest)}\n`;
}

/** undefined: no manifest. */
export function parseManifest(text: string): Manifest | undefined {
  const isLayer = (layer: Partial<Layer> | undefined) =>
    /^sha256:[0-9a-f]{64}$/.test(layer?.digest ?? '') &&
    Number.isSafeInteger(layer?.size) &&
    typeof layer?.mediaType === 'string';
  try {
    const manifest = JSON.parse(text) as Manifest;
    const isWhole =
      isLayer(manifest.config) && Array.isArray(manifest.layers) && manifest.layers.every(isLayer);
    return isWhole ? manifest : undefined;
  } catch {
    return undefined;
  }
}

export function totalSize(manifest: Pick<Manifest, 'config' | 'layers'>): number {
  return manifest.layers.reduce((sum, layer) => sum + layer.size, manifest.config.size);
}

export function fileLayer(file: ModelFile): Layer {
  const { role, digest, size, name } = file;
  return { mediaType: `${image}${fileLayers[role]}`, digest, size, ...(name === undefined ? {} : { name }) };
}

/** undefined for a layer that is no file of the model. */
export function fileOf(layer: Layer): ModelFile | undefined {
  const found = Object.entries(fileLayers).find(([, kind]) => layer.mediaType === `${image}${kind}`);
  if (!found) return undefined;
  const { digest, size, name } = layer;
  return { role: found[0] as ModelFile['role'], digest, size, ...(name === undefined ? {} : { name }) };
}

export const textType = (kind: TextKind): string => `${image}${kind}`;

/** `template`, `params`, … of an image layer; undefined for other media types. */
export function layerKind(layer: Layer): string | undefined {
  return layer.mediaType.startsWith(image) ? layer.mediaType.slice(image.length) : undefined;
}

/** `pulling 941f309b54ca`: the first twelve digits are how people tell layers apart. */
export const shortDigest = (digest: Digest): string => digest.slice('sha256:'.length, 'sha256:'.length + 12);

/** For what fits in memory. */
export async function sha256(content: string | Uint8Array): Promise<Digest> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>));
  return `sha256:${[...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
