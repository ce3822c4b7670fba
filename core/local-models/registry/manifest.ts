import type { Digest } from '../../host/blobs.ts';
import type { ModelFile } from '../../host/language-engine.ts';
import type { InstalledModel } from './types.ts';

export interface Layer {
  mediaType: string;
  digest: Digest;
  size: number;
  /** Path of a file inside its repository. */
  name?: string;
}

export interface Manifest {
  schemaVersion: 2;
  mediaType: string;
  config: Layer;
  layers: Layer[];
}

export const manifestType = 'application/vnd.docker.distribution.manifest.v2+json';
const configType = 'application/vnd.docker.container.image.v1+json';
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

/** The manifest of a model that did not come with one, its digest (hex) and the size of all layers. */
export async function manifestOf(
  model: Pick<
    InstalledModel,
    'format' | 'files' | 'template' | 'system' | 'licences' | 'parameters' | 'messages'
  >,
  details: { family: string; parameterSize: string; quantization: string },
): Promise<{ manifest: Manifest; digest: string; size: number }> {
  const layers: Layer[] = model.files.map((file) => ({
    mediaType: `${image}${fileLayers[file.role]}`,
    digest: file.digest,
    size: file.size,
    ...(file.name === undefined ? {} : { name: file.name }),
  }));
  const text = async (kind: string, content: string | undefined) => {
    if (content !== undefined) layers.push(await textLayer(`${image}${kind}`, content));
  };
  await text('template', model.template);
  await text('system', model.system);
  for (const licence of model.licences) await text('license', licence);
  if (Object.keys(model.parameters).length > 0) await text('params', JSON.stringify(model.parameters));
  if (model.messages.length > 0) await text('messages', JSON.stringify(model.messages));
  const config = await textLayer(
    configType,
    JSON.stringify({
      model_format: model.format,
      model_family: details.family,
      model_families: [details.family],
      model_type: details.parameterSize,
      file_type: details.quantization,
      rootfs: { type: 'layers', diff_ids: layers.map((layer) => layer.digest) },
    }),
  );
  const manifest: Manifest = { schemaVersion: 2, mediaType: manifestType, config, layers };
  const digest = await sha256(JSON.stringify(manifest));
  return { manifest, digest: digest.slice('sha256:'.length), size: totalSize(manifest) };
}

export function totalSize(manifest: Pick<Manifest, 'config' | 'layers'>): number {
  return manifest.layers.reduce((sum, layer) => sum + layer.size, manifest.config.size);
}

export function roleOf(layer: Layer): ModelFile['role'] | undefined {
  const found = Object.entries(fileLayers).find(([, kind]) => layer.mediaType === `${image}${kind}`);
  return found?.[0] as ModelFile['role'] | undefined;
}

/** `template`, `params`, … of an image layer; undefined for other media types. */
export function layerKind(layer: Layer): string | undefined {
  return layer.mediaType.startsWith(image) ? layer.mediaType.slice(image.length) : undefined;
}

/** For what fits in memory. */
export async function sha256(content: string | Uint8Array): Promise<Digest> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>));
  return `sha256:${[...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

async function textLayer(mediaType: string, content: string): Promise<Layer> {
  const size = new TextEncoder().encode(content).length;
  return { mediaType, digest: await sha256(content), size };
}
