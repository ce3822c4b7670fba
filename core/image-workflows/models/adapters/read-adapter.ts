/** Reads adapters from files of safetensors and of torch.save. */
import { FileMissing, type Host } from '#core/host';
import type { SafetensorsEntry } from '#core/tensors';
import type { Adapter, AdapterPart, AdapterTensors, ReadNumbers } from '../../values/adapter.ts';
import { diffusersName } from '../graphs/ldm-names.ts';
import { moduleKey } from '../graphs/module-weights.ts';
import { decodeFloats, isFloatType } from '../graphs/stored-floats.ts';
import { readTensorTable } from '../weight-files/read-weight-file.ts';
import { deltaShape } from './adapter-delta.ts';
import { roleOf } from './adapter-roles.ts';

const FOLDER = 'models/loras';

/** Rejects when the file is missing or not an adapter of a supported kind. The message names the remedy. */
export async function readAdapter(host: Host, name: string): Promise<Adapter> {
  const path = `${FOLDER}/${name}`;
  const info = await host.files.stat(path);
  if (info?.kind !== 'file') throw new FileMissing(path);
  const tensors = await readTensorTable(host.files, path, info.size);
  const numbers: ReadNumbers = async ({ start, end, type }) =>
    decodeFloats(await host.files.read(path, start, end), type);
  return adapterOf(name, tensors, numbers);
}

/** The adapter in a list of tensors. Throws when they are of an unsupported kind or incomplete. */
export function adapterOf(name: string, tensors: readonly SafetensorsEntry[], numbers: ReadNumbers): Adapter {
  const parts = [...groupByModule(name, tensors)].flatMap(
    ([module, { biasDifference, ...weights }]): AdapterPart[] => {
      const target = { ...targetOf(module), numbers };
      const bias: AdapterPart[] = biasDifference
        ? [{ ...target, of: 'bias', tensors: { difference: biasDifference } }]
        : [];
      if (Object.keys(weights).length === 0) return bias;
      if (!deltaShape(weights)) throw new Error(`${name} holds only a part of its change to ${module}`);
      return [{ ...target, of: 'weight', tensors: weights }, ...bias];
    },
  );
  if (parts.length === 0) throw new Error(`${name} holds no adapter`);
  return { name, parts };
}

function groupByModule(name: string, tensors: readonly SafetensorsEntry[]): Map<string, AdapterTensors> {
  const byModule = new Map<string, AdapterTensors>();
  for (const tensor of tensors) {
    const found = roleOf(tensor.name);
    if (!found || !isFloatType(tensor.type))
      throw new Error(
        `${name} holds ${tensor.name} of type ${tensor.type}: adapters of the kinds LoRA, LoCon, LoHa, LoKr and DoRA in F32, F16 or BF16 are applied here`,
      );
    byModule.set(found.module, { ...byModule.get(found.module), [found.role]: tensor });
  }
  return byModule;
}

/** Prefixes of module names, and the part of the model that each stands for. */
const TARGETS: readonly [RegExp, AdapterPart['target']][] = [
  [/^lora_unet_/, 'network'],
  [/^lora_transformer_/, 'network'],
  [/^lora_te1?_/, 0],
  [/^lora_te2_/, 1],
  [/^lora_te3_/, 2],
  [/^(unet|transformer|diffusion_model)\./, 'network'],
  [/^text_encoders\.clip_l\.(transformer\.)?/, 'l'],
  [/^text_encoders\.clip_g\.(transformer\.)?/, 'g'],
  [/^text_encoders\.t5xxl\.(transformer\.)?/, 't5xxl'],
  [/^text_encoder\./, 0],
  [/^text_encoder_2\./, 1],
  [/^text_encoder_3\./, 2],
];

function targetOf(name: string): Pick<AdapterPart, 'target' | 'module'> {
  const bare = name.replace(/^base_model\.model\./, '');
  const prefix = TARGETS.find(([pattern]) => pattern.test(bare));
  const module = (prefix ? bare.replace(prefix[0], '') : bare)
    .replace(/\.processor(?=\.)/, '')
    // Files of old diffusers versions omit the index of the output projection.
    .replace(/\.to_out$/, '.to_out.0');
  return { target: prefix?.[1] ?? 'network', module: diffusersName(moduleKey(module)) };
}
