/** Adapters in safetensors files: small changes to the weights of a model. */

import { FileMissing, type Host } from '#core/host';
import { readSafetensors, type SafetensorsEntry } from '#core/tensors';
import type { Adapter, AdapterPart, AdapterTensors, ReadNumbers } from '../../values/adapter.ts';
import { diffusersName } from '../graphs/ldm-names.ts';
import { moduleKey } from '../graphs/module-weights.ts';
import { decodeFloats, isFloatType } from '../graphs/stored-floats.ts';
import { deltaShape } from './adapter-delta.ts';
import { roleOf } from './adapter-roles.ts';

const FOLDER = 'models/loras';

/** Throws for a file that is not there or is no adapter of a kind that is applied here, with what to do. */
export async function readAdapter(host: Host, name: string): Promise<Adapter> {
  const path = `${FOLDER}/${name}`;
  const info = await host.files.stat(path);
  if (info?.kind !== 'file') throw new FileMissing(path);
  if (!/\.(safetensors|sft)$/i.test(name))
    throw new Error(
      `${name} is a Python pickle, which is not read here: save it as safetensors in ${FOLDER}`,
    );
  const tensors = await readSafetensors(info.size, (start, end) => host.files.read(path, start, end));
  const found = new Map<string, { -readonly [Role in keyof AdapterTensors]: SafetensorsEntry }>();
  for (const tensor of tensors) {
    const is = roleOf(tensor.name);
    if (!is || !isFloatType(tensor.type))
      throw new Error(
        `${name} holds ${tensor.name} of type ${tensor.type}: adapters of the kinds LoRA, LoCon, LoHa, LoKr and DoRA in F32, F16 or BF16 are applied here`,
      );
    found.set(is.module, { ...found.get(is.module), [is.role]: tensor });
  }
  const numbers: ReadNumbers = async ({ start, end, type }) =>
    decodeFloats(await host.files.read(path, start, end), type);
  const parts = [...found].flatMap(([module, { biasDifference, ...weights }]): AdapterPart[] => {
    const place = { ...targetOf(module), numbers };
    const made: AdapterPart[] = [];
    if (biasDifference) made.push({ ...place, of: 'bias', tensors: { difference: biasDifference } });
    if (Object.keys(weights).length === 0) return made;
    if (!deltaShape(weights)) throw new Error(`${name} has only a part of what it adds to ${module}`);
    return [{ ...place, of: 'weight', tensors: weights }, ...made];
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
    // Old diffusers files leave out that the last projection is the first of a list.
    .replace(/\.to_out$/, '.to_out.0');
  return { target: prefix?.[1] ?? 'network', module: diffusersName(moduleKey(module)) };
}
