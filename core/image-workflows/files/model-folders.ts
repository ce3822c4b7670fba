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

/** Folders of the output that nodes save models in, by the kind of folder whose models they are from then on. */
export const SAVED_FOLDERS: Readonly<Record<string, string>> = {
  checkpoints: 'output/checkpoints',
  loras: 'output/loras',
  vae: 'output/vae',
  text_encoders: 'output/clip',
  diffusion_models: 'output/diffusion_models',
};

/** Where models of a kind lie, in the order in which they are looked for. */
export const modelLocations = (folder: string): string[] => {
  const saved = SAVED_FOLDERS[folder];
  return [`models/${folder}`, ...(saved === undefined ? [] : [saved])];
};

/** The path among the models under which what lies at `path` in the output is seen: undefined where it is not. */
export function modelPathOf(path: string): string | undefined {
  const found = Object.entries(SAVED_FOLDERS).find(
    ([, saved]) => path === saved || path.startsWith(`${saved}/`),
  );
  return found && `models/${found[0]}${path.slice(found[1].length)}`;
}

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
