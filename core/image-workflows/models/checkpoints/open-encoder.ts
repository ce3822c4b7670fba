/** Opens text encoders in an open file of weights, standalone ones and those of a checkpoint. */
import { ModelUnsupported } from '#core/host';
import { byteTokenizer } from '../../text/byte-tokenizer.ts';
import { clipVocabulary } from '../../text/clip-vocabulary.ts';
import type { ClipModel } from '../../values/clip-model.ts';
import { clipModel } from '../encoders/clip-model.ts';
import type { Combination } from '../encoders/combine-encodings.ts';
import { embeddingFiles } from '../encoders/embedding-files.ts';
import type { TextEncoderModel } from '../encoders/text-encoder-model.ts';
import { tokenizerSource } from '../encoders/tokenizer-files.ts';
import { qwenVisionGraph } from '../families/qwen-vision/qwen-vision-graph.ts';
import {
  type ClipUse,
  checkpointEncoderWeights,
  clipEncoderGraph,
  clipEncoderModel,
  clipKind,
  clipUse,
  missingLayer,
} from '../families/text-encoders/clip-encoder.ts';
import {
  bundledLanguageWeights,
  codeWritingOf,
  type LanguageUse,
  languageGraph,
  languageUse,
  languageWeights,
  missingLanguageLayer,
  writingOf,
} from '../families/text-encoders/language-encoder.ts';
import { textEncoderKind } from '../families/text-encoders/recognize-text-encoder.ts';
import type { WeightFileGraphs } from '../weight-files/weight-file-graphs.ts';
import { type WeightTable, withoutPrefix } from '../weight-files/weight-table.ts';

/**
 * An encoder in an open file. Rejects with `ModelUnsupported` when a layer is missing.
 * @param use as in `text-encoders.json` or `language-encoders.json`
 * @param weights by their names in transformers
 */
export function openEncoder(
  graphs: WeightFileGraphs,
  use: string,
  weights: WeightTable,
): Promise<TextEncoderModel> {
  const language = languageUse(use);
  return language
    ? openLanguageEncoder(graphs, language, weights)
    : openClipEncoder(graphs, clipUse(use), weights);
}

/**
 * The text encoders in a checkpoint. Those that its file lacks are left out. A checkpoint without any gets a CLIP that
 * says so when it is used.
 * @param uses as in `text-encoders.json` and `language-encoders.json`
 */
export async function openBundledEncoders(
  graphs: WeightFileGraphs,
  uses: readonly string[],
  combination: Combination,
): Promise<ClipModel> {
  const encoders: TextEncoderModel[] = [];
  const { table } = graphs.file;
  for (const use of uses) {
    const language = languageUse(use);
    const weights = language
      ? bundledLanguageWeights(table, language)
      : checkpointEncoderWeights(table, clipUse(use));
    if (weights.size > 0) encoders.push(await openEncoder(graphs, use, weights));
  }
  return clipModel({ encoders, combination, embeddings: embeddingFiles(graphs.host) });
}

async function openClipEncoder(
  graphs: WeightFileGraphs,
  use: ClipUse,
  weights: WeightTable,
): Promise<TextEncoderModel> {
  const missing = missingLayer(weights, use);
  if (missing !== undefined) throw incomplete(graphs, use.kind, missing);
  // With and without its projection and its last norm, an encoder has different graphs.
  const kinds = { unprojected: use.isUnprojected, unnormed: use.isUnnormed };
  const suffixes = Object.entries(kinds).flatMap(([kind, isSo]) => (isSo ? [`_${kind}`] : []));
  const name = `text_encoder_${clipKind(use).name}${suffixes.join('')}`;
  const graph = graphs.graph(name, weights, () => clipEncoderGraph(weights, use), true);
  return clipEncoderModel(use, weights, graph, await clipVocabulary());
}

async function openLanguageEncoder(
  graphs: WeightFileGraphs,
  use: LanguageUse,
  table: WeightTable,
): Promise<TextEncoderModel> {
  const weights = languageWeights(table);
  const missing = missingLanguageLayer(weights);
  if (missing !== undefined) throw incomplete(graphs, use.kind, missing);
  const { name, tokenizer, lyricsTokenizer, minTokens, masking, template, imageMarker } = use;
  const { isCut, hasAllLayers, layer = -1, layers } = use;
  const visual = imageMarker === undefined ? new Map() : withoutPrefix(table, 'visual.');
  const seesImages = visual.size > 0;
  const writing = writingOf(table, use);
  const coding = use.codes && codeWritingOf(table, use);
  return {
    name,
    graph: graphs.graph(`text_encoder_${name}`, weights, () => languageGraph(weights, use, seesImages), true),
    tokenizer: tokenizer === 'bytes' ? byteTokenizer : tokenizerSource(graphs.host, graphs.file, tokenizer),
    length: minTokens,
    isChunked: false,
    layer,
    rawLayers: true,
    ...(lyricsTokenizer && {
      lyricsTokenizer: tokenizerSource(graphs.host, graphs.file, lyricsTokenizer),
    }),
    ...(use.embedsLyrics && { embedsLyrics: true }),
    ...(masking && { masking }),
    ...(isCut && { isCut }),
    ...(hasAllLayers && { hasAllLayers }),
    ...(template && { template }),
    ...(layers && { layers }),
    ...(use.quotes && { quotes: use.quotes }),
    ...(use.shownMarker !== undefined && { imageMarker: use.shownMarker }),
    ...(seesImages && {
      vision: {
        graph: graphs.graph(`vision_${name}`, visual, () => qwenVisionGraph(visual), true),
        marker: imageMarker!,
      },
    }),
    ...(coding && {
      codeWriter: {
        ...coding,
        graph: graphs.graph(`code_writer_${name}`, coding.weights, coding.build),
      },
    }),
    ...(writing && {
      writer: { ...writing, graph: graphs.graph(`text_writer_${name}`, writing.weights, writing.build) },
    }),
  };
}

const incomplete = ({ file }: WeightFileGraphs, kind: string, layer: number) =>
  new ModelUnsupported(
    `${file.name} lacks layer ${layer} of its text encoder ${textEncoderKind(kind).label}: it is incomplete`,
  );
