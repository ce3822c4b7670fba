import type { Tensor } from '../../host/tensor-engine.ts';
import type { DiffusionNetwork } from '../values/sampling.ts';
import { type FloatTensor, filled } from '../values/tensor.ts';
import type { ConditioningEntry } from '../values/types.ts';
import type { Graph } from './graph.ts';
import { feed, floats, neededSlot, slotOf } from './tensors.ts';

/** A UNet in the diffusers layout: all conditionings of one length go through it as one batch. */
export function unetNetwork(graph: Graph): DiffusionNetwork {
  async function run(
    x: FloatTensor,
    timestep: number,
    entries: readonly ConditioningEntry[],
    signal: AbortSignal,
  ) {
    const session = await graph.session(signal);
    const sample = neededSlot(session, 'sample');
    const time = neededSlot(session, 'timestep');
    const text = neededSlot(session, 'encoder_hidden_states');
    const summary = slotOf(session.inputs, 'text_embeds');
    const sizes = slotOf(session.inputs, 'time_ids');
    const guidance = slotOf(session.inputs, 'timestep_cond');
    const output = slotOf(session.outputs, 'out_sample', 'sample') ?? session.outputs[0]!;
    const batch = x.shape[0]!;
    const all = batch * entries.length;
    const feeds: Record<string, Tensor> = {
      [sample.name]: feed(sample, repeated(x, entries.length)),
      [time.name]: feed(time, {
        shape: time.shape.length === 0 ? [] : [1],
        data: Float32Array.of(timestep),
      }),
      [text.name]: feed(
        text,
        stacked(
          entries.map(({ tensor }) => tensor),
          batch,
        ),
      ),
    };
    if (summary) {
      const pooled = entries.map(({ options }) => {
        if (!options.pooled)
          throw new TypeError(
            'this model needs prompts with a summary (pooled output): encode them with its own CLIP',
          );
        return options.pooled;
      });
      feeds[summary.name] = feed(summary, stacked(pooled, batch));
    }
    if (sizes)
      feeds[sizes.name] = feed(
        sizes,
        stacked(
          entries.map(({ options }) => sizeIds(options, x.shape)),
          batch,
        ),
      );
    if (guidance) {
      const width = Number(guidance.shape.at(-1)) || 256;
      const scale = entries.map(({ options }) => guidanceVector(Number(options.guidance ?? 7.5) - 1, width));
      feeds[guidance.name] = feed(guidance, stacked(scale, batch));
    }
    const outputs = await session.run(feeds, signal, [output.name]);
    const { data } = floats(outputs[output.name]!);
    const size = data.length / all;
    return entries.map((_, index) => ({
      shape: [batch, ...x.shape.slice(1)],
      data: data.slice(index * batch * size, (index + 1) * batch * size),
    }));
  }

  return {
    async predict(x, timestep, conditioning, signal) {
      const results = new Map<ConditioningEntry, FloatTensor>();
      for (const entries of grouped(conditioning).values()) {
        const outputs = await run(x, timestep, entries, signal);
        for (const [index, entry] of entries.entries()) results.set(entry, outputs[index]!);
      }
      return conditioning.map((entry) => results.get(entry)!);
    },
  };
}

function grouped(conditioning: readonly ConditioningEntry[]): Map<string, ConditioningEntry[]> {
  const groups = new Map<string, ConditioningEntry[]>();
  for (const entry of conditioning) {
    const key = entry.tensor.shape.slice(1).join('x');
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  return groups;
}

function repeated({ shape, data }: FloatTensor, times: number): FloatTensor {
  const made = filled([shape[0]! * times, ...shape.slice(1)]);
  for (let i = 0; i < times; i++) made.data.set(data, i * data.length);
  return made;
}

/** Each of the tensors for `batch` pictures, one after another; those with fewer start over. */
function stacked(tensors: readonly FloatTensor[], batch: number): FloatTensor {
  const [first] = tensors;
  const made = filled([batch * tensors.length, ...first!.shape.slice(1)]);
  const size = made.data.length / made.shape[0]!;
  let at = 0;
  for (const { shape, data } of tensors)
    for (let picture = 0; picture < batch; picture++) {
      const from = (picture % shape[0]!) * size;
      made.data.set(data.subarray(from, from + size), at);
      at += size;
    }
  return made;
}

/** SDXL's micro-conditioning (Podell et al., "SDXL", 2023, section 2.2): original size, crop, target size. */
function sizeIds(
  options: ConditioningEntry['options'],
  [, , height = 0, width = 0]: readonly number[],
): FloatTensor {
  const number = (name: string, otherwise: number) =>
    typeof options[name] === 'number' ? (options[name] as number) : otherwise;
  const [high, wide] = [number('height', height * 8), number('width', width * 8)];
  const ids = [
    high,
    wide,
    number('crop_h', 0),
    number('crop_w', 0),
    number('target_height', high),
    number('target_width', wide),
  ];
  return { shape: [1, 6], data: Float32Array.from(ids) };
}

/** The guidance scale as an input of LCM's network (Luo et al., 2023, section 4.2): sines and cosines, as times are told. */
function guidanceVector(scale: number, width: number): FloatTensor {
  const half = Math.floor(width / 2);
  const data = new Float32Array(width);
  for (let i = 0; i < half; i++) {
    const angle = scale * 1000 * Math.exp((-Math.log(10000) * i) / (half - 1));
    data[i] = Math.sin(angle);
    data[half + i] = Math.cos(angle);
  }
  return { shape: [1, width], data };
}
