/** Stores the texts of a model as layers, so that a manifest can list them and a push can upload them. */
import type { Blobs, Digest } from '#core/host';
import { printJson } from '#core/http';
import { type Layer, layerKind, type TextKind, textMediaType } from './manifest.ts';
import { storeBytes } from './store-bytes.ts';

/** The texts that `composeLayers` adds to the layers of a base model. */
export interface LayerTexts {
  template?: string;
  system?: string;
  licences?: string[];
  /** All parameters, those of the base included. */
  parameters?: Record<string, unknown>;
  messages?: Record<string, unknown>[];
}

export interface StoredLayer extends Layer {
  /** Whether the blob was not stored before. */
  isNew: boolean;
}

const encoder = new TextEncoder();

/**
 * Stores a text under its digest, unless it is stored already.
 * @param hold receives the digest before anything is written
 */
export async function storeText(
  blobs: Blobs,
  mediaType: string,
  text: string | Uint8Array,
  hold: (digest: Digest) => void,
): Promise<StoredLayer> {
  const bytes = typeof text === 'string' ? encoder.encode(text) : text;
  return { mediaType, ...(await storeBytes(blobs, 'text', bytes, hold)) };
}

/**
 * The layers of a model that is derived from `base`. New texts replace template, system, parameters and messages;
 * licences are added. New layers follow in Ollama's order.
 */
export async function composeLayers(
  blobs: Blobs,
  base: Layer[],
  texts: LayerTexts,
  hold: (digest: Digest) => void,
): Promise<StoredLayer[]> {
  const added: [kind: TextKind, text: string][] = [];
  if (texts.template !== undefined) added.push(['template', texts.template]);
  if (texts.system) added.push(['system', texts.system]);
  for (const licence of texts.licences ?? []) added.push(['license', licence]);
  if (texts.parameters && Object.keys(texts.parameters).length > 0)
    added.push(['params', `${printJson(sorted(texts.parameters))}\n`]);
  if (texts.messages?.length) added.push(['messages', `${printJson(texts.messages)}\n`]);
  const replaced = new Set<string | undefined>(added.map(([kind]) => kind).filter((k) => k !== 'license'));
  const layers: StoredLayer[] = base
    .filter((layer) => !replaced.has(layerKind(layer)))
    .map((layer) => ({ ...layer, isNew: false }));
  for (const [kind, text] of added) layers.push(await storeText(blobs, textMediaType(kind), text, hold));
  return layers;
}

/** @throws an error when the layer is longer than `maxBytes` */
export async function readTextLayer(blobs: Blobs, layer: Layer, maxBytes = 8 * 1024 * 1024): Promise<string> {
  if (layer.size > maxBytes) throw new Error(`layer ${layer.digest} is too long for a text`);
  return await new Response(blobs.read(layer.digest) as ReadableStream<Uint8Array>).text();
}

/** Sorts the members of objects by name, as Go prints maps. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(entries.map(([key, member]) => [key, sorted(member)]));
}
