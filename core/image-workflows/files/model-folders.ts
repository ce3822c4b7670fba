/** Folders of models by kind, in the order in which clients receive them. */
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

/** Folders of the output in which nodes save models, by the folder of models that shows them. */
export const SAVED_FOLDERS: Readonly<Record<string, string>> = {
  checkpoints: 'output/checkpoints',
  loras: 'output/loras',
  vae: 'output/vae',
  text_encoders: 'output/clip',
  diffusion_models: 'output/diffusion_models',
};

/** The folders that hold models of a kind, in the order of the search. */
export const modelLocations = (folder: string): string[] => {
  const saved = SAVED_FOLDERS[folder];
  return [`models/${folder}`, ...(saved === undefined ? [] : [saved])];
};

/**
 * The path among the models of a file in the output: `models/vae/x` for `output/vae/x`. Undefined for a path outside of
 * the folders of saved models.
 */
export function modelPathOf(path: string): string | undefined {
  const entry = Object.entries(SAVED_FOLDERS).find(
    ([, saved]) => path === saved || path.startsWith(`${saved}/`),
  );
  return entry && `models/${entry[0]}${path.slice(entry[1].length)}`;
}

/** Older names of folders. They work, but lists leave them out. */
const ALIASES: Record<string, string> = { unet: 'diffusion_models', clip: 'text_encoders' };

const EXTENSIONS = ['.ckpt', '.pt', '.pt2', '.bin', '.pth', '.safetensors', '.pkl', '.sft', '.onnx'];

/** The folder that a name stands for. It may be a former name of the folder. Undefined: there is no such folder. */
export function modelFolder(name: string): string | undefined {
  const folder = ALIASES[name] ?? name;
  return (MODEL_FOLDERS as readonly string[]).includes(folder) ? folder : undefined;
}

/** Whether a file's extension is one of models. */
export function isModelFile(name: string): boolean {
  return EXTENSIONS.some((extension) => name.toLowerCase().endsWith(extension));
}
