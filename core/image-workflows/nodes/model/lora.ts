/** Nodes that add adapters (LoRA and others) to the weights of models. */

import type { Host } from '#core/host';
import type { WorkflowFiles } from '../../files/workflow-files.ts';
import { readAdapter } from '../../models/adapters/read-adapter.ts';
import type { AnyAdapter } from '../../values/adapter.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import { choice, float, link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { modelFingerprint } from './model-fingerprint.ts';

export const loraNames = (files: WorkflowFiles): Promise<string[]> => files.models('loras');
const fingerprint = modelFingerprint('loras', ['lora_name']);
const strength = () => float({ default: 1.0, min: -100.0, max: 100.0, step: 0.01 });
const shared = { category: 'loaders', module: 'nodes' } as const;
const changedModel = output('MODEL', undefined, { tooltip: 'The model with the adapter in its weights.' });

/** The model with an adapter at a strength. Rejects when the weights cannot be changed. */
export async function withLora(
  model: DiffusionModel,
  adapter: AnyAdapter,
  strength: number,
): Promise<DiffusionModel> {
  const { network } = model;
  if (!network.withAdapter) throw new Error('the weights of this model cannot be changed');
  return { ...model, network: await network.withAdapter(adapter, strength) };
}

/** The model with an adapter of the folder loras. Rejects when the weights cannot be changed. */
const adaptModel = async (host: Host, model: DiffusionModel, name: string, by: number) =>
  by === 0 ? model : withLora(model, await readAdapter(host, name), by);

const loraLoader = node({
  ...shared,
  name: 'LoraLoader',
  displayName: 'Load LoRA',
  description:
    'Adds an adapter of the folder loras to the weights of a diffusion model and its text encoder. Chain several nodes for several adapters.',
  fingerprint,
  inputs: {
    model: link('MODEL'),
    clip: link('CLIP'),
    lora_name: choice(loraNames, {}),
    strength_model: strength(),
    strength_clip: strength(),
  },
  outputs: [
    changedModel,
    output('CLIP', undefined, { tooltip: 'The text encoder with the adapter in its weights.' }),
  ],
  run: async ({ model, clip, lora_name, strength_model, strength_clip }, { host }) => [
    await adaptModel(host, model, lora_name, strength_model),
    strength_clip === 0 ? clip : await clip.withAdapter(await readAdapter(host, lora_name), strength_clip),
  ],
});

const loraLoaderModelOnly = node({
  ...shared,
  name: 'LoraLoaderModelOnly',
  displayName: 'LoraLoaderModelOnly',
  description: 'Adds an adapter of the folder loras to the weights of the diffusion model alone.',
  fingerprint,
  inputs: { model: link('MODEL', undefined), lora_name: choice(loraNames), strength_model: strength() },
  outputs: [changedModel],
  run: async ({ model, lora_name, strength_model }, { host }) => [
    await adaptModel(host, model, lora_name, strength_model),
  ],
});

export const loraNodes: AnyNode[] = [loraLoader, loraLoaderModelOnly];
