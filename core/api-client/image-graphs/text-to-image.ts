/** Converts the form's settings to a graph in ComfyUI's API format, and back. */

/** The fields of the form that makes an image of a text. */
export interface ImageSettings {
  checkpoint: string;
  prompt: string;
  /** The negative prompt. */
  negative: string;
  /** Width of the image in pixels. */
  width: number;
  height: number;
  steps: number;
  /** The guidance scale (cfg). 1 means no guidance. */
  guidance: number;
  sampler: string;
  scheduler: string;
  /** The seed, a decimal number of up to 64 bits. */
  seed: string;
}

interface ApiNode {
  class_type: string;
  inputs: Record<string, unknown>;
}
/** A graph that this file builds: each node has its class and inputs. */
export type ApiGraph = Record<string, ApiNode>;

/** Placeholder for the seed, which a JavaScript number may not represent exactly. */
const SEED = '\u0000seed';

/**
 * The graph for the form's settings, as JSON text for `POST /prompt`.
 * @param change changes the graph before it is printed, for example into an edit of an image
 */
export function graphText(
  settings: ImageSettings,
  change: (graph: ApiGraph) => ApiGraph = (graph) => graph,
): string {
  const { checkpoint, width, height, steps, guidance, sampler, scheduler } = settings;
  const encode = (text: string): ApiNode => ({
    class_type: 'CLIPTextEncode',
    inputs: { text, clip: ['1', 1] },
  });
  const graph: ApiGraph = {
    1: { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: checkpoint } },
    2: encode(settings.prompt),
    3: encode(settings.negative),
    4: { class_type: 'EmptyLatentImage', inputs: { width, height, batch_size: 1 } },
    5: {
      class_type: 'KSampler',
      inputs: {
        model: ['1', 0],
        positive: ['2', 0],
        negative: ['3', 0],
        latent_image: ['4', 0],
        seed: SEED,
        steps,
        cfg: guidance,
        sampler_name: sampler,
        scheduler,
        denoise: 1,
      },
    },
    6: { class_type: 'VAEDecode', inputs: { samples: ['5', 0], vae: ['1', 2] } },
    7: { class_type: 'SaveImage', inputs: { images: ['6', 0], filename_prefix: 'tabd' } },
  };
  return JSON.stringify(change(graph)).replace(JSON.stringify(SEED), settings.seed);
}

/** The form's settings for a graph of this structure, or for an edit with a size. Undefined for other graphs. */
export function imageSettingsOf(graph: ApiGraph): ImageSettings | undefined {
  const nodes = Object.values(graph);
  const only = (type: string) => {
    const found = nodes.filter(({ class_type }) => class_type === type);
    return found.length === 1 ? found[0]?.inputs : undefined;
  };
  const sampler = only('KSampler');
  const loader = only('CheckpointLoaderSimple');
  const latent = only('EmptyLatentImage') ?? only('ImageScale');
  if (!sampler || !loader || !latent) return undefined;
  const text = (link: unknown) => {
    const node = Array.isArray(link) ? graph[String(link[0])] : undefined;
    return node?.class_type === 'CLIPTextEncode' ? node.inputs.text : undefined;
  };
  const prompt = text(sampler.positive);
  const negative = text(sampler.negative);
  const { seed, steps, cfg, sampler_name, scheduler } = sampler;
  if (typeof prompt !== 'string' || typeof negative !== 'string') return undefined;
  if (typeof seed !== 'number' || typeof steps !== 'number' || typeof cfg !== 'number') return undefined;
  return {
    checkpoint: String(loader.ckpt_name),
    prompt,
    negative,
    width: Number(latent.width),
    height: Number(latent.height),
    steps,
    guidance: cfg,
    sampler: String(sampler_name),
    scheduler: String(scheduler),
    seed: String(seed),
  };
}

/** A random seed that JSON readers represent exactly. */
export function randomSeed(): string {
  return String(Math.floor(Math.random() * Number.MAX_SAFE_INTEGER));
}
