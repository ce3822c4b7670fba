import type { ModelPlace } from '#core/host';

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

/** Folders of newer versions. They work, but lists leave them out, as those of the described version do. */
const NEWER_FOLDERS = ['latent_upscale_models'] as const;

/** All folders that a loader node reads. */
export const LOADED_FOLDERS: readonly string[] = [...MODEL_FOLDERS, ...NEWER_FOLDERS];

/** Folders of the output in which nodes save models, by the folder of models that shows them. */
export const SAVED_FOLDERS: Readonly<Record<string, string>> = {
  checkpoints: 'output/checkpoints',
  loras: 'output/loras',
  vae: 'output/vae',
  text_encoders: 'output/clip',
  diffusion_models: 'output/diffusion_models',
};

/** Older names of folders. They work, but lists leave them out. */
const ALIASES: Record<string, string> = { unet: 'diffusion_models', clip: 'text_encoders' };

/** Names of the folders that hold a kind, where its own name is not the only one. */
const FOLDER_NAMES: Readonly<Record<string, readonly string[]>> = {
  diffusion_models: ['diffusion_models', 'unet'],
  text_encoders: ['text_encoders', 'clip'],
  controlnet: ['controlnet', 't2i_adapter'],
};

/** Code of another program, which no place brings along. */
const CODE = 'custom_nodes';

/** All kinds in the order of `/models`: the usual ones, then those that only a place of the platform names. */
export function modelKinds(places: readonly ModelPlace[] = []): string[] {
  const named = places.flatMap(({ kind }) => (kind === undefined ? [] : [ALIASES[kind] ?? kind]));
  return [...new Set([...MODEL_FOLDERS, ...named])];
}

/** Those of `modelKinds`, and those that lists leave out. */
export const loadedKinds = (places: readonly ModelPlace[] = []): string[] => [
  ...new Set([...modelKinds(places), ...NEWER_FOLDERS]),
];

/** The folders that hold models of a kind, in the order of the search. */
export function modelLocations(kind: string, places: readonly ModelPlace[] = []): string[] {
  const names = FOLDER_NAMES[kind] ?? [kind];
  const locations = names.map((name) => `models/${name}`);
  for (const place of kind === CODE ? [] : places) {
    const isOfKind = place.kind !== undefined && (ALIASES[place.kind] ?? place.kind) === kind;
    const below = place.kind === undefined ? names.map((name) => `${place.path}/${name}`) : [];
    const found = isOfKind ? [place.path] : below;
    // As in ComfyUI, the last of several default places comes first.
    if (place.isDefault) locations.unshift(...found);
    else locations.push(...found);
  }
  const saved = SAVED_FOLDERS[kind];
  return [...locations, ...(saved === undefined ? [] : [saved])];
}

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

const EXTENSIONS = ['.ckpt', '.pt', '.pt2', '.bin', '.pth', '.safetensors', '.pkl', '.sft', '.onnx', '.gguf'];

/** The kind that a name stands for. It may be a former name. Undefined: there is no such kind. */
export function modelFolder(name: string, places: readonly ModelPlace[] = []): string | undefined {
  const kind = ALIASES[name] ?? name;
  return loadedKinds(places).includes(kind) ? kind : undefined;
}

/** Whether a file's extension is one of models. */
export function isModelFile(name: string): boolean {
  return EXTENSIONS.some((extension) => name.toLowerCase().endsWith(extension));
}

/** Whether a file is listed for a kind. Kinds that tabd does not know list every file. */
export const isListedFile = (kind: string, name: string): boolean =>
  !LOADED_FOLDERS.includes(kind) || isModelFile(name);
