import type { LocatedModel } from '#core/host';
import { fileOf, type Layer, type Manifest, parseManifest, sha256 } from '../../manifest/manifest.ts';
import { type ModelTexts, takeText } from '../../manifest/model-texts.ts';
import { type Offer, SourceRefused } from './offer.ts';

const longestText = 8 * 1024 * 1024;

/** Gets one layer; what it gives is checked here. */
type ReadLayer = (layer: Layer) => Promise<Uint8Array>;

/** Brings the texts that a manifest names. Throws `SourceRefused` for one that is too long or has another digest. */
export async function readTexts(
  text: string,
  manifest: Manifest,
  read: ReadLayer,
): Promise<Required<Pick<Offer, 'texts' | 'textLayers' | 'manifest'>>> {
  const textLayers: { layer: Layer; bytes: Uint8Array }[] = [];
  const texts: ModelTexts = { licences: [] };
  const take = async (layer: Layer) => {
    if (layer.size > longestText) throw new SourceRefused(`layer ${layer.digest} is too long for a text`);
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
  for (const layer of manifest.layers) if (!fileOf(layer)) takeText(texts, layer, await take(layer));
  return { texts, textLayers, manifest: { text, config: await take(manifest.config) } };
}

/** Nothing, when the manifest is not that of these files: then they are installed as files are. */
export async function readManifest(
  { files, manifest: text, readLayer }: LocatedModel,
  signal: AbortSignal,
): Promise<Partial<Offer>> {
  const manifest = parseManifest(text);
  const wanted = manifest?.layers.flatMap((layer) => fileOf(layer)?.digest ?? []) ?? [];
  const there = new Set(files.map(({ digest }) => digest));
  if (!manifest || wanted.length !== files.length || !wanted.every((digest) => there.has(digest))) return {};
  return await readTexts(text, manifest, (layer) => readLayer(layer.digest, signal));
}
