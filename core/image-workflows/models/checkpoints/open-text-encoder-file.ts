/** Opens text encoders in files of weights. Their graphs are built from the names and shapes of the weights. */
import { type FilePath, type Host, ModelUnsupported } from '#core/host';
import type { TextEncoderModel } from '../encoders/text-encoder-model.ts';
import { clipUses } from '../families/text-encoders/clip-encoder.ts';
import { languageUses } from '../families/text-encoders/language-encoder.ts';
import { recognizeTextEncoder, textEncoderKind } from '../families/text-encoders/recognize-text-encoder.ts';
import { describeContents } from '../weight-files/describe-contents.ts';
import { readWeightFile } from '../weight-files/read-weight-file.ts';
import { WeightFileGraphs } from '../weight-files/weight-file-graphs.ts';
import { openEncoder } from './open-encoder.ts';

/**
 * How a family uses each kind of text encoder: names in `text-encoders.json` and `language-encoders.json` by names in
 * `text-encoder-kinds.json`.
 */
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
  const use = uses[found.kind];
  if (use === undefined && !isUsable(found.kind))
    throw new ModelUnsupported(
      `${file.name} holds the text encoder ${found.label}, which does not run from a file of weights yet`,
    );
  if (use === undefined)
    throw new ModelUnsupported(
      `${file.name} holds the text encoder ${found.label}, which does not fit the type ${family}: it takes ${Object.keys(
        uses,
      )
        .map((kind) => textEncoderKind(kind).label)
        .join(' or ')}. Choose another file, or the type of its model`,
    );
  return openEncoder(new WeightFileGraphs(host, file), use, weights);
}

/** Whether any family uses encoders of this kind. */
const isUsable = (kind: string): boolean =>
  [...clipUses(), ...languageUses()].some((use) => use.kind === kind);
