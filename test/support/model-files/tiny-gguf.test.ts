import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gguf } from '@huggingface/gguf';
import { expect, test } from 'vitest';
import { rewriteGguf } from './rewrite-gguf.ts';
import { CHATML, tinyGguf } from './tiny-gguf.ts';

test('@huggingface/gguf reads tiny and rewritten files', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tabd-gguf-'));
  try {
    const path = join(folder, 'tiny.gguf');
    const bytes = tinyGguf({ metadata: { 'llama.pooling_type': { type: 'uint32', value: 1 } } });
    writeFileSync(path, bytes);
    const { metadata, tensorInfos, tensorDataOffset } = await gguf(path, { allowLocalFile: true });
    expect(metadata).toMatchObject({
      'general.architecture': 'llama',
      'llama.pooling_type': 1,
      'tokenizer.chat_template': CHATML,
    });
    expect(tensorInfos.map(({ name }) => name)).toContain('output_norm.weight');
    expect(bytes.length).toBeGreaterThan(Number(tensorDataOffset));
    const other = join(folder, 'other.gguf');
    await rewriteGguf(path, other, {
      'llama.pooling_type': undefined,
      'tokenizer.chat_template': { type: 'string', value: 'a much longer template than before'.repeat(50) },
      'llama.new': { type: 'uint32', value: 7 },
    });
    const rewritten = await gguf(other, { allowLocalFile: true });
    expect(rewritten.metadata).toMatchObject({ 'llama.new': 7, 'llama.context_length': 2048 });
    expect(rewritten.metadata).not.toHaveProperty(['llama.pooling_type']);
    expect(rewritten.tensorInfos).toEqual(tensorInfos);
    const data = (file: string, offset: bigint) => readFileSync(file).subarray(Number(offset));
    expect(data(other, rewritten.tensorDataOffset)).toEqual(data(path, tensorDataOffset));

    const fewer = join(folder, 'fewer.gguf');
    await rewriteGguf(path, fewer, {}, (name) => name !== 'token_embd.weight');
    const left = await gguf(fewer, { allowLocalFile: true });
    expect(left.tensorInfos.map(({ name }) => name)).toEqual(
      tensorInfos.flatMap(({ name }) => (name === 'token_embd.weight' ? [] : [name])),
    );
    const last = tensorInfos.at(-1)!;
    const lastLeft = left.tensorInfos.at(-1)!;
    expect(data(fewer, left.tensorDataOffset + lastLeft.offset)).toEqual(
      data(path, tensorDataOffset + last.offset),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
