/** The facts from `mlc-chat-config.json` that are used here. */
export interface MlcConfig {
  quantization: string;
  /** Tokens that end an answer. */
  stopTokens: number[];
  /** Bytes of the cache per token of the context. Undefined when the file lacks the sizes. */
  cacheBytes: number | undefined;
  /** The beginning-of-sequence token, if the tokenizer's configuration requires it. */
  bosToken: number | undefined;
}

type Json = Record<string, unknown>;

/**
 * Reads the two configuration files. They come from any publisher, so every field may be missing or of any type.
 * @throws when a file is no JSON
 */
export function readMlcConfig(chatConfig: string, tokenizerConfig: string | undefined): MlcConfig {
  const config = object(JSON.parse(chatConfig));
  const tokenizer = tokenizerConfig === undefined ? {} : object(JSON.parse(tokenizerConfig));
  const model = object(config.model_config);
  const template = object(config.conv_template);
  const quantization = typeof config.quantization === 'string' ? config.quantization : '';
  const heads = number(model.num_key_value_heads) ?? number(model.num_attention_heads);
  const headSize =
    number(model.head_dim) ??
    (number(model.hidden_size) ?? Number.NaN) / (number(model.num_attention_heads) ?? Number.NaN);
  const layers = number(model.num_hidden_layers);
  const cacheBytes =
    2 * (layers ?? Number.NaN) * (heads ?? Number.NaN) * headSize * (/f16/.test(quantization) ? 2 : 4);
  return {
    quantization,
    stopTokens: [...new Set([...numbers(template.stop_token_ids), ...numbers(config.eos_token_id)])],
    cacheBytes: Number.isFinite(cacheBytes) ? cacheBytes : undefined,
    bosToken: tokenizer.add_bos_token === true ? number(config.bos_token_id) : undefined,
  };
}

const object = (value: unknown): Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Json) : {};
const number = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined);
const numbers = (value: unknown): number[] =>
  (Array.isArray(value) ? value : [value]).filter((each) => Number.isSafeInteger(each)) as number[];
