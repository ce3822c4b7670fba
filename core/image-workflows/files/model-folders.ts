/** Folders of models by kind, in the order in which clients get them. */
export const MODEL_FOLDERS = [
  'checkpoints',
  'configs',
  'loras',
  'vae',
  'text_encoders',
  'diffusion_models',
  'clip_vision',
  'style_models',
  'embeddings',
  'diffusers',
  'vae_approx',
  'controlnet',
  'gligen',
  'upscale_models',
  'custom_nodes',
  'hypernetworks',
  'photomaker',
  'classifiers',
  'model_patches',
  'audio_encoders',
] as const;

/** Older names of folders: understood, not shown. */
const ALIASES: Record<string, string> = { unet: 'diffusion_models', clip: 'text_encoders' };

const EXTENSIONS = ['.ckpt', '.pt', '.pt2', '.bin', '.pth', '.safetensors', '.pkl', '.sft', '.onnx'];

export function modelFolder(name: string): string | undefined {
  const folder = ALIASES[name] ?? name;
  return (MODEL_FOLDERS as readonly string[]).includes(folder) ? folder : undefined;
}

export function isModelFile(name: string): boolean {
  return EXTENSIONS.some((extension) => name.toLowerCase().endsWith(extension));
}
