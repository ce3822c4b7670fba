import type { Token } from '../llama-library.ts';
import type { Batcher, BatchSharing, OutputReader } from './batcher.ts';
import type { SequenceSlot } from './sequence-slots.ts';

/** Tokens that are in the cache before the tested ones. */
const PREFIX_TOKENS = 6;
const COMPARED_TOKENS = 3;

/**
 * Tests whether this model's results depend on the other tokens in a batch, to the last bit. Kernels for one token and
 * for many tokens may add in different orders. The types of the weights and the processor decide which kernels run.
 * `fingerprint` turns outputs into a comparable text.
 */
export async function testExactness(
  batcher: Batcher,
  slots: readonly SequenceSlot[],
  tokens: Token[],
  fingerprint: OutputReader<string>,
): Promise<BatchSharing> {
  const first = slots[0]!;
  const prefix = tokens.slice(0, PREFIX_TOKENS);
  const last = tokens.slice(PREFIX_TOKENS, PREFIX_TOKENS + COMPARED_TOKENS);
  const before = batcher.sharing;
  try {
    batcher.sharing = { acrossSequences: false, acrossPieces: false };
    await batcher.evaluate(first, prefix);
    const alone: string[] = [];
    for (const token of last) alone.push(await batcher.evaluate(first, [token], fingerprint));
    batcher.clear(first);
    const atOnce = await batcher.evaluate(first, [...prefix, ...last], fingerprint);
    const acrossPieces = atOnce === alone.at(-1);

    batcher.sharing = { acrossSequences: true, acrossPieces: false };
    let acrossSequences = true;
    for (let count = 2; count <= slots.length && acrossSequences; count++) {
      const some = slots.slice(0, count);
      for (const [index, slot] of some.entries()) {
        batcher.clear(slot);
        await batcher.evaluate(
          slot,
          index === 0 ? prefix : tokens.slice(0, PREFIX_TOKENS - (index % PREFIX_TOKENS)),
        );
      }
      for (const [round, token] of last.entries()) {
        const [fingerprintInBatch] = await Promise.all(
          some.map((slot, index) =>
            batcher.evaluate(
              slot,
              [index === 0 ? token : tokens[(index + round) % tokens.length]!],
              fingerprint,
            ),
          ),
        );
        acrossSequences &&= fingerprintInBatch === alone[round];
      }
    }
    return { acrossSequences: acrossSequences, acrossPieces: acrossPieces };
  } finally {
    for (const slot of slots) batcher.clear(slot);
    batcher.sharing = before;
  }
}
