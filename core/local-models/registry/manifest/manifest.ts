import type { Digest, ModelFile } from '#core/host';

/** A file or a text of a model, as its manifest lists it. */
export interface Layer {
  mediaType: string;
  digest: Digest;
  size: number;
  /** The model that the layer was inherited from: `smollm2:135m`. */
  from?: string;
  /** The file's path in its repository. */
  name?: string;
}

export interface Manifest {
  schemaVersion: 2;
  mediaType: string;
  config: Layer;
  layers: Layer[];
}

/** Kinds of layers that contain a text. */
export type TextKind = 'template' | 'system' | 'license' | 'params' | 'messages';

export const MANIFEST_MEDIA_TYPE = 'application/vnd.docker.distribution.manifest.v2+json';
export const CONFIG_MEDIA_TYPE = 'application/vnd.docker.container.image.v1+json';
const MEDIA_TYPE_PREFIX = 'application/vnd.ollama.image.';
const LAYER_KINDS: Record<ModelFile['role'], string> = {
  weights: 'model',
  projector: 'projector',
  adapter: 'adapter',
  tokenizer: 'tokenizer',
  config: 'config',
  library: 'library',
  part: 'part',
};

/** The manifest's text, whose digest identifies the model: members in Ollama's order, and a line feed at the end. */
export function printManifest(config: Layer, layers: Layer[]): string {
  const print = ({ mediaType, digest, size, from, name }: Layer) => ({ mediaType, digest, size, from, name });
  const manifest = {
    schemaVersion: 2,
    mediaType: MANIFEST_MEDIA_TYPE,
    config: print(config),
    layers: layers.map(print),
  };
  return `${JSON.stringify(manifest)}\n`;
}

/** Undefined: the text is no manifest, or an incomplete one. */
export function parseManifest(text: string): Manifest | undefined {
  const isLayer = (layer: Partial<Layer> | undefined) =>
    /^sha256:[0-9a-f]{64}$/.test(layer?.digest ?? '') &&
    Number.isSafeInteger(layer?.size) &&
    typeof layer?.mediaType === 'string';
  try {
    const manifest = JSON.parse(text) as Manifest;
    const isComplete =
      isLayer(manifest.config) && Array.isArray(manifest.layers) && manifest.layers.every(isLayer);
    return isComplete ? manifest : undefined;
  } catch {
    return undefined;
  }
}

/** The size of all layers in bytes, config included. */
export function totalSize(manifest: Pick<Manifest, 'config' | 'layers'>): number {
  return manifest.layers.reduce((sum, layer) => sum + layer.size, manifest.config.size);
}

export function fileToLayer(file: ModelFile): Layer {
  const { role, digest, size, name } = file;
  return {
    mediaType: `${MEDIA_TYPE_PREFIX}${LAYER_KINDS[role]}`,
    digest,
    size,
    ...(name === undefined ? {} : { name }),
  };
}

/** Undefined: the layer is no file of the model. */
export function layerToFile(layer: Layer): ModelFile | undefined {
  const found = Object.entries(LAYER_KINDS).find(
    ([, kind]) => layer.mediaType === `${MEDIA_TYPE_PREFIX}${kind}`,
  );
  if (!found) return undefined;
  const { digest, size, name } = layer;
  return { role: found[0] as ModelFile['role'], digest, size, ...(name === undefined ? {} : { name }) };
}

export const textMediaType = (kind: TextKind): string => `${MEDIA_TYPE_PREFIX}${kind}`;

/** The last part of Ollama's media types: `template`, `params`. Undefined: another media type. */
export function layerKind(layer: Layer): string | undefined {
  return layer.mediaType.startsWith(MEDIA_TYPE_PREFIX)
    ? layer.mediaType.slice(MEDIA_TYPE_PREFIX.length)
    : undefined;
}
