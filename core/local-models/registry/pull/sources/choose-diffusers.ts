import type { RepositoryFile } from './choose-gguf.ts';
import type { ChosenFile } from './choose-onnx.ts';

/** The network, in the order in which folders are looked at. */
const NETWORKS = ['unet', 'transformer'] as const;
const GRAPH = /^(text_encoder(_[23])?|unet|transformer|vae_(en|de)coder|image_encoder)\/([^/]+)$/;
/** The same weights for other programs, and graphs beside the one that is read. */
const FOREIGN = /\.(safetensors|bin|msgpack|h5|xml|md|py|index\.json)$|^(?!model\.onnx$).*\.onnx$/;
const SETTINGS =
  /^(model_index\.json|scheduler\/scheduler_config\.json|vae\/config\.json|tokenizer(_[23])?\/(vocab\.json|merges\.txt|tokenizer\.json|tokenizer_config\.json|special_tokens_map\.json))$/;
/** Beside a vision encoder: how it is given pictures, and the mean and spread of what it says. */
const VISION =
  /^(feature_extractor\/preprocessor_config\.json|image_normalizer\/diffusion_pytorch_model\.safetensors)$/;

/**
 * The files of an image model in the diffusers ONNX layout: its graphs with their data, its tokenizers and settings.
 * undefined: the repository holds none.
 */
export function chooseDiffusers(files: RepositoryFile[]): ChosenFile[] | undefined {
  const paths = new Set(files.map(({ path }) => path));
  const network = NETWORKS.map((name) => `${name}/model.onnx`).find((path) => paths.has(path));
  if (network === undefined || !paths.has('model_index.json')) return undefined;
  const sees = paths.has('image_encoder/model.onnx');
  return files
    .flatMap((file): ChosenFile[] => {
      const { path } = file;
      const name = GRAPH.exec(path)?.at(-1);
      if (name !== undefined && !FOREIGN.test(name)) {
        const isSetting = /\.(json|txt)$/.test(name);
        return [{ role: path === network ? 'weights' : isSetting ? 'config' : 'part', path, file }];
      }
      if (sees && VISION.test(path))
        return [{ role: path.endsWith('.json') ? 'config' : 'part', path, file }];
      return SETTINGS.test(path) ? [{ role: 'config', path, file }] : [];
    })
    .toSorted((a, b) => Number(b.role === 'weights') - Number(a.role === 'weights'));
}
