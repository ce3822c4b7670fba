/** The parts of a model that lies in files of weights, as one checkpoint has them. */
import type { ClipModel } from '../../values/clip-model.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { VaeModel } from '../../values/image-models.ts';
import type { ModelGraph, StoredWeights } from '../../values/model-graph.ts';
import { VAE_PREFIXES } from '../checkpoints/open-autoencoder.ts';
import { findNetwork } from '../checkpoints/open-network.ts';
import { clipKind, clipUse } from '../families/text-encoders/clip-encoder.ts';
import { languageUse } from '../families/text-encoders/language-encoder.ts';
import { hasPrefix, type WeightTable, withoutPrefix } from '../weight-files/weight-table.ts';
import { originalAutoencoder } from './original-autoencoder.ts';
import { openClipTensors } from './original-encoders.ts';
import { originalNetwork } from './original-networks.ts';
import { allTensors, type SavedPart, type SavedTensor, sameTensor } from './saved-tensors.ts';

const NETWORK = 'model.diffusion_model.';
/** Families whose checkpoints name the autoencoder as the first ones did. The others call it `vae.`. */
const FIRST_STAGE = ['Stable Diffusion', 'Stable Diffusion 3'];
/** The beginnings of the parts of a checkpoint, and of copies of weights that only training needs. */
const PARTS = /^(model|net|model_ema|cond_stage_model|conditioner|text_encoders?|first_stage_model|vae)\./;
/** Tensors that say how a network was trained. They are written anew. */
const MARKS = ['v_pred', 'ztsnr', 'edm_vpred.sigma_max', 'edm_vpred.sigma_min'];

/** Whether a graph was built over a file of weights. */
export const isStored = (graph: ModelGraph | undefined): boolean => graph?.source.stored !== undefined;

/** @param isComplete also the tensors of its checkpoint that belong to no part, such as the table of noise levels */
export function networkPart({ network: { graph } }: DiffusionModel, isComplete: boolean): SavedPart {
  const stored = graph!.source.stored!;
  const { table, prefix } = findNetwork(stored.table)!;
  const own =
    prefix === ''
      ? new Map([...table].filter(([name]) => !PARTS.test(name) && !MARKS.includes(name)))
      : table;
  const tensors = originalNetwork(own, NETWORK);
  if (isComplete && prefix !== '')
    for (const [name, tensor] of stored.table)
      if (!PARTS.test(name) && !MARKS.includes(name)) tensors.push(sameTensor(name, tensor));
  return { stored, graphs: [graph!], tensors };
}

/** A text encoder under its names in transformers, as files of their own have it. */
export function standaloneEncoder(graph: ModelGraph): SavedPart {
  const stored = graph.source.stored!;
  return { stored, graphs: [graph], tensors: [...allTensors(stored.used, ''), ...tokenizerOf(stored, '')] };
}

/** The text encoders of a model as the network's checkpoints have them. Throws for encoders of another kind of model. */
export function encoderParts(clip: ClipModel, model: DiffusionModel): SavedPart[] {
  const { name: family, encoders = [] } = model.family ?? {};
  const uses = new Map(encoders.map((use) => [languageUse(use)?.name ?? clipKind(clipUse(use)).name, use]));
  const present = [...clip.graphs.keys()];
  if (present.length === 0 || present.some((name) => !uses.has(name as never)))
    throw new Error(
      `the text encoders (${present.join(', ') || 'none'}) are not those of ${family} (${[...uses.keys()].join(', ') || 'none is known'}): connect those that it runs with, or save the parts separately`,
    );
  return [...clip.graphs].map(([name, graph]) => encoderPart(graph, uses.get(name as never)!));
}

function encoderPart(graph: ModelGraph, use: string): SavedPart {
  const stored = graph.source.stored!;
  const language = languageUse(use);
  if (language) {
    const tensors = [...allTensors(stored.used, language.prefix), ...tokenizerOf(stored, 'text_encoders.')];
    return { stored, graphs: [graph], tensors };
  }
  const { prefixes: [prefix = ''] = [], isOpenClip = false } = clipUse(use);
  const own = withoutPrefix(stored.table, prefix);
  const isAlike = own.size > 0 && hasPrefix(own, 'transformer.resblocks.') === isOpenClip;
  const convert = isOpenClip ? openClipTensors : allTensors;
  return {
    stored,
    graphs: [graph],
    tensors: isAlike ? allTensors(own, prefix) : convert(stored.used, prefix),
  };
}

/** The tokenizer that an encoder's file brings along. */
function tokenizerOf({ table, used }: StoredWeights, prefix: string): SavedTensor[] {
  return ['spiece_model', 'tokenizer_json'].flatMap((name) => {
    const tensor = [...table].find(([key]) => key === name || key.endsWith(`.${name}`))?.[1];
    return tensor && !used.has(name) ? [sameTensor(prefix + name, tensor)] : [];
  });
}

/** @param family of the network; undefined for a file of its own */
export function vaeParts({ graphs }: VaeModel, family?: string): SavedPart[] {
  const { decoder, encoder } = graphs!;
  const prefix = family === undefined ? '' : FIRST_STAGE.includes(family) ? 'first_stage_model.' : 'vae.';
  const isOneFile = !encoder || encoder.source.stored!.files === decoder.source.stored!.files;
  if (!isOneFile)
    return [decoder, encoder].map((graph) => {
      const stored = graph.source.stored!;
      return { stored, graphs: [graph], tensors: allTensors(stored.used, prefix) };
    });
  const stored = decoder.source.stored!;
  return [
    {
      stored,
      graphs: encoder ? [encoder, decoder] : [decoder],
      tensors: originalAutoencoder(autoencoderTable(stored.table), prefix),
    },
  ];
}

const autoencoderTable = (table: WeightTable): WeightTable =>
  VAE_PREFIXES.map((prefix) => withoutPrefix(table, prefix)).find(({ size }) => size > 0) ?? table;

/** The marks of a network's training, as its checkpoints have them. */
export function trainingMarks({ configs }: DiffusionModel): Record<string, number[]> {
  const { prediction_type, rescale_betas_zero_snr, _class_name, sigma_max, sigma_min } =
    configs?.scheduler ?? {};
  if (prediction_type !== 'v_prediction') return {};
  const isEdm = _class_name === 'EDMEulerScheduler' && typeof sigma_max === 'number';
  return {
    v_pred: [],
    ...(rescale_betas_zero_snr === true && { ztsnr: [] }),
    ...(isEdm && {
      'edm_vpred.sigma_max': [sigma_max],
      'edm_vpred.sigma_min': [typeof sigma_min === 'number' ? sigma_min : 0.002],
    }),
  };
}
