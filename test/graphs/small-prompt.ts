/** Makes a prompt quick: fewer steps, and smaller images and videos. Nothing else of it changes. */
import type { ApiPrompt } from './graph-files.ts';

const STEPS = 2;
/** The smallest numbers that some nodes take. */
const SMALLEST: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  OptimalStepsScheduler: { steps: 3 },
  ResolutionSelector: { megapixels: 0.1 },
};
const FRAMES = 9;
/** Sides become a quarter, in multiples that all networks take. */
const SHRINK = 4;
const MULTIPLE = 32;

const side = (value: number): number =>
  value < 2 * MULTIPLE ? value : Math.max(MULTIPLE, Math.round(value / SHRINK / MULTIPLE) * MULTIPLE);
const place = (value: number): number => Math.round(value / SHRINK / 8) * 8;
const atMost = (limit: number) => (value: number) => Math.min(limit, value);

/** Changes of numbers, by the names of inputs. */
const CHANGES: Readonly<Record<string, (value: number) => number>> = {
  steps: atMost(STEPS),
  width: side,
  height: side,
  x: place,
  y: place,
  left: place,
  top: place,
  right: place,
  bottom: place,
  length: atMost(FRAMES),
  video_frames: atMost(2),
  batch_size: atMost(1),
  seconds: atMost(1),
  duration: atMost(1),
  megapixels: atMost(0.05),
  largest_size: side,
  octree_resolution: atMost(16),
};

/** Samplers that share their steps still do. */
function stepsOf(inputs: Record<string, unknown>): Record<string, number> {
  const { steps, start_at_step: start, end_at_step: end } = inputs;
  if (typeof steps !== 'number' || steps <= STEPS) return {};
  const share = (step: number) => Math.min(STEPS, Math.ceil((step / steps) * STEPS));
  return {
    ...(typeof start === 'number' && { start_at_step: start === 0 ? 0 : share(start) }),
    ...(typeof end === 'number' && end < steps && { end_at_step: share(end) }),
  };
}

/** The names of the inputs to which nodes with a single number pass it on, by the ids of those nodes. */
function purposes(prompt: ApiPrompt): Map<string, string> {
  const found = new Map<string, string>();
  for (const { inputs } of Object.values(prompt))
    for (const [name, link] of Object.entries(inputs))
      if (Array.isArray(link) && Object.hasOwn(CHANGES, name)) found.set(String(link[0]), name);
  return found;
}

/** The prompt with its numbers changed. */
export function smallPrompt(prompt: ApiPrompt): ApiPrompt {
  const passedOn = purposes(prompt);
  return Object.fromEntries(
    Object.entries(prompt).map(([id, node]) => {
      const changed = Object.entries(node.inputs).map(([name, value]) => {
        const purpose = name === 'value' ? passedOn.get(id) : name;
        const change = purpose && Object.hasOwn(CHANGES, purpose) ? CHANGES[purpose] : undefined;
        if (!change || typeof value !== 'number') return [name, value];
        return [name, Math.max(SMALLEST[node.class_type]?.[name] ?? 0, change(value))];
      });
      return [id, { ...node, inputs: { ...Object.fromEntries(changed), ...stepsOf(node.inputs) } }];
    }),
  );
}
