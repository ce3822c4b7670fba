/** The configuration of a sentence-embedding model, from the small JSON files of its repository. */
import { ModelCorrupt, type ModelFile, ModelUnsupported } from '#core/host';

/** How the vectors of all tokens become one vector of the text. `cls`: the first token's, `last`: the last token's. */
export type Pooling = 'mean' | 'cls' | 'max' | 'last' | 'mean-sqrt';

export interface SentenceConfig {
  /** `model_type` of the network, such as `bert`. */
  architecture: string;
  hiddenSize: number;
  /** Longest input in tokens, including the special ones. */
  maxTokens: number;
  pooling: Pooling;
  /** Members of `config.json` that are numbers, strings or booleans. */
  values: [string, unknown][];
}

/** Bytes. Longer files are refused unread. */
const MAX_SIZE = 1 << 20;

/**
 * Reads the files of role `config`.
 * @param read returns the bytes of a file
 * @throws ModelCorrupt for a file that is no JSON or too long, ModelUnsupported for a pooling that is not implemented
 */
export async function readSentenceConfig(
  files: ModelFile[],
  read: (file: ModelFile) => Promise<Uint8Array>,
): Promise<SentenceConfig> {
  const json = async (path: RegExp): Promise<Record<string, unknown> | undefined> => {
    const file = files.find(({ role, name }) => role === 'config' && name !== undefined && path.test(name));
    if (!file) return undefined;
    if (file.size > MAX_SIZE) throw new ModelCorrupt(`${file.name} is too long for a configuration`);
    try {
      return JSON.parse(new TextDecoder().decode(await read(file)));
    } catch (error) {
      throw new ModelCorrupt(`${file.name} is no JSON: ${(error as Error).message}`);
    }
  };
  const config = (await json(/^config\.json$/)) ?? {};
  const sentence = await json(/^sentence_bert_config\.json$/);
  const tokenizer = await json(/^tokenizer_config\.json$/);
  const pooling = await json(/_Pooling\/config\.json$/);
  const modules = await json(/^modules\.json$/);
  checkModules(modules);
  return {
    architecture: typeof config.model_type === 'string' ? config.model_type : 'unknown',
    hiddenSize: numberOf(config.hidden_size ?? config.dim ?? config.d_model) ?? 0,
    maxTokens: maxInputTokens(config, sentence, tokenizer),
    pooling: poolingOf(pooling),
    values: Object.entries(config).filter(([, value]) =>
      ['number', 'string', 'boolean'].includes(typeof value),
    ),
  };
}

/** The smallest limit that the files name; 512, BERT's own, when they name none. */
function maxInputTokens(
  config: Record<string, unknown>,
  sentence: Record<string, unknown> | undefined,
  tokenizer: Record<string, unknown> | undefined,
): number {
  const positions = numberOf(config.max_position_embeddings);
  // RoBERTa numbers positions from the padding index + 1, so the table has two rows that no token uses.
  const offset = /roberta|mpnet/.test(String(config.model_type)) ? 2 : 0;
  const limits = [
    positions === undefined ? undefined : positions - offset,
    numberOf(sentence?.max_seq_length),
    // Transformers writes a huge number (1e30) for a tokenizer without a limit.
    sentence ? undefined : numberOf(tokenizer?.model_max_length),
  ];
  const plausible = limits.filter((limit) => limit !== undefined && limit > 0 && limit < 1e7) as number[];
  return plausible.length > 0 ? Math.min(...plausible) : 512;
}

function poolingOf(config: Record<string, unknown> | undefined): Pooling {
  if (!config) return 'mean';
  const modes: [string, Pooling][] = [
    ['pooling_mode_cls_token', 'cls'],
    ['pooling_mode_mean_tokens', 'mean'],
    ['pooling_mode_max_tokens', 'max'],
    ['pooling_mode_mean_sqrt_len_tokens', 'mean-sqrt'],
    ['pooling_mode_lasttoken', 'last'],
  ];
  const chosen = modes.filter(([key]) => config[key] === true).map(([, mode]) => mode);
  if (chosen.length > 1) throw new ModelUnsupported(`it joins several poolings (${chosen.join(', ')})`);
  if (chosen[0]) return chosen[0];
  if (config.pooling_mode_weightedmean_tokens === true)
    throw new ModelUnsupported('it pools by weighted mean');
  return 'mean';
}

function checkModules(modules: unknown): void {
  if (!Array.isArray(modules)) return;
  const kinds = modules.map(
    (module) =>
      String((module as { type?: unknown }).type)
        .split('.')
        .at(-1)!,
  );
  const unsupported = kinds.find((kind) => !['Transformer', 'Pooling', 'Normalize'].includes(kind));
  if (unsupported) throw new ModelUnsupported(`it has a ${unsupported} layer behind its pooling`);
}

const numberOf = (value: unknown) =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
