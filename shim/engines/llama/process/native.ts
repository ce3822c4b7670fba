import type { Llama, LlamaContext, LlamaModel, Token } from '../llama-library.ts';

/** What of the library's own bindings is used here, past its public interface. */
export interface NativeSampler {
  applyConfig(config: Record<string, unknown>): void;
  dispose(): void;
}
export interface NativeModel {
  getTokenString(token: number): string;
}
export interface NativeContext {
  getMemoryBreakdown(): { cpuRam: number; gpuVram: number };
  setThreads(threads: number): void;
  initBatch(tokens: number): void;
  /** Returns where the outputs of those tokens will be found after `decodeBatch`. */
  addToBatch(sequence: number, position: number, tokens: Uint32Array, outputs: Uint32Array): Uint32Array;
  decodeBatch(): Promise<void>;
  sampleToken(output: number, sampler: NativeSampler): Promise<Token | -1>;
  sampleToken(
    output: number,
    sampler: NativeSampler,
    probabilities: boolean,
    confidence: boolean,
    logits: [tokens: number[], highest: boolean, lowest: boolean, selected: boolean, top: number],
    totalWeight: boolean,
  ): Promise<[unknown, unknown, unknown, pairs: number[], totalWeight: number]>;
  disposeSequence(sequence: number): void;
  /** False when the model's memory cannot forget a part. */
  removeTokenCellsFromSequence(sequence: number, start: number, end: number): boolean;
  shiftSequenceTokenCells(sequence: number, start: number, end: number, by: number): void;
  getSequenceKvCacheMinPosition(sequence: number): number;
}

export interface Native {
  model: NativeModel;
  context: NativeContext;
  newSampler(): NativeSampler;
}

const USED: (keyof NativeContext)[] = [
  'getMemoryBreakdown',
  'setThreads',
  'initBatch',
  'addToBatch',
  'decodeBatch',
  'sampleToken',
  'disposeSequence',
  'removeTokenCellsFromSequence',
  'shiftSequenceTokenCells',
  'getSequenceKvCacheMinPosition',
];

/**
 * The library's version is pinned for this; throws when one of the bindings has moved. It batches sequences itself, but
 * in whatever company the moment gives, says nothing of the logits, and spends a tenth of a small model's time on it.
 */
export function native(llama: Llama, model: LlamaModel, context: LlamaContext): Native {
  const inner = (model as unknown as { _model?: NativeModel })._model;
  const innerContext = (context as unknown as { _ctx?: NativeContext })._ctx;
  const { AddonSampler } =
    (llama as unknown as { _bindings?: { AddonSampler?: new (model: NativeModel) => NativeSampler } })
      ._bindings ?? {};
  const whole = innerContext && USED.every((name) => typeof innerContext[name] === 'function');
  if (!inner?.getTokenString || !whole || !AddonSampler) {
    throw new Error('this version of node-llama-cpp does not fit tabd: install the one that tabd-shim names');
  }
  return { model: inner, context: innerContext, newSampler: () => new AddonSampler(inner) };
}
