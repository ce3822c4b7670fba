/** What a repository of a sentence-embedding model says in its small JSON files. */
import { ModelCorrupt, type ModelFile, ModelUnsupported } from '#core/host';

export type Pooling = 'mean' | 'cls' | 'max' | 'last' | 'mean-sqrt';

export interface SentenceConfig {
  /** `bert`: what kind of network it is. */
  architecture: string;
  hiddenSize: number;
  /** Longest input in tokens, special ones included. */
  maxTokens: number;
  pooling: Pooling;
  /** Members of `config.json` that are numbers, texts or booleans. */
  values: [string, unknown][];
}

/** Longest of these files that is read (bytes). */
const LONGEST = 1 << 20;

/** Reads the files of role `config`; `read` gives the bytes of one. Throws `ModelCorrupt` or `ModelUnsupported`. */
export async function readSentenceConfig(
  files: ModelFile[],
  read: (file: ModelFile) => Promise<Uint8Array>,
): Promise<SentenceConfig> {
  const json = async (path: RegExp): Promise<Record<string, unknown> | undefined> => {
    const file = files.find(({ role, name }) => role === 'config' && name !== undefined && path.test(name));
    if (!file) return undefined;
    if (file.size > LONGEST) throw new ModelCorrupt(`${file.name} is too long for a configuration`);
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
    maxTokens: longest(config, sentence, tokenizer),
    pooling: poolingOf(pooling),
    values: Object.entries(config).filter(([, value]) =>
      ['number', 'string', 'boolean'].includes(typeof value),
    ),
  };
}

function longest(
  config: Record<string, unknown>,
  sentence: Record<string, unknown> | undefined,
  tokenizer: Record<string, unknown> | undefined,
): number {
  const positions = numberOf(config.max_position_embeddings);
  // RoBERTa counts positions from behind the padding index.
  const offset = /roberta|mpnet/.test(String(config.model_type)) ? 2 : 0;
  const limits = [
    positions === undefined ? undefined : positions - offset,
    numberOf(sentence?.max_seq_length),
    // Tokenizers without a limit name a number beyond all sense.
    sentence ? undefined : numberOf(tokenizer?.model_max_length),
  ];
  const known = limits.filter((limit) => limit !== undefined && limit > 0 && limit < 1e7) as number[];
  return known.length > 0 ? Math.min(...known) : 512;
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
  const other = kinds.find((kind) => !['Transformer', 'Pooling', 'Normalize'].includes(kind));
  if (other) throw new ModelUnsupported(`it has a ${other} layer behind its pooling`);
}

const numberOf = (value: unknown) =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
