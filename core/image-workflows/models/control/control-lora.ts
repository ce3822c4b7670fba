/**
 * Control-LoRA (Stability AI, model card of stabilityai/control-lora, 2023): a control net whose weights are those of a
 * model, plus products of small matrices. It needs the model that it is used with.
 */
import { type Host, ModelUnsupported } from '#core/host';
import type { ControlNet } from '../../values/control-net.ts';
import type { ModelGraph } from '../../values/model-graph.ts';
import type { DiffusionNetwork } from '../../values/network.ts';
import { controlNetGraph } from '../families/control-nets/control-net-graph.ts';
import { ldmControlNet } from '../families/control-nets/control-net-names.ts';
import { jointGraph } from '../weight-files/joint-graph.ts';
import type { WeightFile } from '../weight-files/read-weight-file.ts';
import { boundNet } from './bound-net.ts';
import { headsOf } from './control-heads.ts';

/** The tensor that marks such a file. */
export const CONTROL_LORA = 'lora_controlnet';

/** Parts of a UNet that a control net has not. */
const OTHER_PARTS = /^(up_blocks|conv_norm_out|conv_out)\./;

/** @param toNet the control net of a graph */
export function controlLora(
  host: Host,
  file: WeightFile,
  toNet: (graph: ModelGraph) => ControlNet,
): ControlNet {
  const own = ldmControlNet(file.table);
  if (!own) throw new ModelUnsupported(`${file.name} is an incomplete Control-LoRA: it lacks zero_convs`);
  const open = async ({ graph }: DiffusionNetwork): Promise<ControlNet> => {
    if (!graph) throw new Error(`${file.name} needs a model whose weights can be read`);
    const joint = await jointGraph(host, {
      kind: 'a Control-LoRA',
      file,
      own,
      base: graph,
      nameOf: (name) => (OTHER_PARTS.test(name) ? undefined : name),
      build: (weights) => controlNetGraph(weights, headsOf(weights)),
    });
    return toNet(joint);
  };
  return boundNet(`${file.name} is a Control-LoRA, which needs a model`, open);
}
