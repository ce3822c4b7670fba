/** Opens text encoders in files of weights. Their graphs are built from the names and shapes of the weights. */
import { type FilePath, type Host, ModelUnsupported } from '#core/host';
import { clipVocabulary } from '../../text/clip-vocabulary.ts';
import type { TextEncoderModel } from '../encoders/text-encoder-model.ts';
import {
  type ClipUse,
  clipEncoderGraph,
  clipEncoderModel,
  clipKind,
  clipUse,
  missingLayer,
} from '../families/clip-encoder.ts';
import { recognizeTextEncoder, textEncoderKind } from '../families/recognize-text-encoder.ts';
import { describeContents } from '../weight-files/describe-contents.ts';
import { readWeightFile } from '../weight-files/read-weight-file.ts';
import { WeightFileGraphs } from '../weight-files/weight-file-graphs.ts';
import type { WeightTable } from '../weight-files/weight-table.ts';

/** How a family uses each kind of text encoder: names in `text-encoders.json` by names in `text-encoder-kinds.json`. */
export type EncoderUses = Readonly<Record<string, string>>;

/**
 * Reads the file's table only. Rejects with `FileMissing`, and with `ModelCorrupt` for a damaged file. Rejects with
 * `ModelUnsupported` for a file without a text encoder, or with one that the family does not take.
 * @param family as loader nodes call it, for messages
 */
export async function openTextEncoderFile(
  host: Host,
  path: FilePath,
  family: string,
  uses: EncoderUses,
): Promise<TextEncoderModel> {
  const file = await readWeightFile(host.files, path);
  const recognized = recognizeTextEncoder(file.table);
  if (!recognized)
    throw new ModelUnsupported(
      `${file.name} holds no text encoder that is known here: ${describeContents(file)}`,
    );
  const { found, weights } = recognized;
  if (!found.clip)
    throw new ModelUnsupported(
      `${file.name} holds the text encoder ${found.label}, which does not run from a file of weights yet: the encoders that do are CLIP L, CLIP G and CLIP H`,
    );
  const use = uses[found.kind];
  if (use === undefined)
    throw new ModelUnsupported(
      `${file.name} holds the text encoder ${found.label}, which does not fit the type ${family}: it takes ${Object.keys(
        uses,
      )
        .map((kind) => textEncoderKind(kind).label)
        .join(' or ')}. Choose another file, or the type of its model`,
    );
  return openClipEncoder(new WeightFileGraphs(host, file), clipUse(use), weights);
}

/**
 * An encoder in an open file. Rejects with `ModelUnsupported` when a layer is missing.
 * @param weights by their names in transformers
 */
export async function openClipEncoder(
  graphs: WeightFileGraphs,
  use: ClipUse,
  weights: WeightTable,
): Promise<TextEncoderModel> {
  const missing = missingLayer(weights, use);
  if (missing !== undefined)
    throw new ModelUnsupported(
      `${graphs.file.name} lacks layer ${missing} of its text encoder ${textEncoderKind(use.kind).label}: it is incomplete`,
    );
  // With and without its projection, an encoder has different graphs.
  const name = `text_encoder_${clipKind(use).name}${use.isUnprojected ? '_unprojected' : ''}`;
  const graph = graphs.graph(name, weights, () => clipEncoderGraph(weights, use));
  return clipEncoderModel(use, weights, graph, await clipVocabulary());
}
