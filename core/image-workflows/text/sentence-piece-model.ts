/** Models of SentencePiece (Kudo and Richardson, 2018): protobuf files such as `spiece.model`. */
import { readFields } from './protobuf-fields.ts';

/** Field numbers of sentencepiece_model.proto. */
const MODEL = { piece: 1, trainer: 2, normalizer: 3 };
const PIECE = { text: 1, score: 2, type: 3 };
const TRAINER = { modelType: 3, byteFallback: 35 };
const NORMALIZER = { charsMap: 2, addsPrefix: 3, removesSpaces: 4 };

const TYPES = { normal: 1, unknown: 2, userDefined: 4 };
const BYTE_PAIRS = 2;

interface Piece {
  text: string;
  score: number;
  type: number;
}

interface SentencePieceModel {
  pieces: Piece[];
  isBytePair: boolean;
  hasByteFallback: boolean;
  hasCharsMap: boolean;
  addsPrefix: boolean;
  removesSpaces: boolean;
}

/**
 * The table that a `tokenizer.json` of the same tokenizer has.
 * @throws `TypeError` for bytes that are no model of SentencePiece
 */
export function sentencePieceTable(bytes: Uint8Array): object {
  const model = readModel(bytes);
  if (model.pieces.length === 0) throw new TypeError('it is no model of SentencePiece');
  const added_tokens = model.pieces.flatMap(({ text, type }, id) =>
    type === TYPES.userDefined
      ? [
          {
            id,
            content: text,
            single_word: false,
            lstrip: false,
            rstrip: false,
            normalized: false,
            special: false,
          },
        ]
      : [],
  );
  const shared = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens,
    post_processor: null,
    decoder: null,
  };
  return model.isBytePair
    ? { ...shared, normalizer: spaceMarks(model), pre_tokenizer: null, model: bytePairs(model) }
    : { ...shared, normalizer: normalizer(model), pre_tokenizer: metaspace(model), model: unigrams(model) };
}

function readModel(bytes: Uint8Array): SentencePieceModel {
  const model: SentencePieceModel = {
    pieces: [],
    isBytePair: false,
    hasByteFallback: false,
    hasCharsMap: false,
    addsPrefix: true,
    removesSpaces: true,
  };
  for (const { number, bytes: content } of readFields(bytes)) {
    if (number === MODEL.piece) model.pieces.push(readPiece(content));
    else if (number === MODEL.trainer) readTrainer(content, model);
    else if (number === MODEL.normalizer) readNormalizer(content, model);
  }
  return model;
}

function readPiece(bytes: Uint8Array): Piece {
  const piece: Piece = { text: '', score: 0, type: TYPES.normal };
  for (const field of readFields(bytes)) {
    if (field.number === PIECE.text) piece.text = new TextDecoder().decode(field.bytes);
    else if (field.number === PIECE.score)
      piece.score = new DataView(field.bytes.buffer, field.bytes.byteOffset).getFloat32(0, true);
    else if (field.number === PIECE.type) piece.type = field.value;
  }
  return piece;
}

function readTrainer(bytes: Uint8Array, model: SentencePieceModel): void {
  for (const { number, value } of readFields(bytes)) {
    if (number === TRAINER.modelType) model.isBytePair = value === BYTE_PAIRS;
    else if (number === TRAINER.byteFallback) model.hasByteFallback = value !== 0;
  }
}

function readNormalizer(bytes: Uint8Array, model: SentencePieceModel): void {
  for (const { number, value, bytes: content } of readFields(bytes)) {
    if (number === NORMALIZER.charsMap) model.hasCharsMap = content.length > 0;
    else if (number === NORMALIZER.addsPrefix) model.addsPrefix = value !== 0;
    else if (number === NORMALIZER.removesSpaces) model.removesSpaces = value !== 0;
  }
}

const replace = (pattern: string, content: string) => ({
  type: 'Replace',
  pattern: { Regex: pattern },
  content,
});

function normalizer({ hasCharsMap, removesSpaces }: SentencePieceModel): object {
  const normalizers: object[] = [];
  // The library has the usual table of characters itself.
  if (hasCharsMap) normalizers.push({ type: 'Precompiled', precompiled_charsmap: '' });
  if (removesSpaces) normalizers.push(replace(' {2,}', ' '), replace(' +$', ''));
  return { type: 'Sequence', normalizers };
}

const metaspace = ({ addsPrefix }: SentencePieceModel) => ({
  type: 'Metaspace',
  replacement: '▁',
  add_prefix_space: addsPrefix,
  prepend_scheme: addsPrefix ? 'always' : 'never',
});

function spaceMarks({ addsPrefix, removesSpaces }: SentencePieceModel): object {
  const normalizers: object[] = removesSpaces ? [replace(' {2,}', ' '), replace('^ | $', '')] : [];
  if (addsPrefix) normalizers.push({ type: 'Prepend', prepend: '▁' });
  return { type: 'Sequence', normalizers: [...normalizers, replace(' ', '▁')] };
}

const unknownOf = ({ pieces }: SentencePieceModel): number =>
  Math.max(
    0,
    pieces.findIndex(({ type }) => type === TYPES.unknown),
  );

const unigrams = (model: SentencePieceModel) => ({
  type: 'Unigram',
  unk_id: unknownOf(model),
  vocab: model.pieces.map(({ text, score }) => [text, score]),
  byte_fallback: model.hasByteFallback,
});

function bytePairs(model: SentencePieceModel): object {
  const ids = new Map(model.pieces.map(({ text }, id) => [text, id]));
  return {
    type: 'BPE',
    dropout: null,
    unk_token: model.pieces[unknownOf(model)]!.text,
    continuing_subword_prefix: null,
    end_of_word_suffix: null,
    fuse_unk: true,
    byte_fallback: model.hasByteFallback,
    vocab: Object.fromEntries(ids),
    merges: merges(model.pieces, ids),
  };
}

/** Any two pieces whose joint text is a piece may merge. The joint piece of the highest score comes first. */
function merges(pieces: readonly Piece[], ids: ReadonlyMap<string, number>): [string, string][] {
  const found: { parts: [string, string]; score: number }[] = [];
  for (const { text, score, type } of pieces) {
    if (type !== TYPES.normal) continue;
    const letters = [...text];
    for (let at = 1; at < letters.length; at++) {
      const parts: [string, string] = [letters.slice(0, at).join(''), letters.slice(at).join('')];
      if (ids.has(parts[0]) && ids.has(parts[1])) found.push({ parts, score });
    }
  }
  return found.sort((a, b) => b.score - a.score).map(({ parts }) => parts);
}
