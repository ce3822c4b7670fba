import { nodeTypes } from '#core/image-workflows/nodes/index.ts';
import type { NodeContext } from '#core/image-workflows/nodes/kernel/node-context.ts';

interface RecordedNode {
  node: string;
  inputs: Record<string, unknown>;
  outputs?: unknown[];
  /** Recorded in place of outputs. */
  error?: string;
}

/** Runs one node alone on recorded inputs; what differs from the recorded outputs, or nothing. */
export async function nodeNumbers(
  { node, inputs, outputs }: RecordedNode,
  tolerance: number,
): Promise<string | undefined> {
  const type = nodeTypes.find(({ name }) => name === node);
  if (!type) return 'no such node';
  const values = Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [
      name,
      type.inputs[name]?.exact ? BigInt(value as number) : decoded(value),
    ]),
  );
  const running = Promise.resolve().then(() => type.run(values, context));
  if (!outputs)
    return running.then(
      () => 'runs, though the recorded one fails',
      () => undefined,
    );
  const result = await running;
  const given = Array.isArray(result) ? result : ((result as { outputs?: unknown[] }).outputs ?? []);
  return difference(outputs.map(decoded), given, tolerance, 'output');
}

/** Nodes of numbers look at nothing but the signal, and may send a text. */
const context = {
  nodeId: '1',
  promptId: 'numbers',
  signal: new AbortController().signal,
  wantsPreviews: false,
  isTaken: () => false,
  progress: async () => {},
  sendText: () => {},
} as unknown as NodeContext;

/** Recorded names of a latent's and a conditioning's members, and ours. */
const MEMBERS: Record<string, string> = {
  noise_mask: 'noiseMask',
  batch_index: 'batchIndex',
  pooled_output: 'pooled',
  mask_strength: 'maskStrength',
  set_area_to_bounds: 'setAreaToBounds',
  start_percent: 'startPercent',
  end_percent: 'endPercent',
};

function decoded(value: unknown): unknown {
  if (Array.isArray(value)) {
    if (
      value.length === 2 &&
      isObject(value[0]) &&
      'shape' in value[0] &&
      isObject(value[1]) &&
      !('shape' in value[1])
    )
      return { tensor: decoded(value[0]), options: decoded(value[1]) };
    return value.map(decoded);
  }
  if (!isObject(value)) return value;
  if ('shape' in value && 'data' in value)
    return { shape: value.shape, data: Float32Array.from(value.data as number[]) };
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      MEMBERS[name] ?? name,
      name === 'area' ? areaOf(member as unknown[]) : decoded(member),
    ]),
  );
}

function areaOf(area: unknown[]) {
  const fraction = area[0] === 'percentage';
  const [height, width, y, x] = (fraction ? area.slice(1) : area) as number[];
  return { unit: fraction ? 'fraction' : 'latent', height, width, y, x };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function difference(recorded: unknown, given: unknown, tolerance: number, at: string): string | undefined {
  if (typeof recorded === 'number') {
    return Math.abs(recorded - Number(given)) <= tolerance
      ? undefined
      : `${at} is ${given} instead of ${recorded}`;
  }
  if (recorded instanceof Float32Array) {
    if (!(given instanceof Float32Array) || given.length !== recorded.length)
      return `${at} is of another length`;
    const off = recorded.findIndex((value, index) => !(Math.abs(value - given[index]!) <= tolerance));
    return off < 0 ? undefined : `${at}[${off}] is ${given[off]} instead of ${recorded[off]}`;
  }
  if (Array.isArray(recorded)) {
    if (!Array.isArray(given) || given.length !== recorded.length) return `${at} is of another length`;
    return recorded
      .map((value, index) => difference(value, given[index], tolerance, `${at}.${index}`))
      .find(Boolean);
  }
  if (isObject(recorded)) {
    if (!isObject(given)) return `${at} is ${JSON.stringify(given)}`;
    return Object.entries(recorded)
      .map(([name, value]) => difference(value, given[name], tolerance, `${at}.${name}`))
      .find(Boolean);
  }
  return recorded === given
    ? undefined
    : `${at} is ${JSON.stringify(given)} instead of ${JSON.stringify(recorded)}`;
}
