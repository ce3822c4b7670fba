import { expect, test } from 'vitest';
import { encodeProtobuf, type ProtobufMessage, protobufMessage } from '#core/tensors';
import { sentencePieceTable } from './sentence-piece-model.ts';
import { tableTokenizer } from './table-tokenizer.ts';

const [NORMAL, UNKNOWN, CONTROL, USER, BYTE] = [1, 2, 3, 4, 6];

/** A field of 4 bytes, which the encoder of messages lacks: the score of a piece. */
const withScore = (piece: ProtobufMessage, score: number): Uint8Array => {
  const bytes = new Uint8Array(5);
  bytes[0] = 2 * 8 + 5;
  new DataView(bytes.buffer).setFloat32(1, score, true);
  return Uint8Array.from([...encodeProtobuf(piece), ...bytes]);
};

/** @param type 1: unigrams, 2: byte pairs */
const model = (type: number, pieces: readonly [text: string, score: number, type?: number][], prefix = 1) =>
  encodeProtobuf(
    protobufMessage(
      ...pieces.map(
        ([text, score, kind = NORMAL!]) =>
          [1, withScore(protobufMessage([1, text], [3, kind]), score)] as [number, Uint8Array],
      ),
      [2, protobufMessage([3, type], [35, 1])],
      [3, protobufMessage([3, prefix], [4, prefix])],
    ),
  );

test('unigrams', () => {
  const bytes = model(1, [
    ['<pad>', 0, CONTROL],
    ['</s>', 0, CONTROL],
    ['<unk>', 0, UNKNOWN],
    ['▁', -4],
    ['▁a', -1],
    ['▁cat', -2],
    ['c', -5],
    ['at', -5],
  ]);
  const tokenizer = tableTokenizer(sentencePieceTable(bytes), {}, { end: '</s>', pad: '<pad>' });
  expect(tokenizer).toMatchObject({ start: undefined, end: 1, pad: 0 });
  expect(tokenizer.tokens('a  cat ')).toEqual([4, 5]);
  expect(tokenizer.tokens(' cat')).toEqual([5]);
});

test('byte pairs: the best merges come first, and unknown letters become bytes', () => {
  const bytes = model(
    2,
    [
      ['<pad>', 0, CONTROL],
      ['<bos>', 0, CONTROL],
      ['<unk>', 0, UNKNOWN],
      ['<turn>', 0, USER],
      ['<0xC3>', 0, BYTE],
      ['<0xBC>', 0, BYTE],
      ['ca', -1],
      ['at', -2],
      ['cat', -3],
      ['▁cat', -4],
      ['▁', -5],
      ['c', -6],
      ['a', -7],
      ['t', -8],
    ],
    0,
  );
  const tokenizer = tableTokenizer(sentencePieceTable(bytes), {}, { start: '<bos>', pad: '<pad>' });
  expect(tokenizer).toMatchObject({ start: 1, end: undefined, pad: 0 });
  expect(tokenizer.tokens('cat cat')).toEqual([8, 9]);
  expect(tokenizer.tokens('at  at')).toEqual([7, 10, 10, 7]);
  expect(tokenizer.tokens('<turn>ü')).toEqual([3, 4, 5]);
});

test('unigrams with tokens for bytes', () => {
  const bytes = Array.from(
    { length: 256 },
    (_, byte) =>
      [`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`, 0, BYTE] as [string, number, number],
  );
  const model256 = model(1, [
    ['<pad>', 0, CONTROL],
    ['</s>', 0, CONTROL],
    ['<unk>', 0, UNKNOWN],
    ...bytes,
    ['▁', -4],
    ['▁a', -1],
  ]);
  const tokenizer = tableTokenizer(sentencePieceTable(model256), {}, { end: '</s>', pad: '<pad>' });
  expect(tokenizer.tokens('a üa')).toEqual([260, 259, 3 + 0xc3, 3 + 0xbc, 3 + 0x61]);
});

test.each([
  ['nothing', []],
  ['a text', [...new TextEncoder().encode('<html></html>')]],
  ['a cut model', [...model(1, [['▁a', -1]]).subarray(0, 6)]],
])('%s is no model', (_, bytes) => {
  expect(() => sentencePieceTable(Uint8Array.from(bytes))).toThrow(TypeError);
});
