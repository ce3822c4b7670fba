import { describe, expect, it } from 'vitest';
import { FileMissing } from '#core/host';
import { createTestHost } from '#test/support/host/test-host.ts';
import { weightsFor, writeWeights } from '#test/support/model-files/weight-files.ts';
import { readWeightFile } from './read-weight-file.ts';
import { isLaterShard, shardPaths } from './shards.ts';

const shard = (number: number) => `m/t5-0000${number}-of-00002.safetensors`;

describe('sets of files', () => {
  it('are found by the name of any of them', () => {
    expect(shardPaths(shard(2))).toEqual([shard(1), shard(2)]);
    expect(shardPaths('m/a-b-00001.safetensors')).toEqual(['m/a-b-00001.safetensors']);
    expect(shardPaths('m/a-00001-of-00000.safetensors')).toEqual(['m/a-00001-of-00000.safetensors']);
    expect([shard(1), shard(2), 'm/a.safetensors'].map(isLaterShard)).toEqual([false, true, false]);
  });

  it('are read as one table, whose tensors name their files', async () => {
    const { files } = createTestHost();
    await writeWeights(files, shard(1), weightsFor({ a: [2], b: [3] }));
    await writeWeights(files, shard(2), weightsFor({ c: [4] }));
    const { name, table, parts } = await readWeightFile(files, shard(1));
    expect(name).toBe('t5-00001-of-00002.safetensors');
    expect([...table].map(([key, { file, shape }]) => [key, file, shape])).toEqual([
      ['a', 't5-00001-of-00002.safetensors', [2]],
      ['b', 't5-00001-of-00002.safetensors', [3]],
      ['c', 't5-00002-of-00002.safetensors', [4]],
    ]);
    expect(parts.map(({ path }) => path)).toEqual([shard(1), shard(2)]);
  });

  it('must be complete, and must not repeat a tensor', async () => {
    const { files } = createTestHost();
    await writeWeights(files, shard(1), weightsFor({ a: [2] }));
    await expect(readWeightFile(files, shard(1))).rejects.toThrow(FileMissing);
    await expect(readWeightFile(files, shard(1))).rejects.toThrow('t5-00002-of-00002.safetensors');
    await writeWeights(files, shard(2), weightsFor({ a: [2] }));
    await expect(readWeightFile(files, shard(1))).rejects.toThrow(
      't5-00002-of-00002.safetensors repeats the tensor a of another file of its set',
    );
  });
});
