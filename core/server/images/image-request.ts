/** The fields of OpenAI's image requests, and a few that image servers add to them. */
import { ApiError } from '#core/http';

export type OutputFormat = 'png' | 'jpeg' | 'webp';

export interface ImageRequest {
  /** A checkpoint, or a saved graph. Undefined: the first checkpoint. */
  model?: string;
  prompt: string;
  /** Number of images. */
  n: number;
  /** Pixels. Undefined: the model's own size, or that of the image that is edited. */
  size?: { width: number; height: number };
  responseFormat: 'b64_json' | 'url';
  outputFormat: OutputFormat;
  /** Quality of JPEG and WebP, 1 to 100. */
  compression: number;
  stream: boolean;
  negative?: string;
  seed?: number;
  steps?: number;
  guidance?: number;
  sampler?: string;
  scheduler?: string;
  /** How much of an edited image changes, from 0 to 1. */
  strength?: number;
}

const MAX_IMAGES = 10;
const MAX_SIDE = 16384;
const FORMATS: readonly string[] = ['png', 'jpeg', 'webp'];

type Field = (name: string) => unknown;

/**
 * Reads the fields of a JSON body or a form.
 * @throws ApiError 400 that names the field
 */
export function readImageRequest(field: Field, { needsPrompt = true } = {}): ImageRequest {
  const prompt = text(field, 'prompt') ?? '';
  if (needsPrompt && prompt === '') throw new ApiError(400, "Missing required parameter: 'prompt'.");
  const format = text(field, 'response_format') ?? 'b64_json';
  if (format !== 'b64_json' && format !== 'url') throw invalid('response_format', 'b64_json or url');
  const outputFormat = text(field, 'output_format') ?? 'png';
  if (!FORMATS.includes(outputFormat)) throw invalid('output_format', 'png, jpeg or webp');
  return {
    prompt,
    responseFormat: format,
    outputFormat: outputFormat as OutputFormat,
    n: number(field, 'n', { min: 1, max: MAX_IMAGES, isInteger: true }) ?? 1,
    compression: number(field, 'output_compression', { min: 1, max: 100, isInteger: true }) ?? 90,
    stream: flag(field('stream')),
    ...optional('model', text(field, 'model')),
    ...optional('size', size(text(field, 'size'))),
    ...optional('negative', text(field, 'negative_prompt')),
    ...optional('seed', number(field, 'seed', { min: 0, max: Number.MAX_SAFE_INTEGER, isInteger: true })),
    ...optional('steps', number(field, 'steps', { min: 1, max: 10_000, isInteger: true })),
    ...optional('guidance', number(field, 'guidance_scale', { min: 0, max: 100 })),
    ...optional('sampler', text(field, 'sampler')),
    ...optional('scheduler', text(field, 'scheduler')),
    ...optional('strength', number(field, 'strength', { min: 0, max: 1 })),
  };
}

function optional<K extends string, T>(key: K, value: T | undefined): { [key in K]?: T } {
  return (value === undefined ? {} : { [key]: value }) as { [key in K]?: T };
}

function text(field: Field, name: string): string | undefined {
  const value = field(name) ?? undefined;
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') throw invalid(name, 'a text');
  return value;
}

function number(
  field: Field,
  name: string,
  { min, max, isInteger = false }: { min: number; max: number; isInteger?: boolean },
): number | undefined {
  const raw = field(name) ?? undefined;
  if (raw === undefined || raw === '') return undefined;
  const value = typeof raw === 'string' ? Number(raw) : raw;
  const isValid = typeof value === 'number' && value >= min && value <= max;
  if (!isValid || (isInteger && !Number.isInteger(value))) {
    throw invalid(name, `${isInteger ? 'an integer' : 'a number'} from ${min} to ${max}`);
  }
  return value;
}

/** Sides are rounded down to a multiple of 8, the size of a cell of the latent image. */
function size(value: string | undefined): ImageRequest['size'] {
  if (value === undefined || value === 'auto') return undefined;
  const match = /^(\d{1,5})x(\d{1,5})$/.exec(value);
  const [width, height] = [Number(match?.[1]), Number(match?.[2])].map((side) => side - (side % 8));
  if (match && width! >= 16 && height! >= 16 && width! <= MAX_SIDE && height! <= MAX_SIDE) {
    return { width: width!, height: height! };
  }
  throw invalid('size', `auto, or WIDTHxHEIGHT with sides from 16 to ${MAX_SIDE}`);
}

function flag(value: unknown): boolean {
  return value === true || value === 'true' || value === '1';
}

function invalid(name: string, expected: string): ApiError {
  return new ApiError(400, `Invalid value for '${name}': expected ${expected}.`);
}
