/** Texts of a model as layers: stored as blobs, so that a manifest can name them and a registry be given them. */
import type { Blobs, Digest } from '#core/host';
import { printJson } from '#core/http';
import { type Layer, layerKind, sha256, type TextKind, textType } from './manifest.ts';

/** What `composeLayers` puts in place of the layers there are. */
export interface LayerTexts {
  template?: string;
  system?: string;
  licences?: string[];
  /** All of them: an object written anew. */
  parameters?: Record<string, unknown>;
  messages?: Record<string, unknown>[];
}

export interface StoredLayer extends Layer {
  /** Its blob was not here before. */
  isNew: boolean;
}

const encoder = new TextEncoder();

/** Stores a text under its digest, unless it is there. `hold` is told the digest before anything is written. */
export async function storeText(
  blobs: Blobs,
  mediaType: string,
  text: string | Uint8Array,
  hold: (digest: Digest) => void,
): Promise<StoredLayer> {
  const bytes = typeof text === 'string' ? encoder.encode(text) : text;
  const digest = await sha256(bytes);
  hold(digest);
  const layer = { mediaType, digest, size: bytes.length };
  if (await blobs.stat(digest)) return { ...layer, isNew: false };
  const partial = await blobs.openPartial(`text-${digest.slice('sha256:'.length)}`);
  try {
    await partial.truncate();
    await partial.append(bytes);
    await partial.commit(digest);
  } finally {
    await partial.close();
  }
  return { ...layer, isNew: true };
}

/**
 * The layers of a model made of `base`: template, system, parameters and messages give way to new ones, licences are
 * added. New layers follow in the order in which Ollama writes them.
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
  for (const [kind, text] of added) layers.push(await storeText(blobs, textType(kind), text, hold));
  return layers;
}

/** A text layer's text; it must be no longer than texts are. */
export async function readText(blobs: Blobs, layer: Layer, longest = 8 * 1024 * 1024): Promise<string> {
  if (layer.size > longest) throw new Error(`layer ${layer.digest} is too long for a text`);
  return await new Response(blobs.read(layer.digest) as ReadableStream<Uint8Array>).text();
}

/** Objects with their members by name, as maps are printed. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(entries.map(([key, member]) => [key, sorted(member)]));
}
