/** A Whisper model whose network follows a script, for tests of what is made of its numbers. */
import type { Tensor } from '#core/host';
import type { WhisperConfig } from '#core/local-models/base/whisper-config.ts';
import type { WhisperParts } from '#core/local-models/hearing/whisper/decode-window.ts';
import { TokenRules } from '#core/local-models/hearing/whisper/token-rules.ts';
import { WhisperVocabulary } from '#core/local-models/hearing/whisper/vocabulary.ts';
import type { WhisperNetwork } from '#core/local-models/hearing/whisper/whisper-network.ts';
import { whisperTokenizer } from './tiny-whisper.ts';

const encoded = new TextEncoder().encode(JSON.stringify(whisperTokenizer));
const TIMES = 1501;

export interface ScriptedWindow {
  /** Texts, and numbers for times in seconds. */
  says: (string | number)[];
  /** From 0 to 1. Default: 0. */
  silence?: number;
  /** The probability of each token of `says`, about. Default: 1. */
  confidence?: number;
}

/** @param windows one for each encoded window, or for each text of one. The last one is repeated */
export function scriptedWhisper(
  windows: ScriptedWindow[] | ((encoded: number, attempt: number) => ScriptedWindow),
  change: Partial<WhisperConfig> = {},
) {
  const vocabulary = new WhisperVocabulary(encoded, undefined, 256);
  const size = vocabulary.firstTime + TIMES;
  const config: WhisperConfig = {
    bands: 2,
    layers: 1,
    heads: 1,
    headWidth: 1,
    maxTokens: 448,
    start: vocabulary.special('startoftranscript')!,
    end: 256,
    isMultilingual: true,
    suppressed: [],
    suppressedAtBegin: [],
    alignmentHeads: [[0, 0]],
    ...change,
  };
  const prompts: number[][] = [];
  let [encodings, attempts] = [0, 0];
  const windowAt = () =>
    typeof windows === 'function'
      ? windows(encodings - 1, attempts - 1)
      : windows[Math.min(encodings, windows.length) - 1]!;
  const tokensOf = ({ says }: ScriptedWindow) =>
    says.flatMap((part) =>
      typeof part === 'number'
        ? [vocabulary.firstTime + Math.round(part * 50)]
        : [...new TextEncoder().encode(part)],
    );
  const row = (token: number | undefined, confidence = 1) => {
    const logits = new Float32Array(size);
    // The other tokens share the rest of the probability.
    const most = confidence >= 1 ? 100 : Math.log((confidence / (1 - confidence)) * size);
    logits[token ?? 256] = most;
    return logits;
  };
  let at = 0;
  const network = {
    hasAttention: true,
    async encode(_loudness: Float32Array, signal: AbortSignal): Promise<Tensor> {
      signal.throwIfAborted();
      encodings++;
      attempts = 0;
      return { type: 'float32', shape: [1, 1500, 1], data: new Float32Array(1500) };
    },
    async begin(tokens: readonly number[], _states: Tensor, signal: AbortSignal) {
      signal.throwIfAborted();
      prompts.push([...tokens]);
      if (tokens.length === 1 && config.isMultilingual)
        return { data: row(vocabulary.languages.get('de')), rows: 1, size };
      attempts++;
      at = 0;
      const window = windowAt();
      const data = new Float32Array(size * tokens.length);
      const start = tokens.indexOf(config.start);
      data.set(row(vocabulary.special('nospeech'), window.silence ?? 0.001), start * size);
      // A model that only hears English begins to write at the same token.
      if (tokens.length > 1)
        data.set(row(tokensOf(window)[0], window.confidence), (tokens.length - 1) * size);
      return { data, rows: tokens.length, size };
    },
    async next(_token: number, _position: number, _states: Tensor, signal: AbortSignal) {
      signal.throwIfAborted();
      at++;
      const window = windowAt();
      return { data: row(tokensOf(window)[at], window.confidence), rows: 1, size };
    },
    /** Each token is spoken for 100 ms, one after the other. */
    async attention(tokens: readonly number[]) {
      const weights = new Float32Array(tokens.length * 1500).fill(1e-6);
      for (const index of tokens.keys())
        weights.fill(1, index * 1500 + index * 5, index * 1500 + index * 5 + 5);
      return new Map([[0, weights]]);
    },
  } as unknown as WhisperNetwork;
  const parts: WhisperParts = { network, vocabulary, rules: new TokenRules(vocabulary, config), config };
  return { parts, prompts, vocabulary, encodings: () => encodings };
}
