/** Nodes for adapters in memory, as TrainLoraNode makes them. */
import { joinPath } from '../../files/paths.ts';
import { adapterFromMemory, writeLora } from '../../models/adapters/lora-in-memory.ts';
import { float, int, link, optional, string } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { withLora } from '../model/lora.ts';

const shared = { category: 'loaders', module: 'comfy_extras.nodes_train', experimental: true } as const;

const loraModelLoader = node({
  ...shared,
  name: 'LoraModelLoader',
  displayName: 'Load LoRA Model',
  description: 'Adds an adapter that was trained in this graph to the weights of the diffusion model.',
  inputs: {
    model: link('MODEL'),
    lora: link('LORA_MODEL'),
    strength_model: float({ default: 1.0, min: -100.0, max: 100.0, step: 0.01 }),
  },
  outputs: [output('MODEL', undefined, { tooltip: 'The model with the adapter in its weights.' })],
  run: async ({ model, lora, strength_model }) => [
    strength_model === 0 ? model : await withLora(model, adapterFromMemory(lora), strength_model),
  ],
});

/** @param name the class, which newer versions call SaveLoRA */
const saveLora = (name: string) =>
  node({
    ...shared,
    name,
    displayName: 'Save LoRA Weights',
    description:
      'Saves an adapter that was trained in this graph in the output folder. Load LoRA lists the adapters in output/loras.',
    isOutput: true,
    inputs: {
      lora: link('LORA_MODEL'),
      prefix: string({ default: 'loras/ComfyUI_trained_lora' }),
      steps: optional(int({ forceInput: true })),
    },
    outputs: [],
    async run({ lora, prefix, steps }, { files, host, signal }) {
      const { name: start, subfolder, counter } = await files.target(prefix, 'output');
      const trained = steps === undefined ? '' : `_${steps}_steps`;
      const file = `${start}${trained}_${String(counter).padStart(5, '0')}_.safetensors`;
      await writeLora(host.files, joinPath('output', subfolder, file), lora, signal);
      return {};
    },
  });

export const loraModelNodes: AnyNode[] = [loraModelLoader, saveLora('SaveLoRANode'), saveLora('SaveLoRA')];
