/** Opens recorded files as the loader nodes do. */
import type { Host } from '#core/host';
import { readAdapter } from '#core/image-workflows/models/adapters/read-adapter.ts';
import { loadCheckpoint } from '#core/image-workflows/models/checkpoints/load-checkpoint.ts';
import { loadEncoders } from '#core/image-workflows/models/checkpoints/load-encoders.ts';
import type { Checkpoint } from '#core/image-workflows/models/checkpoints/open-checkpoint.ts';
import { loadNetwork, loadVae } from '#core/image-workflows/models/checkpoints/standalone-parts.ts';
import { loadControlNet } from '#core/image-workflows/models/control/control-net.ts';
import type { ControlNet } from '#core/image-workflows/values/control-net.ts';
import type { Recording } from './recorded-numbers.ts';

/** The models of a recording. */
export type RecordedParts = Partial<Checkpoint> & { controlNet?: ControlNet };

export interface PartLoader {
  /** Below `models/`. */
  folder: string;
  /** The recorded checkpoint that the file belongs to. */
  base?: string;
  /** @param base the checkpoint's name */
  open(host: Host, name: string, base: string): Promise<RecordedParts>;
}

/** The types of CLIPLoader for recorded text encoders. */
const ENCODER_TYPES: Readonly<Record<string, string>> = {
  te_gemma2_2b: 'lumina2',
  te_qwen25_7b: 'qwen_image',
};

/** The loader of a recorded file, by its name and by how it was opened when it was recorded. */
export function loaderOf(name: string, recording: Recording): PartLoader {
  const encoder = ENCODER_TYPES[name];
  if (encoder !== undefined)
    return {
      folder: 'text_encoders',
      open: async (host, file) => ({ clip: await loadEncoders(host, [file], encoder) }),
    };
  if (name.startsWith('vae_'))
    return { folder: 'vae', open: async (host, file) => ({ vae: await loadVae(host, file) }) };
  if (recording.loaded_with === 'load_diffusion_model')
    return {
      folder: 'diffusion_models',
      open: async (host, file) => ({ model: await loadNetwork(host, file) }),
    };
  if (name === 'sd15_controlnet')
    return {
      folder: 'controlnet',
      base: 'sd15',
      open: async (host, file, base) => ({
        ...(await loadCheckpoint(host, base)),
        controlNet: await loadControlNet(host, file),
      }),
    };
  if (name === 'sd15_lora_kohya')
    return { folder: 'loras', base: 'sd15', open: (...names) => withAdapter(...names, recording) };
  return { folder: 'checkpoints', open: loadCheckpoint };
}

async function withAdapter(
  host: Host,
  name: string,
  base: string,
  recording: Recording,
): Promise<RecordedParts> {
  const { model, clip, vae } = await loadCheckpoint(host, base);
  const { strength_model, strength_clip } = recording as unknown as Record<`strength_${string}`, number>;
  const adapter = await readAdapter(host, name);
  const network = await model.network.withAdapter!(adapter, strength_model!);
  return { model: { ...model, network }, clip: await clip.withAdapter(adapter, strength_clip!), vae };
}
