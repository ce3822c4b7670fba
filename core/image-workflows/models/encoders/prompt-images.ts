/** Images in prompts: tokens of a vision encoder in the place of a marker, with positions of their own. */

import type { PromptPart } from '../../text/token-chunks.ts';
import type { ModelGraph } from '../../values/model-graph.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { type VisionPatches, visionPatches } from '../families/qwen-vision/vision-patches.ts';
import { feedAll, toFloatTensor } from '../graphs/session-tensors.ts';

/** The vision encoder of a text encoder. */
export interface PromptVision {
  readonly graph: ModelGraph;
  /** The token that stands for an image. */
  readonly marker: number;
}

interface Place {
  /** The image's number, and the token's row and column in it. */
  readonly image: number;
  readonly row: number;
  readonly column: number;
  readonly sides: readonly [rows: number, columns: number];
}

export interface PromptImages {
  readonly parts: PromptPart[];
  /** [tokens, 3]: time, row and column of each token. */
  positions(tokens: readonly (number | Float32Array)[]): FloatTensor;
}

/** The prompt with the images' tokens in the places of its markers. Markers without an image stay. */
export async function withImages(
  parts: readonly PromptPart[],
  images: readonly FloatTensor[],
  vision: PromptVision,
  signal: AbortSignal,
): Promise<PromptImages> {
  const places = new Map<Float32Array, Place>();
  const rest = images.entries();
  const changed: PromptPart[] = [];
  for (const part of parts) {
    if (typeof part === 'symbol') {
      changed.push(part);
      continue;
    }
    const tokens = [];
    for (const token of part) {
      const [index, image] = token.token === vision.marker ? (rest.next().value ?? []) : [];
      if (image === undefined) tokens.push(token);
      else
        for (const vector of await imageTokens(image, index!, vision.graph, places, signal))
          tokens.push({ token: vector, weight: 1 });
    }
    changed.push(tokens);
  }
  return { parts: changed, positions: (tokens) => positionsOf(tokens, places) };
}

async function imageTokens(
  image: FloatTensor,
  index: number,
  graph: ModelGraph,
  places: Map<Float32Array, Place>,
  signal: AbortSignal,
): Promise<Float32Array[]> {
  const { feeds, rows, columns }: VisionPatches = visionPatches(image);
  const session = await graph.session(signal);
  const outputs = await session.run(feedAll(session, feeds), signal);
  const { shape, data } = toFloatTensor(outputs.image_tokens!);
  const width = shape.at(-1)!;
  return Array.from({ length: rows * columns }, (_, at) => {
    const vector = data.slice(at * width, (at + 1) * width);
    places.set(vector, {
      image: index,
      row: Math.floor(at / columns),
      column: at % columns,
      sides: [rows, columns],
    });
    return vector;
  });
}

/**
 * Words count on by one, in all three positions. The tokens of an image share their time, and the next word counts on
 * from its longer side (Wang et al., "Qwen2-VL", 2024, section 2.1).
 */
function positionsOf(
  tokens: readonly (number | Float32Array)[],
  places: ReadonlyMap<Float32Array, Place>,
): FloatTensor {
  const data = new Float32Array(tokens.length * 3);
  let next = 0;
  let current: { image: number; start: number } | undefined;
  for (const [at, token] of tokens.entries()) {
    const place = typeof token === 'number' ? undefined : places.get(token);
    if (!place) {
      data.fill(next, at * 3, at * 3 + 3);
      next++;
      current = undefined;
      continue;
    }
    if (current?.image !== place.image) {
      current = { image: place.image, start: next };
      next += Math.max(...place.sides);
    }
    const { start } = current;
    data.set([start, start + place.row, start + place.column], at * 3);
  }
  return { shape: [tokens.length, 3], data };
}
