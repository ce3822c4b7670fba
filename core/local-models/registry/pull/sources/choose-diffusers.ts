import type { ChosenFile, RepositoryFile } from './repository-file.ts';

/** The folder of the network. The first one that exists counts. */
const NETWORKS = ['unet', 'transformer'] as const;
const GRAPH = /^(text_encoder(_[23])?|unet|transformer|vae_(en|de)coder|image_encoder)\/([^/]+)$/;
/** Weights for other programs, and graphs other than `model.onnx`. */
const FOREIGN = /\.(safetensors|bin|msgpack|h5|xml|md|py|index\.json)$|^(?!model\.onnx$).*\.onnx$/;
const SETTINGS =
  /^(model_index\.json|scheduler\/scheduler_config\.json|vae\/config\.json|tokenizer(_[23])?\/(vocab\.json|merges\.txt|tokenizer\.json|tokenizer_config\.json|special_tokens_map\.json))$/;
/** Files of a vision encoder: how images are prepared for it, and the mean and deviation of its output. */
const VISION =
  /^(feature_extractor\/preprocessor_config\.json|image_normalizer\/diffusion_pytorch_model\.safetensors)$/;

/**
 * The files of an image model in the diffusers ONNX layout, network first: graphs with their data, tokenizers and
 * settings. Undefined: the repository has no such model.
 */
export function chooseDiffusers(files: RepositoryFile[]): ChosenFile[] | undefined {
  const paths = new Set(files.map(({ path }) => path));
  const network = NETWORKS.map((name) => `${name}/model.onnx`).find((path) => paths.has(path));
  if (network === undefined || !paths.has('model_index.json')) return undefined;
  const hasVision = paths.has('image_encoder/model.onnx');
  return files
    .flatMap((file): ChosenFile[] => {
      const { path } = file;
      const name = GRAPH.exec(path)?.at(-1);
      if (name !== undefined && !FOREIGN.test(name)) {
        const isSetting = /\.(json|txt)$/.test(name);
        return [{ role: path === network ? 'weights' : isSetting ? 'config' : 'part', path, file }];
      }
      if (hasVision && VISION.test(path))
        return [{ role: path.endsWith('.json') ? 'config' : 'part', path, file }];
      return SETTINGS.test(path) ? [{ role: 'config', path, file }] : [];
    })
    .toSorted((a, b) => Number(b.role === 'weights') - Number(a.role === 'weights'));
}
