/** Extraction of adapters from the difference between two models. */

import { joinPath } from '../../files/paths.ts';
import { type ExtractionSource, writeExtractedLora } from '../../models/adapters/lora-extraction.ts';
import type { ClipModel } from '../../values/clip-model.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import { METADATA_INPUTS } from '../kernel/common-inputs.ts';
import { boolean, choice, int, link, optional, string } from '../kernel/inputs.ts';
import { type AnyNode, node } from '../kernel/node-type.ts';
import { percentReporter } from '../kernel/progress-reporter.ts';
import { metadataTexts } from '../kernel/save-files.ts';

/** The weights of a diffusion model. Names follow kohya's scripts for UNets, and diffusers for transformers. */
function sourceOfModel({ network: { graph }, configs }: DiffusionModel): ExtractionSource {
  if (!graph)
    throw new Error('the weights of model_diff cannot be read: connect the output of ModelMergeSubtract');
  const isTransformer = configs?.kind === 'sd3' || configs?.kind === 'flux';
  return {
    graph,
    what: 'diffusion model',
    nameOf: (module) =>
      isTransformer ? `transformer.${module}` : `lora_unet_${module.replaceAll('.', '_')}`,
  };
}

/** The weights of each text encoder. Names contain the number of the encoder when there are several. */
const sourcesOfClip = ({ graphs }: ClipModel): ExtractionSource[] =>
  [...graphs].map(([name, graph], index) => {
    const start = graphs.size === 1 ? 'lora_te_' : `lora_te${index + 1}_`;
    // Some graphs omit `text_model`, CLIP's outermost name.
    const isInside = (module: string) =>
      name !== 't5xxl' && /^(embeddings|encoder|final_layer_norm)\b/.test(module);
    return {
      graph,
      what: 'text encoder',
      nameOf: (module) => `${start}${isInside(module) ? 'text_model_' : ''}${module.replaceAll('.', '_')}`,
    };
  });

const loraSave = node({
  name: 'LoraSave',
  displayName: 'Extract and Save Lora',
  category: '_for_testing',
  module: 'comfy_extras.nodes_lora_extract',
  modern: true,
  experimental: true,
  isOutput: true,
  description:
    'Saves the difference of ModelMergeSubtract or CLIPMergeSubtract as an adapter in the output folder. standard keeps the rank strongest directions of each matrix, full_diff the complete difference. Load LoRA lists the adapters in output/loras.',
  inputs: {
    filename_prefix: string({ default: 'loras/ComfyUI_extracted_lora', multiline: false }),
    rank: int({ default: 8, min: 1, max: 4096, step: 1 }),
    lora_type: choice(['standard', 'full_diff']),
    bias_diff: boolean({ default: true }),
    model_diff: optional(link('MODEL')),
    text_encoder_diff: optional(link('CLIP')),
  },
  hidden: METADATA_INPUTS,
  outputs: [],
  async run({ filename_prefix, rank, lora_type, bias_diff, model_diff, text_encoder_diff }, context) {
    const sources = [
      ...(model_diff ? [sourceOfModel(model_diff)] : []),
      ...(text_encoder_diff ? sourcesOfClip(text_encoder_diff) : []),
    ];
    if (sources.length === 0)
      throw new Error(
        'there is nothing to extract an adapter from: connect model_diff, text_encoder_diff or both',
      );
    const { name, subfolder, counter } = await context.files.target(filename_prefix, 'output');
    const path = joinPath('output', subfolder, `${name}_${String(counter).padStart(5, '0')}_.safetensors`);
    const count = await writeExtractedLora(
      context.host.files,
      path,
      sources,
      { rank, kind: lora_type, withBiases: bias_diff },
      { texts: metadataTexts(context), signal: context.signal },
      percentReporter(context),
    );
    if (count === 0)
      throw new Error('the difference is zero in all weights: subtract two models that are not the same');
    return {};
  },
});

export const loraSaveNodes: AnyNode[] = [loraSave];
