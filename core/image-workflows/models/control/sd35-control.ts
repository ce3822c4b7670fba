/**
 * Control nets of Stable Diffusion 3.5 large by Stability AI (model card of stabilityai/stable-diffusion-3.5-controlnets,
 * 2024). Each uses the layers of its model for the pooled text.
 */
import type { Host } from '#core/host';
import type { ControlNet } from '../../values/control-net.ts';
import type { ModelGraph } from '../../values/model-graph.ts';
import type { DiffusionNetwork } from '../../values/network.ts';
import { originalTransformer } from '../families/joint-attention/original-transformer-weights.ts';
import { MODEL_TEXT, sd35ControlGraph } from '../families/joint-attention/sd35-control-graph.ts';
import { decodeFloats } from '../graphs/stored-floats.ts';
import { sd3Layout } from '../networks/transformer-layouts.ts';
import { jointGraph } from '../weight-files/joint-graph.ts';
import { readTensor, type WeightFile } from '../weight-files/read-weight-file.ts';
import type { WeightTable } from '../weight-files/weight-table.ts';
import { boundNet } from './bound-net.ts';
import type { TransformerControl } from './transformer-control-files.ts';

const TEXT = 'time_text_embed.text_embedder.';
const KIND = 'control_type';

/** How images become hints, by the number of the kind: blurred images, edges, depth. From ComfyUI. */
const ADJUSTMENTS: readonly TransformerControl['adjust'][] = [
  undefined,
  (value) => value * 255 * 0.5 + 0.5,
  (value) => 1 - value,
];

/** The layers for the pooled text follow those of the model when they are square. */
export function isSd35Control(table: WeightTable): boolean {
  const text = table.get(`${TEXT}linear_1.weight`) ?? table.get('y_embedder.mlp.0.weight');
  return table.has('transformer_blocks.0.adaLN_modulation.1.bias') && text?.shape[0] === text?.shape[1];
}

/** @param toNet the control net of a graph */
export async function sd35ControlNet(
  host: Host,
  file: WeightFile,
  toNet: (graph: ModelGraph, control: TransformerControl) => ControlNet,
): Promise<ControlNet> {
  const adjust = ADJUSTMENTS[await kindOf(host, file)];
  const own = diffusersNames(file.table);
  const control: TransformerControl = { layout: sd3Layout, ...(adjust && { adjust }) };
  const open = async ({ graph }: DiffusionNetwork): Promise<ControlNet> => {
    if (!graph) throw new Error(`${file.name} needs a model whose weights can be read`);
    const joint = await jointGraph(host, {
      kind: 'a control net of Stable Diffusion 3.5',
      file,
      own,
      base: graph,
      mark: `${TEXT}linear_1.weight`,
      nameOf: (name) => (name.startsWith(TEXT) ? `${MODEL_TEXT}.${name.slice(TEXT.length)}` : undefined),
      build: sd35ControlGraph,
    });
    return toNet(joint, control);
  };
  return boundNet(`${file.name} is a control net of Stable Diffusion 3.5, which needs its model`, open);
}

async function kindOf(host: Host, file: WeightFile): Promise<number> {
  const tensor = file.table.get(KIND);
  if (!tensor) return 0;
  const [kind = 0] = decodeFloats(await readTensor(host.files, file, tensor), tensor.type);
  return Math.round(kind);
}

/** Blocks have the names of Stable Diffusion 3's original files, the other layers those of diffusers. */
function diffusersNames(table: WeightTable): WeightTable {
  const original = [...table].flatMap(([name, tensor]) => {
    const [, number, rest] = /^transformer_blocks\.(\d+)\.(.+)$/.exec(name) ?? [];
    return number === undefined ? [] : [[`joint_blocks.${number}.x_block.${rest}`, tensor] as const];
  });
  const others = [...table].filter(([name]) => !name.startsWith('transformer_blocks.') && name !== KIND);
  return new Map([...originalTransformer('sd3', new Map([...original, ...others])), ...others]);
}
