import type { Llama, LlamaContext, LlamaModel, Token } from '../llama-library.ts';

/** The part of the library's native bindings that tabd uses, which is not public. */
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
  /** Returns the indexes at which `decodeBatch` will place the outputs of the tokens in `outputs`. */
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
  /** False if the model's cache cannot remove a part. */
  removeTokenCellsFromSequence(sequence: number, start: number, end: number): boolean;
  shiftSequenceTokenCells(sequence: number, start: number, end: number, by: number): void;
  getSequenceKvCacheMinPosition(sequence: number): number;
}

export interface Native {
  model: NativeModel;
  context: NativeContext;
  newSampler(): NativeSampler;
}

const REQUIRED_METHODS: (keyof NativeContext)[] = [
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
 * Opens the native bindings, for which the library's version is pinned. The library's own batching mixes
 * sequences as they come, hides which output belongs to which sequence, and costs a tenth of a small model's
 * time.
 *
 * @throws Error if a binding is missing
 */
export function openNative(llama: Llama, model: LlamaModel, context: LlamaContext): Native {
  const inner = (model as unknown as { _model?: NativeModel })._model;
  const innerContext = (context as unknown as { _ctx?: NativeContext })._ctx;
  const { AddonSampler } =
    (llama as unknown as { _bindings?: { AddonSampler?: new (model: NativeModel) => NativeSampler } })
      ._bindings ?? {};
  const isComplete =
    innerContext && REQUIRED_METHODS.every((name) => typeof innerContext[name] === 'function');
  if (!inner?.getTokenString || !isComplete || !AddonSampler) {
    throw new Error('this version of node-llama-cpp does not fit tabd: install the one that tabd-shim names');
  }
  return { model: inner, context: innerContext, newSampler: () => new AddonSampler(inner) };
}
