/** Codecs in WebAssembly, loaded when first needed and kept while they are small. */
import type { CodecFile, CodecFiles } from '#core/host';

export interface Encoder {
  encode(rgba: Uint8Array, width: number, height: number, options: object): Uint8Array | null;
}
export interface Decoder {
  /** RGBA, or null. */
  decode(
    bytes: Uint8Array,
    preserveOrientation?: boolean,
  ): { width: number; height: number; data: Uint8ClampedArray } | null;
}
type CodecModule<F extends CodecFile> = F extends `${string}-encode` ? Encoder : Decoder;

/** Pixels from which on an instance is not kept: its memory grows with pictures and never shrinks. */
const LARGE = 2 ** 22;

const GLUE: Record<CodecFile, () => Promise<{ factory: unknown; start: StartModule }>> = {
  'jpeg-decode': async () => ({
    factory: (await import('@jsquash/jpeg/codec/dec/mozjpeg_dec.js')).default,
    start: (await import('@jsquash/jpeg/utils.js')).initEmscriptenModule,
  }),
  'jpeg-encode': async () => ({
    factory: (await import('@jsquash/jpeg/codec/enc/mozjpeg_enc.js')).default,
    start: (await import('@jsquash/jpeg/utils.js')).initEmscriptenModule,
  }),
  'webp-decode': async () => ({
    factory: (await import('@jsquash/webp/codec/dec/webp_dec.js')).default,
    start: (await import('@jsquash/webp/utils.js')).initEmscriptenModule,
  }),
  'webp-encode': async () => ({
    factory: (await import('@jsquash/webp/codec/enc/webp_enc_simd.js')).default,
    start: (await import('@jsquash/webp/utils.js')).initEmscriptenModule,
  }),
};
// biome-ignore lint/suspicious/noExplicitAny: the packages' types need those of Emscripten, which are not at hand
type StartModule = (factory: any, wasm: any, options: any) => Promise<unknown>;

interface Loaded {
  compiled: Partial<Record<CodecFile, Promise<WebAssembly.Module>>>;
  running: Partial<Record<CodecFile, Promise<unknown>>>;
}
const loaded = new WeakMap<CodecFiles, Loaded>();

/**
 * Runs a codec. After a failure, or a large picture, it starts anew the next time. Rejects with what the codec throws,
 * and when this platform has none.
 */
export async function withCodec<F extends CodecFile, T>(
  files: CodecFiles | undefined,
  file: F,
  pixels: number,
  use: (module: CodecModule<F>) => T,
): Promise<T> {
  if (!files) throw new Error(`this platform has no codec for ${file.split('-')[0]!.toUpperCase()} pictures`);
  const state = loaded.get(files) ?? { compiled: {}, running: {} };
  loaded.set(files, state);
  state.running[file] ??= start(files, state, file);
  const running = state.running[file];
  let sound = false;
  try {
    const made = use((await running) as CodecModule<F>);
    sound = pixels < LARGE;
    return made;
  } finally {
    if (!sound && state.running[file] === running) delete state.running[file];
  }
}

async function start(files: CodecFiles, state: Loaded, file: CodecFile): Promise<unknown> {
  state.compiled[file] ??= files.read(file).then((bytes) => WebAssembly.compile(bytes));
  try {
    const [wasm, { factory, start }] = await Promise.all([state.compiled[file], GLUE[file]()]);
    return await start(factory, wasm, { print() {}, printErr() {} });
  } catch (error) {
    delete state.compiled[file];
    throw error;
  }
}
