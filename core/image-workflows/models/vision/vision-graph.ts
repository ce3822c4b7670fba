/** Properties of a vision encoder that follow from its graph and its configurations. */
import type { OnnxOutline } from '#core/tensors';
import type { JsonConfig } from '../../values/model-graph.ts';
import { exposeValue, layerInputs } from '../encoders/clip-layers.ts';
import { numberOr } from '../model-files/image-model-folder.ts';
import type { ImagePreprocessing } from './preprocess-image.ts';

/** Name of the output with the tokens for a language model, in graphs that are built here. */
export const LANGUAGE_TOKENS = 'language_tokens';
/** The output of built graphs with the layers that a style projector reads, and their places from the end. */
export const STYLE_STATES = 'style_states';
export const STYLE_LAYERS = [20, 11, 2] as const;
/** The output of built graphs with the input of the last layer. */
export const PENULTIMATE = 'penultimate_hidden_state';
const USUAL_SIZE = 224;
/** The normalizations of the trainings. */
const CLIP_COLORS = { mean: [0.48145466, 0.4578275, 0.40821073], std: [0.26862954, 0.26130258, 0.27577711] };
/** As in a `preprocessor_config.json`. */
export const DINO_COLORS = { image_mean: [0.485, 0.456, 0.406], image_std: [0.229, 0.224, 0.225] };
const SIGLIP_COLORS = { mean: [0.5, 0.5, 0.5], std: [0.5, 0.5, 0.5] };

/**
 * The value between the last two layers: an output of the graph, or one that `change` adds. Undefined when the graph
 * does not name its layers.
 */
export function penultimateLayer({ outputs, nodes, initializers }: OnnxOutline) {
  if (outputs.includes(PENULTIMATE)) return { output: PENULTIMATE };
  const hiddenStates = outputs.filter((name) => /^hidden_states\.\d+$/.test(name)).length;
  if (hiddenStates > 1) return { output: `hidden_states.${hiddenStates - 2}` };
  const inputs = layerInputs(nodes);
  const output = inputs.get(inputs.size - 1);
  if (output === undefined) return undefined;
  if (outputs.includes(output)) return { output };
  const isHalf = initializers.some(({ type, shape }) => type === 'F16' && shape.length > 1);
  return { output, change: exposeValue(output, isHalf) };
}

/** Decided by the configuration, or else by the graph: only SigLIP has a pooling head with attention. */
export function isSiglipGraph(config: JsonConfig, { nodes, outputs }: OnnxOutline): boolean {
  const kind = `${config.model_type} ${config.architectures}`;
  if (/siglip/i.test(kind)) return true;
  if (/clip/i.test(kind) || outputs.includes('image_embeds')) return false;
  return nodes.some(({ name, module }) => /(^|[/.])head[/.]attention/.test(module ?? name));
}

/**
 * @param inputShape the shape of the graph's input, [batch, channels, height, width].
 * @param config the encoder's `config.json`.
 * @param preprocessing its `preprocessor_config.json`.
 */
export function preprocessingOf(
  inputShape: readonly unknown[],
  config: JsonConfig,
  preprocessing: JsonConfig,
  isSiglip: boolean,
): ImagePreprocessing {
  const vision = (config.vision_config ?? {}) as JsonConfig;
  const crop = (preprocessing.crop_size ?? preprocessing.size) as JsonConfig | number | undefined;
  const cropSize =
    typeof crop === 'object' ? numberOr(crop?.height, numberOr(crop?.shortest_edge, 0)) : Number(crop ?? 0);
  const size =
    (typeof inputShape[2] === 'number' && inputShape[2]) ||
    numberOr(config.image_size, numberOr(vision.image_size, 0)) ||
    cropSize ||
    USUAL_SIZE;
  const usual = isSiglip ? SIGLIP_COLORS : CLIP_COLORS;
  const threeNumbers = (value: unknown, otherwise: readonly number[]) =>
    Array.isArray(value) && value.length === 3 ? value.map(Number) : otherwise;
  return {
    size,
    mean: threeNumbers(preprocessing.image_mean, usual.mean),
    std: threeNumbers(preprocessing.image_std, usual.std),
  };
}
