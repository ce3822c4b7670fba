/** What of `mlc-chat-config.json` is used here. It is a stranger's file: every field may be missing or of any type. */
export interface MlcConfig {
  quantization: string;
  /** Tokens that end an answer. */
  stopTokens: number[];
  /** Of the cache, for each token of the context; undefined where the file does not tell. */
  cacheBytes: number | undefined;
  /** The token that begins every text, where the tokenizer's own configuration asks for it. */
  bosToken: number | undefined;
}

type Json = Record<string, unknown>;

export function readMlcConfig(chatConfig: string, tokenizerConfig: string | undefined): MlcConfig {
  const config = object(JSON.parse(chatConfig));
  const tokenizer = tokenizerConfig === undefined ? {} : object(JSON.parse(tokenizerConfig));
  const model = object(config.model_config);
  const template = object(config.conv_template);
  const quantization = typeof config.quantization === 'string' ? config.quantization : '';
  const heads = number(model.num_key_value_heads) ?? number(model.num_attention_heads);
  const size =
    number(model.head_dim) ??
    (number(model.hidden_size) ?? Number.NaN) / (number(model.num_attention_heads) ?? Number.NaN);
  const layers = number(model.num_hidden_layers);
  const cacheBytes =
    2 * (layers ?? Number.NaN) * (heads ?? Number.NaN) * size * (/f16/.test(quantization) ? 2 : 4);
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
