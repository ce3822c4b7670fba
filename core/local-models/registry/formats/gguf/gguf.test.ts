import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { gguf } from '@huggingface/gguf';
import { describe, expect, it, vi } from 'vitest';
import { ModelCorrupt } from '#core/host';
import { readGgufHeader } from '#core/tensors';
import { tinyGguf } from '#test/support/model-files/tiny-gguf.ts';
import { smollm2 } from '#test/support/model-files/weights.ts';
import { formatParameterCount } from './format-parameter-count.ts';
import { arrayFilter, ggufMetadata } from './gguf-metadata.ts';

// Files and servers are slow on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** A stream in chunks of `piece` bytes, so that values span several chunks. */
function streamOf(bytes: Uint8Array, piece = 7): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + piece));
      at += piece;
    },
  });
}

async function metadata(bytes: Uint8Array, arrays = false, piece?: number) {
  return ggufMetadata(
    await readGgufHeader(streamOf(bytes, piece), bytes.length, arrayFilter(arrays)),
    arrays,
  );
}

describe('GGUF metadata', () => {
  it('does not depend on where the stream is split', async () => {
    const file = tinyGguf();
    for (const piece of [1, 7, 4096]) {
      expect(await metadata(file, false, piece)).toMatchObject({
        architecture: 'llama',
        quantization: 'Q4_1',
        parameterCount: 32 * 8 + 32 + 32,
        contextLength: 2048,
        embeddingLength: 32,
        bosToken: '<|im_start|>',
        eosToken: '<|im_end|>',
        addBos: false,
        hasVision: false,
        hasAudio: false,
        tensors: [
          { name: 'token_embd.weight', type: 'Q4_1', shape: [32, 8] },
          { name: 'blk.0.attn_norm.weight', type: 'F32', shape: [32] },
          { name: 'output_norm.weight', type: 'F32', shape: [32] },
        ],
      });
    }
  });

  it('has values of every type', async () => {
    const file = tinyGguf({
      metadata: {
        'x.uint8': { type: 'uint8', value: 255 },
        'x.int8': { type: 'int8', value: -128 },
        'x.uint16': { type: 'uint16', value: 65535 },
        'x.int16': { type: 'int16', value: -32768 },
        'x.int32': { type: 'int32', value: -5 },
        'x.float32': { type: 'float32', value: 1e-5 },
        'x.float64': { type: 'float64', value: 0.1 },
        'x.uint64': { type: 'uint64', value: 18446744073709551615n },
        'x.int64': { type: 'int64', value: -7n },
        'x.bool': { type: 'bool', value: true },
        'x.text': { type: 'string', value: 'zwölf' },
        'x.list': { type: 'array', of: 'float32', value: [0.1, 3] },
      },
    });
    const values = Object.fromEntries((await metadata(file)).keyValues);
    expect(values).toMatchObject({
      'x.uint8': 255,
      'x.int8': -128,
      'x.uint16': 65535,
      'x.int16': -32768,
      'x.int32': -5,
      'x.float32': 1e-5,
      'x.float64': 0.1,
      'x.uint64': 18446744073709551615n,
      'x.int64': -7,
      'x.bool': true,
      'x.text': 'zwölf',
      'x.list': [0.1, 3],
    });
  });

  it('has long arrays only on request', async () => {
    const words = Array.from({ length: 2000 }, (_, id) => `word${id}`);
    const file = tinyGguf({
      metadata: {
        'tokenizer.ggml.tokens': { type: 'array', of: 'string', value: words },
        'tokenizer.ggml.scores': { type: 'array', of: 'float32', value: words.map((_, id) => id) },
        'tokenizer.ggml.merges': { type: 'array', of: 'string', value: words },
      },
    });
    const without = await metadata(file);
    expect(Object.fromEntries(without.keyValues)).toMatchObject({
      'tokenizer.ggml.tokens': null,
      'tokenizer.ggml.scores': null,
      'tokenizer.ggml.merges': null,
      'general.languages': ['en'],
    });
    expect(without.eosToken).toBe('word2');
    const withAll = Object.fromEntries((await metadata(file, true)).keyValues);
    expect(withAll['tokenizer.ggml.tokens']).toEqual(words);
    expect(withAll['tokenizer.ggml.merges']).toEqual(words);
  });

  it('of a published model is read', async () => {
    const path = await smollm2();
    const { size } = await stat(path);
    const stream = Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array>;
    const header = await readGgufHeader(stream, size, arrayFilter(false));
    const found = ggufMetadata(header, false);
    expect(found).toMatchObject({
      architecture: 'llama',
      quantization: 'Q4_1',
      parameterCount: 134515008,
      contextLength: 8192,
      embeddingLength: 576,
      bosToken: '<|im_start|>',
      eosToken: '<|im_end|>',
      addBos: false,
    });
    expect(found.chatTemplate).toContain('<|im_start|>');
    expect(formatParameterCount(found.parameterCount)).toBe('134.52M');
    expect(Object.fromEntries(found.keyValues)['llama.attention.layer_norm_rms_epsilon']).toBe(1e-5);
  });
});

it('equals the metadata that @huggingface/gguf reads', async () => {
  const path = await smollm2();
  const { size } = await stat(path);
  const stream = Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array>;
  const found = ggufMetadata(await readGgufHeader(stream, size, arrayFilter(true)), true);
  const { metadata, tensorInfos } = await gguf(path, { allowLocalFile: true });
  const { version: _v, tensor_count: _t, kv_count: _k, ...theirs } = metadata as Record<string, unknown>;
  expect(found.keyValues.map(([key]) => key)).toEqual(Object.keys(theirs));
  for (const [key, value] of found.keyValues) {
    const expected = theirs[key];
    if (typeof value === 'number' && !Number.isInteger(value)) expect(Math.fround(value)).toBe(expected);
    else expect(value, key).toEqual(typeof expected === 'bigint' ? Number(expected) : expected);
  }
  expect(found.tensors.map(({ name, shape }) => ({ name, shape }))).toEqual(
    tensorInfos.map(({ name, shape }) => ({ name, shape: shape.map(Number) })),
  );
});

describe('incomplete and hostile files', () => {
  it('files of other formats are refused', async () => {
    for (const bytes of [new Uint8Array(0), new Uint8Array(3), new TextEncoder().encode('<!DOCTYPE html>')]) {
      await expect(metadata(bytes)).rejects.toThrow('supplied file was not in GGUF format');
    }
  });

  it('a truncated file is refused, wherever it ends', async () => {
    const file = tinyGguf();
    // The padding after the last tensor contains nothing.
    for (let length = 4; length < file.length - 31; length += 13) {
      const error = await metadata(file.slice(0, length), true, 64).catch((caught: unknown) => caught);
      expect(error, `cut at ${length}`).toBeInstanceOf(ModelCorrupt);
      expect((error as Error).message).toMatch(/truncated/);
    }
  });

  it('random bytes after the magic cause no error except ModelCorrupt', async () => {
    let seed = 1;
    const random = () => {
      seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
      return seed >> 16;
    };
    for (let round = 0; round < 300; round++) {
      const bytes = tinyGguf();
      const from = 4 + (random() % 200);
      for (let i = 0; i < 1 + (random() % 20); i++) bytes[from + (random() % 300)] = random() & 255;
      const error = await metadata(bytes, true, 512).then(
        () => undefined,
        (caught: unknown) => caught,
      );
      if (error !== undefined) expect(error).toBeInstanceOf(ModelCorrupt);
    }
  });

  it.each([
    ['a key count of 2^63', 16, 8, /impossible length/],
    ['a tensor count of 2^40', 8, 5, /truncated/],
    ['version 1', 4, 0, /version 0 is not supported/],
  ])('%s is refused', async (_title, at, byte, message) => {
    const bytes = tinyGguf();
    bytes.fill(0, at, at + 4);
    if (byte > 0) bytes[at + byte - 1] = 0x80;
    await expect(metadata(bytes)).rejects.toThrow(message);
  });

  it('unsupported versions and big-endian files are refused', async () => {
    await expect(metadata(tinyGguf({ version: 1 }))).rejects.toThrow('GGUF version 1 is not supported');
    await expect(metadata(tinyGguf({ version: 0x03000000 }))).rejects.toThrow('big-endian');
  });

  it('deeply nested arrays are refused', async () => {
    const bytes = new Uint8Array(4096);
    const view = new DataView(bytes.buffer);
    bytes.set(new TextEncoder().encode('GGUF'));
    view.setUint32(4, 3, true);
    view.setBigUint64(16, 1n, true);
    view.setBigUint64(24, 1n, true);
    bytes[32] = 120;
    view.setUint32(33, 9, true);
    for (let at = 37; at + 12 < bytes.length; at += 12) {
      view.setUint32(at, 9, true);
      view.setBigUint64(at + 4, 1n, true);
    }
    await expect(metadata(bytes)).rejects.toThrow('nests arrays too deeply');
  });
});

it.each([
  [134515008, '134.52M'],
  [1235814400, '1.2B'],
  [7_000_000_000, '7B'],
  [360_000_000, '360M'],
  [320, '320'],
  [22_700, '23K'],
])('%d parameters are printed as %s', (count, text) => {
  expect(formatParameterCount(count)).toBe(text);
});
