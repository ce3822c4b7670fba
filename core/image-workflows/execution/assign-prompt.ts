/** Decides which waiting prompt runs next, and where: prompts with the same models go to the place that has them open. */
import { asLink, type PromptGraph } from '../graph/graph.ts';
import type { NodeTypes } from '../graph/node-types.ts';
import { pythonValueJson } from '../python/python-json.ts';

/** The types of values that come from a model's file. */
const MODEL_TYPES: ReadonlySet<unknown> = new Set([
  'MODEL',
  'CLIP',
  'VAE',
  'CLIP_VISION',
  'CONTROL_NET',
  'UPSCALE_MODEL',
  'STYLE_MODEL',
  'AUDIO_ENCODER',
]);

/** A place may pass over a prompt so many times, while its models are open on a busy place. */
const MAX_PASSES = 8;
/** So many waiting prompts are looked at. */
const LOOKAHEAD = 64;

/** The models that a graph loads: the nodes with models as outputs and no links as inputs, each with its literals. */
export function modelsOf(graph: PromptGraph, types: NodeTypes): ReadonlySet<string> {
  const models = new Set<string>();
  for (const { className, inputs } of graph.values()) {
    const loads = types.get(className)?.outputs.some(({ type }) => MODEL_TYPES.has(type));
    if (!loads) continue;
    const entries = [...(inputs ?? [])];
    if (entries.some(([, value]) => asLink(value))) continue;
    models.add(
      [className, ...entries.map(([name, value]) => `${name}=${pythonValueJson(value)}`)].join('\0'),
    );
  }
  return models;
}

/** A prompt that waits. */
export interface Candidate {
  number: number;
  models: ReadonlySet<string>;
  /** How often a later prompt ran instead of this one. */
  passes: number;
}

/** A place, and the models of the prompt that ran there last. */
export interface PlaceState {
  models: ReadonlySet<string>;
  isFree: boolean;
  /** Grows with each prompt that begins: when the place was used last. */
  usedAt: number;
}

export interface Assignment {
  /** The indexes of the prompt and of the place. */
  prompt: number;
  place: number;
}

/**
 * The next prompt and its place. Undefined: nothing waits, or no place is free.
 * @param waiting in the order of the queue. The first one runs, unless its models are open on a busy place, and a free
 *   place has those of a later prompt. Prompts in front (with a negative number) are never passed over
 */
export function assignPrompt(
  waiting: readonly Candidate[],
  places: readonly PlaceState[],
): Assignment | undefined {
  const free = places.flatMap((place, at) => (place.isFree ? [at] : []));
  const [first] = waiting;
  if (!first || free.length === 0) return undefined;
  const best = bestPlace(first, places, free);
  const mayWait = first.number >= 0 && first.passes < MAX_PASSES && shared(first, places[best]!) === 0;
  const isOpenElsewhere = places.some((place) => !place.isFree && shared(first, place) > 0);
  if (mayWait && isOpenElsewhere) {
    for (const [at, later] of waiting.slice(0, LOOKAHEAD).entries()) {
      const place = bestPlace(later, places, free);
      if (shared(later, places[place]!) > 0) return { prompt: at, place };
    }
  }
  return { prompt: 0, place: best };
}

/** The free place with most of the models, then one without models, then the one that was not used for longest. */
function bestPlace(prompt: Candidate, places: readonly PlaceState[], free: readonly number[]): number {
  const rank = (at: number): [number, number, number] => {
    const place = places[at]!;
    return [-shared(prompt, place), Math.min(1, place.models.size), place.usedAt];
  };
  return free.reduce((best, at) => (isLess(rank(at), rank(best)) ? at : best));
}

function isLess(a: readonly number[], b: readonly number[]): boolean {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at >= 0 && a[at]! < b[at]!;
}

function shared({ models }: Candidate, place: PlaceState): number {
  return [...models].filter((model) => place.models.has(model)).length;
}
