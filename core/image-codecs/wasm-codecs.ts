import type { CodecFile, CodecFiles } from '#core/host';

/** The encoders of @jsquash, which return null on failure. */
export interface Encoder {
  encode(rgba: Uint8Array, width: number, height: number, options: object): Uint8Array | null;
}
/** The decoders of @jsquash, which return RGBA, or null on failure. */
export interface Decoder {
  decode(
    bytes: Uint8Array,
    preserveOrientation?: boolean,
  ): { width: number; height: number; data: Uint8ClampedArray } | null;
}
type CodecModule<F extends CodecFile> = F extends `${string}-encode` ? Encoder : Decoder;

/** Pixels from which on an instance is not reused: its memory grows with the image and never shrinks. */
const LARGE_IMAGE = 2 ** 22;

/** The JavaScript that belongs to each WebAssembly file. */
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
// biome-ignore lint/suspicious/noExplicitAny: the packages' types refer to types of Emscripten that are not installed
type StartModule = (factory: any, wasm: any, options: any) => Promise<unknown>;

interface LoadedCodecs {
  modules: Partial<Record<CodecFile, Promise<WebAssembly.Module>>>;
  instances: Partial<Record<CodecFile, Promise<unknown>>>;
}
const loaded = new WeakMap<CodecFiles, LoadedCodecs>();

/**
 * Runs a WebAssembly codec, which is loaded when it is first needed. A failure or a large image ends its instance, so
 * that the next call starts a new one.
 * @param pixels how many the image has
 * @throws Error when the platform has no codecs; otherwise whatever `use` throws
 */
export async function withCodec<F extends CodecFile, T>(
  codecs: CodecFiles | undefined,
  file: F,
  pixels: number,
  use: (module: CodecModule<F>) => T,
): Promise<T> {
  if (!codecs) throw new Error(`this platform has no codec for ${file.split('-')[0]!.toUpperCase()} images`);
  const { modules, instances } = loaded.get(codecs) ?? { modules: {}, instances: {} };
  loaded.set(codecs, { modules, instances });
  instances[file] ??= startCodec(codecs, modules, file);
  const instance = instances[file];
  let isReusable = false;
  try {
    const result = use((await instance) as CodecModule<F>);
    isReusable = pixels < LARGE_IMAGE;
    return result;
  } finally {
    if (!isReusable && instances[file] === instance) delete instances[file];
  }
}

async function startCodec(
  codecs: CodecFiles,
  modules: LoadedCodecs['modules'],
  file: CodecFile,
): Promise<unknown> {
  modules[file] ??= codecs.read(file).then((bytes) => WebAssembly.compile(bytes));
  try {
    const [wasm, { factory, start }] = await Promise.all([modules[file], GLUE[file]()]);
    return await start(factory, wasm, { print() {}, printErr() {} });
  } catch (error) {
    delete modules[file];
    throw error;
  }
}
