import type { LocatedModel } from '#core/host';
import { sha256 } from '../../manifest/digests.ts';
import { type Layer, layerToFile, type Manifest, parseManifest } from '../../manifest/manifest.ts';
import { addText, type ModelTexts } from '../../manifest/model-texts.ts';
import { type Offer, SourceRefused } from './offer.ts';

/** In bytes. */
const MAX_TEXT = 8 * 1024 * 1024;

/** Loads a layer. Its caller checks the digest. */
type ReadLayer = (layer: Layer) => Promise<Uint8Array>;

/**
 * Loads the texts of a manifest.
 * @throws SourceRefused when a text is too long or has another digest
 */
export async function readTexts(
  text: string,
  manifest: Manifest,
  read: ReadLayer,
): Promise<Required<Pick<Offer, 'texts' | 'textLayers' | 'manifest'>>> {
  const textLayers: { layer: Layer; bytes: Uint8Array }[] = [];
  const texts: ModelTexts = { licences: [] };
  const load = async (layer: Layer) => {
    if (layer.size > MAX_TEXT) throw new SourceRefused(`layer ${layer.digest} is too long for a text`);
    const bytes = await read(layer);
    const actual = await sha256(bytes);
    if (actual !== layer.digest) {
      throw new SourceRefused(
        `digest mismatch, file must be downloaded again: want ${layer.digest}, got ${actual}`,
      );
    }
    textLayers.push({ layer, bytes });
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes as Uint8Array<ArrayBuffer>);
  };
  for (const layer of manifest.layers) if (!layerToFile(layer)) addText(texts, layer, await load(layer));
  return { texts, textLayers, manifest: { text, config: await load(manifest.config) } };
}

/** The texts of a located model. Empty when its manifest does not match its files: then only the files are installed. */
export async function readManifest(
  { files, manifest: text, readLayer }: LocatedModel,
  signal: AbortSignal,
): Promise<Partial<Offer>> {
  const manifest = parseManifest(text);
  const listed = manifest?.layers.flatMap((layer) => layerToFile(layer)?.digest ?? []) ?? [];
  const located = new Set(files.map(({ digest }) => digest));
  const isMatching = listed.length === files.length && listed.every((digest) => located.has(digest));
  if (!manifest || !isMatching) return {};
  return await readTexts(text, manifest, (layer) => readLayer(layer.digest, signal));
}
