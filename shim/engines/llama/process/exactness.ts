import type { Token } from '../llama-library.ts';
import type { Batcher, Exactness, Reader } from './batcher.ts';
import type { Place } from './place.ts';

const PREFIX = 6;
const COMPARED = 3;

/**
 * Finds out whether this model's numbers depend on what else is in a batch: kernels for one token and for many may add
 * up in another order, and which ones there are depends on the types of the weights and on the processor. Everything
 * here is equality to the last bit. `fingerprint` reads outputs in a form that can be compared.
 */
export async function findExactness(
  batcher: Batcher,
  places: readonly Place[],
  tokens: Token[],
  fingerprint: Reader<string>,
): Promise<Exactness> {
  const first = places[0]!;
  const prefix = tokens.slice(0, PREFIX);
  const last = tokens.slice(PREFIX, PREFIX + COMPARED);
  const before = batcher.exactness;
  try {
    batcher.exactness = { beside: false, inPieces: false };
    await batcher.evaluate(first, prefix);
    const alone: string[] = [];
    for (const token of last) alone.push(await batcher.evaluate(first, [token], fingerprint));
    batcher.clear(first);
    const inOne = await batcher.evaluate(first, [...prefix, ...last], fingerprint);
    const inPieces = inOne === alone.at(-1);

    batcher.exactness = { beside: true, inPieces: false };
    let beside = true;
    for (let count = 2; count <= places.length && beside; count++) {
      const some = places.slice(0, count);
      for (const [index, place] of some.entries()) {
        batcher.clear(place);
        await batcher.evaluate(place, index === 0 ? prefix : tokens.slice(0, PREFIX - (index % PREFIX)));
      }
      for (const [round, token] of last.entries()) {
        const [found] = await Promise.all(
          some.map((place, index) =>
            batcher.evaluate(
              place,
              [index === 0 ? token : tokens[(index + round) % tokens.length]!],
              fingerprint,
            ),
          ),
        );
        beside &&= found === alone[round];
      }
    }
    return { beside, inPieces };
  } finally {
    for (const place of places) batcher.clear(place);
    batcher.exactness = before;
  }
}
