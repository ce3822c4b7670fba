import { isObject } from '#core/base';
import { nodeTypes } from '#core/image-workflows/nodes/index.ts';
import type { NodeContext } from '#core/image-workflows/nodes/kernel/node-context.ts';

interface RecordedNode {
  node: string;
  inputs: Record<string, unknown>;
  outputs?: unknown[];
  /** Recorded in place of outputs. */
  error?: string;
}

/** Runs a node on recorded inputs. Returns the difference from the recorded outputs, or undefined. */
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
  const computed = Array.isArray(result) ? result : ((result as { outputs?: unknown[] }).outputs ?? []);
  return difference(outputs.map(decoded), computed, tolerance, 'output');
}

/** Nodes of numbers use only the signal of their context, and may send a text. */
const context = {
  nodeId: '1',
  promptId: 'numbers',
  signal: new AbortController().signal,
  wantsPreviews: false,
  isTaken: () => false,
  progress: async () => {},
  sendText: () => {},
} as unknown as NodeContext;

/** Recorded names of the fields of latents, and tabd's names. */
const LATENT_FIELDS: Record<string, string> = {
  noise_mask: 'noiseMask',
  batch_index: 'batchIndex',
};

/** Recorded names of the options of a conditioning, and where tabd has them: in a group, or at the top. */
const OPTION_FIELDS: Record<string, readonly [group: string | undefined, name: string]> = {
  pooled_output: [undefined, 'pooled'],
  area: ['region', 'area'],
  strength: ['region', 'strength'],
  mask: ['region', 'mask'],
  mask_strength: ['region', 'maskStrength'],
  set_area_to_bounds: ['region', 'areaFromMask'],
  start_percent: ['schedule', 'startPercent'],
  end_percent: ['schedule', 'endPercent'],
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
      return { tensor: decoded(value[0]), options: decodedOptions(value[1]) };
    return value.map(decoded);
  }
  if (!isObject(value)) return value;
  if ('shape' in value && 'data' in value)
    return { shape: value.shape, data: Float32Array.from(value.data as number[]) };
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [LATENT_FIELDS[name] ?? name, decoded(member)]),
  );
}

function decodedOptions(recorded: Record<string, unknown>): Record<string, unknown> {
  const options: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(recorded)) {
    const value = name === 'area' ? areaOf(member as unknown[]) : decoded(member);
    const [group, field] = OPTION_FIELDS[name] ?? [undefined, name];
    if (group === undefined) options[field] = value;
    else options[group] = { ...(options[group] as object), [field]: value };
  }
  return options;
}

function areaOf(area: unknown[]) {
  const fraction = area[0] === 'percentage';
  const [height, width, y, x] = (fraction ? area.slice(1) : area) as number[];
  return { unit: fraction ? 'fraction' : 'latent', height, width, y, x };
}

function difference(recorded: unknown, outputs: unknown, tolerance: number, at: string): string | undefined {
  if (typeof recorded === 'number') {
    return Math.abs(recorded - Number(outputs)) <= tolerance
      ? undefined
      : `${at} is ${outputs} instead of ${recorded}`;
  }
  if (recorded instanceof Float32Array) {
    if (!(outputs instanceof Float32Array) || outputs.length !== recorded.length)
      return `${at} is of another length`;
    const differingIndex = recorded.findIndex(
      (value, index) => !(Math.abs(value - outputs[index]!) <= tolerance),
    );
    return differingIndex < 0
      ? undefined
      : `${at}[${differingIndex}] is ${outputs[differingIndex]} instead of ${recorded[differingIndex]}`;
  }
  if (Array.isArray(recorded)) {
    if (!Array.isArray(outputs) || outputs.length !== recorded.length) return `${at} is of another length`;
    return recorded
      .map((value, index) => difference(value, outputs[index], tolerance, `${at}.${index}`))
      .find(Boolean);
  }
  if (isObject(recorded)) {
    if (!isObject(outputs)) return `${at} is ${JSON.stringify(outputs)}`;
    return Object.entries(recorded)
      .map(([name, value]) => difference(value, outputs[name], tolerance, `${at}.${name}`))
      .find(Boolean);
  }
  return recorded === outputs
    ? undefined
    : `${at} is ${JSON.stringify(outputs)} instead of ${JSON.stringify(recorded)}`;
}
