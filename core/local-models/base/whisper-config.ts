/** The configuration of a Whisper model, from the small JSON files of its repository. */
import { ModelCorrupt, type ModelFile } from '#core/host';

export interface WhisperConfig {
  /** Bands of frequencies that the encoder takes: 80 or 128. */
  bands: number;
  /** Layers of the decoder, attention heads of each, and numbers of each head. */
  layers: number;
  heads: number;
  headWidth: number;
  /** The largest number of tokens that the decoder reads, generated ones included. */
  maxTokens: number;
  /** The tokens that begin and end a text. */
  start: number;
  end: number;
  /** Whether the model knows other languages than English, and translates. Undefined: its vocabulary says so. */
  isMultilingual: boolean | undefined;
  /** Tokens that are never written, and those that do not begin a text. */
  suppressed: readonly number[];
  suppressedAtBegin: readonly number[];
  /** Pairs of layer and head whose attention follows the speech. Empty: unknown. */
  alignmentHeads: readonly (readonly [layer: number, head: number])[];
}

/** Bytes. Longer files are refused unread. */
const MAX_SIZE = 1 << 20;
/** The limits of plausible networks: nothing here is allocated by a number that a file invented. */
const LIMITS = { bands: 1024, layers: 256, heads: 256, width: 65_536, maxTokens: 65_536 };

type Json = Record<string, unknown>;

/** Finds a configuration file by its name. */
export const configFile = (files: readonly ModelFile[], name: string): ModelFile | undefined =>
  files.find((file) => file.role === 'config' && file.name === name);

/**
 * Parses a configuration file. An absent file is an empty object.
 * @throws ModelCorrupt for a file that is no JSON object or too long
 */
export async function readJson(
  file: ModelFile | undefined,
  read: (file: ModelFile) => Promise<Uint8Array>,
): Promise<Json> {
  if (!file) return {};
  if (file.size > MAX_SIZE) throw new ModelCorrupt(`${file.name} is too long for a configuration`);
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(await read(file)));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  } catch (error) {
    throw new ModelCorrupt(`${file.name} is no JSON: ${(error as Error).message}`);
  }
  throw new ModelCorrupt(`${file.name} is no JSON object`);
}

/**
 * Reads `config.json` and `generation_config.json`, whose values come first.
 * @param read returns the bytes of a file
 * @throws ModelCorrupt for files that are no JSON, or lack the sizes of the network
 */
export async function readWhisperConfig(
  files: readonly ModelFile[],
  read: (file: ModelFile) => Promise<Uint8Array>,
): Promise<WhisperConfig> {
  const config = await readJson(configFile(files, 'config.json'), read);
  const generation = await readJson(configFile(files, 'generation_config.json'), read);
  const of = (key: string) => generation[key] ?? config[key];
  const size = (key: string, most: number) => {
    const value = of(key);
    if (typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= most) return value;
    throw new ModelCorrupt(`its configuration has no usable ${key}`);
  };
  const heads = size('decoder_attention_heads', LIMITS.heads);
  const layers = size('decoder_layers', LIMITS.layers);
  const token = (key: string) => {
    const [value] = [of(key)].flat();
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
    throw new ModelCorrupt(`its configuration has no usable ${key}`);
  };
  return {
    bands: size('num_mel_bins', LIMITS.bands),
    layers,
    heads,
    headWidth: Math.floor(size('d_model', LIMITS.width) / heads),
    maxTokens: size('max_target_positions', LIMITS.maxTokens),
    start: token('decoder_start_token_id'),
    end: token('eos_token_id'),
    isMultilingual: multilingual(of('is_multilingual'), of('vocab_size')),
    suppressed: numbers(of('suppress_tokens')),
    suppressedAtBegin: numbers(of('begin_suppress_tokens')),
    alignmentHeads: pairs(of('alignment_heads')).filter(([layer, head]) => layer < layers && head < heads),
  };
}

/** The vocabulary of the models that only know English. The others have one or two tokens more. */
const ENGLISH_VOCABULARY = 51_864;

function multilingual(stated: unknown, vocabulary: unknown): boolean | undefined {
  if (typeof stated === 'boolean') return stated;
  return vocabulary === ENGLISH_VOCABULARY ? false : undefined;
}

const isIndex = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0;

const numbers = (value: unknown): number[] => (Array.isArray(value) ? value.filter(isIndex) : []);

function pairs(value: unknown): [number, number][] {
  const isPair = (entry: unknown): entry is [number, number] =>
    Array.isArray(entry) && entry.length === 2 && entry.every(isIndex);
  return Array.isArray(value) ? value.filter(isPair) : [];
}
