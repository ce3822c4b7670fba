/** LoRA adapters (Hu et al., "LoRA: low-rank adaptation of large language models", 2021) in safetensors files. */
import { FileMissing } from '../../host/files.ts';
import type { Host } from '../../host/host.ts';
import { readSafetensors, type StoredTensor } from '../../tensors/safetensors.ts';
import type { Graph } from './graph.ts';
import { moduleKey } from './graph-modules.ts';
import { diffusersName } from './ldm-names.ts';
import { isFloatType, numbersOf } from './stored-numbers.ts';

export interface Adapter {
  readonly name: string;
  readonly parts: readonly AdapterPart[];
}

/** What is added to one module: (alpha / rank) up x down. */
export interface AdapterPart {
  /** The network, or the number of a text encoder in the order of the model. */
  target: 'network' | number;
  /** As `moduleKey` has it. */
  module: string;
  /** [outputs, rank] and [rank, inputs], for convolutions with the sides of the kernel after. */
  up: StoredTensor;
  down: StoredTensor;
  alpha: StoredTensor | undefined;
  numbers(tensor: StoredTensor): Promise<Float32Array>;
}

/** A second model: what its weights are more than those that the first has in its files is added. */
export interface ModelAdapter {
  readonly name: string;
  /** By `network` and the names of text encoders. */
  readonly graphs: ReadonlyMap<string, Graph>;
}

export type AnyAdapter = Adapter | ModelAdapter;

const FOLDER = 'models/loras';

/** The ends of names, of kohya's scripts, diffusers and PEFT. */
const ENDS: readonly [RegExp, 'up' | 'down' | 'alpha'][] = [
  [
    /\.lora_down\.weight$|\.lora_A(\.\w+)?\.weight$|(\.|_)lora\.down\.weight$|\.lora_linear_layer\.down\.weight$/,
    'down',
  ],
  [
    /\.lora_up\.weight$|\.lora_B(\.\w+)?\.weight$|(\.|_)lora\.up\.weight$|\.lora_linear_layer\.up\.weight$/,
    'up',
  ],
  [/\.alpha$/, 'alpha'],
];

/** Throws for a file that is not there or is no LoRA of two matrices a module, with what to do. */
export async function readAdapter(host: Host, name: string): Promise<Adapter> {
  const path = `${FOLDER}/${name}`;
  const info = await host.files.stat(path);
  if (info?.kind !== 'file') throw new FileMissing(path);
  if (!/\.(safetensors|sft)$/i.test(name))
    throw new Error(
      `${name} is a Python pickle, which is not read here: save it as safetensors in ${FOLDER}`,
    );
  const tensors = await readSafetensors(info.size, (start, end) => host.files.read(path, start, end));
  const found = new Map<string, Partial<Record<'up' | 'down' | 'alpha', StoredTensor>>>();
  for (const tensor of tensors) {
    const end = ENDS.find(([pattern]) => pattern.test(tensor.name));
    if (!end || !isFloatType(tensor.type))
      throw new Error(
        `${name} holds ${tensor.name} of type ${tensor.type}: only adapters of the kind LoRA (up and down) in F32, F16 or BF16 are applied here`,
      );
    const module = tensor.name.replace(end[0], '');
    found.set(module, { ...found.get(module), [end[1]]: tensor });
  }
  const parts = [...found].map(([module, { up, down, alpha }]): AdapterPart => {
    if (!up || !down) throw new Error(`${name} has only half of what it adds to ${module}`);
    return {
      ...targetOf(module),
      up,
      down,
      alpha,
      numbers: async ({ start, end, type }) => numbersOf(await host.files.read(path, start, end), type),
    };
  });
  if (parts.length === 0) throw new Error(`${name} holds no adapter`);
  return { name, parts };
}

const TARGETS: readonly [RegExp, AdapterPart['target']][] = [
  [/^lora_unet_/, 'network'],
  [/^lora_transformer_/, 'network'],
  [/^lora_te1?_/, 0],
  [/^lora_te2_/, 1],
  [/^lora_te3_/, 2],
  [/^(unet|transformer|diffusion_model)\./, 'network'],
  [/^text_encoder\./, 0],
  [/^text_encoder_2\./, 1],
  [/^text_encoder_3\./, 2],
];

function targetOf(name: string): Pick<AdapterPart, 'target' | 'module'> {
  const bare = name.replace(/^base_model\.model\./, '');
  const prefix = TARGETS.find(([pattern]) => pattern.test(bare));
  const module = (prefix ? bare.replace(prefix[0], '') : bare)
    .replace(/\.processor(?=\.)/, '')
    // Old diffusers files leave out that the last projection is the first of a list.
    .replace(/\.to_out$/, '.to_out.0');
  return { target: prefix?.[1] ?? 'network', module: diffusersName(moduleKey(module)) };
}
