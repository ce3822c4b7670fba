import { describe, expect, it } from 'vitest';
import type { EncoderName } from '../../values/adapter.ts';
import { full, tensorOf } from '../../values/tensor.ts';
import { type Combination, combineEncodings, silence, type TextEncoding } from './combine-encodings.ts';

/** Embeddings [1, tokens, width] and a pooled embedding [1, width], all elements equal to `value`. */
const encoding = (value: number, tokens: number, width: number): TextEncoding => ({
  tensor: full([1, tokens, width], value),
  pooled: full([1, width], value),
});
const combine = (entries: [EncoderName, TextEncoding][], kind: Combination, width?: number) =>
  combineEncodings(new Map(entries), kind, width);

describe('concat', () => {
  it('returns a single encoding unchanged', () => {
    const clip = encoding(1, 3, 2);
    expect(combine([['l', clip]], 'concat')).toEqual(clip);
  });

  it('joins widths token by token and takes the pooled embedding of the last encoder', () => {
    const first = { tensor: tensorOf([1, 2, 1], Float32Array.of(1, 2)), pooled: full([1, 1], 7) };
    const second = { tensor: tensorOf([1, 2, 2], Float32Array.of(3, 4, 5, 6)), pooled: full([1, 2], 8) };
    const { tensor, pooled } = combine(
      [
        ['l', first],
        ['g', second],
      ],
      'concat',
    );
    expect(tensor).toEqual(tensorOf([1, 2, 3], Float32Array.of(1, 3, 4, 2, 5, 6)));
    expect(pooled).toBe(second.pooled);
  });

  it('takes as many tokens as the shorter encoding has', () => {
    const { tensor } = combine(
      [
        ['l', encoding(1, 3, 1)],
        ['g', encoding(2, 2, 1)],
      ],
      'concat',
    );
    expect(tensor.shape).toEqual([1, 2, 2]);
  });
});

describe('flux', () => {
  it("takes T5's embeddings and CLIP's pooled embedding", () => {
    const [clip, t5] = [encoding(1, 2, 2), encoding(2, 3, 4)];
    expect(
      combine(
        [
          ['l', clip],
          ['t5xxl', t5],
        ],
        'flux',
      ),
    ).toEqual({ tensor: t5.tensor, pooled: clip.pooled });
  });

  it("takes CLIP's embeddings without T5", () => {
    const clip = encoding(1, 2, 2);
    expect(combine([['l', clip]], 'flux')).toEqual(clip);
  });
});

describe('sd3', () => {
  const clips: [EncoderName, TextEncoding][] = [
    ['l', encoding(1, 2, 2)],
    ['g', encoding(2, 2, 3)],
  ];

  it("pads CLIP's embeddings to T5's width, and T5's tokens follow", () => {
    const { tensor, pooled } = combine([...clips, ['t5xxl', encoding(3, 1, 6)]], 'sd3');
    expect(tensor.shape).toEqual([1, 3, 6]);
    expect([...tensor.data]).toEqual([...[1, 1, 2, 2, 2, 0], ...[1, 1, 2, 2, 2, 0], ...[3, 3, 3, 3, 3, 3]]);
    expect(pooled).toEqual(tensorOf([1, 5], Float32Array.of(1, 1, 2, 2, 2)));
  });

  it('pads to a given width without T5', () => {
    expect(combine(clips, 'sd3', 8).tensor.shape).toEqual([1, 2, 8]);
  });

  it('keeps a silent CLIP encoder next to one that is not silent', () => {
    const { tensor } = combine([['l', silence(encoding(1, 2, 2))], clips[1]!], 'sd3', 5);
    expect([...tensor.data]).toEqual([...[0, 0, 2, 2, 2], ...[0, 0, 2, 2, 2]]);
  });

  it('leaves out silent encoders, and is 77 tokens of zeros when all are silent', () => {
    const t5 = encoding(3, 1, 6);
    const silentClips = clips.map(([name, clip]): [EncoderName, TextEncoding] => [name, silence(clip)]);
    const t5Alone = combine([...silentClips, ['t5xxl', t5]], 'sd3');
    expect(t5Alone).toEqual({ tensor: t5.tensor, pooled: full([1, 5], 0) });
    const nothing = combine([...silentClips, ['t5xxl', silence(t5)]], 'sd3');
    expect(nothing.tensor).toEqual(full([1, 77, 6], 0));
  });

  it("rejects a CLIP encoder that is wider than T5's embeddings", () => {
    expect(() => combine([...clips, ['t5xxl', encoding(3, 1, 4)]], 'sd3')).toThrow('5 and 4 wide');
  });
});

describe('hidream', () => {
  const layers = { tensor: tensorOf([1, 3, 1, 2], Float32Array.of(1, 2, 3, 4, 5, 6)) };

  it("takes T5's embeddings, the pooled embeddings of both CLIPs, and the layers after the first embeddings", () => {
    const [clipL, clipG, t5] = [encoding(1, 2, 2), encoding(2, 2, 3), encoding(3, 4, 5)];
    const found = combine(
      [
        ['l', clipL],
        ['g', clipG],
        ['t5xxl', t5],
        ['llama', layers],
      ],
      'hidream',
    );
    expect(found).toEqual({
      tensor: t5.tensor,
      pooled: tensorOf([1, 5], Float32Array.of(1, 1, 2, 2, 2)),
      languageLayers: tensorOf([1, 2, 1, 2], Float32Array.of(3, 4, 5, 6)),
    });
  });

  it('has zeros for missing encoders', () => {
    const { tensor, pooled } = combine([['llama', layers]], 'hidream');
    expect([tensor.shape, pooled!.shape]).toEqual([
      [1, 128, 4096],
      [1, 2048],
    ]);
    const { languageLayers } = combine([['t5xxl', encoding(1, 2, 2)]], 'hidream');
    expect(languageLayers!.shape).toEqual([1, 32, 1, 4096]);
  });
});
