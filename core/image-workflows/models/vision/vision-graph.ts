/** What of a vision encoder follows from its graph and its configurations. */
import type { OnnxOutline } from '#core/tensors';
import type { JsonObject } from '../../values/model-graph.ts';
import { exposeValue, layerInputs } from '../encoders/clip-layers.ts';
import { numberOr } from '../model-files/model-folder.ts';
import type { ImagePreprocessing } from './preprocess-image.ts';

const USUAL_SIZE = 224;
/** What the encoders were trained with. */
const CLIP_COLOURS = { mean: [0.48145466, 0.4578275, 0.40821073], std: [0.26862954, 0.26130258, 0.27577711] };
const SIGLIP_COLOURS = { mean: [0.5, 0.5, 0.5], std: [0.5, 0.5, 0.5] };

/** What goes into the last layer: given by the graph, or made to be. undefined: its layers cannot be told apart. */
export function penultimateLayer({ outputs, nodes, initializers }: OnnxOutline) {
  const given = outputs.filter((name) => /^hidden_states\.\d+$/.test(name)).length;
  if (given > 1) return { output: `hidden_states.${given - 2}` };
  const entries = layerInputs(nodes);
  const output = entries.get(entries.size - 1);
  if (output === undefined) return undefined;
  if (outputs.includes(output)) return { output };
  const isHalf = initializers.some(({ type, shape }) => type === 'F16' && shape.length > 1);
  return { output, change: exposeValue(output, isHalf) };
}

/** As its configuration says, or else by its parts: CLIP's has a norm before its layers, SigLIP's a head that pools. */
export function isSiglipGraph(config: JsonObject, { nodes, outputs }: OnnxOutline): boolean {
  const said = `${config.model_type} ${config.architectures}`;
  if (/siglip/i.test(said)) return true;
  if (/clip/i.test(said) || outputs.includes('image_embeds')) return false;
  return nodes.some(({ name, module }) => /(^|[/.])head[/.]attention/.test(module ?? name));
}

export function preprocessingOf(
  shape: readonly unknown[],
  config: JsonObject,
  preparing: JsonObject,
  isSiglip: boolean,
): ImagePreprocessing {
  const vision = (config.vision_config ?? {}) as JsonObject;
  const crop = (preparing.crop_size ?? preparing.size) as JsonObject | number | undefined;
  const told =
    typeof crop === 'object' ? numberOr(crop?.height, numberOr(crop?.shortest_edge, 0)) : Number(crop ?? 0);
  const size =
    (typeof shape[2] === 'number' && shape[2]) ||
    numberOr(config.image_size, numberOr(vision.image_size, 0)) ||
    told ||
    USUAL_SIZE;
  const usual = isSiglip ? SIGLIP_COLOURS : CLIP_COLOURS;
  const three = (value: unknown, otherwise: readonly number[]) =>
    Array.isArray(value) && value.length === 3 ? value.map(Number) : otherwise;
  return {
    size,
    mean: three(preparing.image_mean, usual.mean),
    std: three(preparing.image_std, usual.std),
  };
}
