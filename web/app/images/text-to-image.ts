/** The graph that turns a prompt into a picture, in the image API's own format, and back into a form's fields. */

export interface ImageSettings {
  checkpoint: string;
  prompt: string;
  /** What the picture should not show. */
  negative: string;
  /** Pixels. */
  width: number;
  height: number;
  steps: number;
  /** How strictly the prompt is followed; 1: no guidance. */
  guidance: number;
  sampler: string;
  scheduler: string;
  /** Decimal: seeds may have 64 bits. */
  seed: string;
}

interface ApiNode {
  class_type: string;
  inputs: Record<string, unknown>;
}
export type ApiGraph = Record<string, ApiNode>;

/** Seeds that a number cannot hold are put into the text as they are. */
const SEED = '\u0000seed';

/** The body's `prompt`, as JSON text. */
export function graphText(settings: ImageSettings): string {
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
  return JSON.stringify(graph).replace(JSON.stringify(SEED), settings.seed);
}

/** The fields of a graph of this shape, whoever sent it; undefined for others. */
export function settingsOf(graph: ApiGraph): ImageSettings | undefined {
  const nodes = Object.values(graph);
  const only = (type: string) => {
    const found = nodes.filter(({ class_type }) => class_type === type);
    return found.length === 1 ? found[0]?.inputs : undefined;
  };
  const sampler = only('KSampler');
  const loader = only('CheckpointLoaderSimple');
  const latent = only('EmptyLatentImage');
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

/** One that a number holds exactly, so that a history read as JSON gives it back unharmed. */
export function randomSeed(): string {
  return String(Math.floor(Math.random() * Number.MAX_SAFE_INTEGER));
}
