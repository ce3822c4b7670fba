import { Mutex } from '#core/base';
import {
  type BuiltGraphFile,
  EngineCrashed,
  EngineError,
  type GraphFile,
  ModelUnsupported,
  OutOfMemory,
  ProviderUnusable,
  type Tensor,
  type TensorEngine,
  type TensorOpenOptions,
  type TensorProvider,
  type TensorSession,
  usedBytes,
} from '#core/host';
import { RemoteSession, type SessionChannel } from './remote-session.ts';
import type { OpenMessage } from './session-protocol.ts';

/** The part of the engine that differs by platform. `F` is how a file is handed to a worker or process. */
export interface OnnxPlatform<F> {
  fileOf(file: Exclude<GraphFile, BuiltGraphFile>): Promise<F>;
  /** Starts a worker or process. Throws `ProviderUnusable` where the platform lacks the provider. */
  start(provider: TensorProvider): SessionChannel<F> | Promise<SessionChannel<F>>;
  /** Whether graphs on the CPU run in a native runtime, which the memory of the machine limits alone. */
  hasNativeCpu?(): boolean;
}

/** Bytes. WebAssembly's memory ends at 4 GiB, and a graph needs some of it for what it computes. */
const MAX_CPU_GRAPH_BYTES = 4e9;

/** An engine over onnxruntime, with one worker or process for each session. */
export function createOnnxEngine<F>(platform: OnnxPlatform<F>): TensorEngine {
  // There is one device for each provider; its sessions run one after the other.
  const deviceMutexes: Record<TensorProvider, Mutex> = { webgpu: new Mutex(), wasm: new Mutex() };

  async function openWith(
    provider: TensorProvider,
    message: Omit<OpenMessage<F>, 'provider'>,
    bytes: number,
    options: TensorOpenOptions,
    signal: AbortSignal,
    onProgress: (fraction: number) => void,
  ): Promise<RemoteSession<F>> {
    const session = new RemoteSession<F>(
      await platform.start(provider),
      deviceMutexes[provider],
      bytes,
      provider === 'webgpu',
    );
    await session.open({ ...message, provider }, signal, onProgress, options.edits?.());
    await checkKnownAnswer(session, options.knownAnswer, signal);
    return session;
  }

  return {
    name: 'onnxruntime',
    get cpuMemory() {
      return platform.hasNativeCpu?.() ? undefined : MAX_CPU_GRAPH_BYTES;
    },
    async open(files, options, signal, onProgress = () => {}) {
      const { message, bytes } = await describeFiles(platform, files, options);
      let fallbackCause: string | undefined;
      for (const [index, provider] of options.providers.entries()) {
        signal.throwIfAborted();
        if (provider === 'wasm' && bytes > MAX_CPU_GRAPH_BYTES && !platform.hasNativeCpu?.())
          throw new OutOfMemory(tooLargeMessage(bytes, fallbackCause));
        try {
          const session = await openWith(provider, message, bytes, options, signal, onProgress);
          if (fallbackCause !== undefined) session.device = { ...session.device, note: fallbackCause };
          return session;
        } catch (error) {
          signal.throwIfAborted();
          const isLast = index === options.providers.length - 1;
          // A damaged file fails with every provider. Other errors of a GPU may not occur on the CPU.
          const mayOpenElsewhere =
            error instanceof ProviderUnusable ||
            error instanceof EngineCrashed ||
            (provider === 'webgpu' && error instanceof EngineError);
          if (isLast || !mayOpenElsewhere) throw error;
          fallbackCause = (error as Error).message;
        }
      }
      throw new EngineError('no provider was asked for');
    },
  };
}

async function describeFiles<F>(
  platform: OnnxPlatform<F>,
  files: GraphFile[],
  options: TensorOpenOptions,
): Promise<{ message: Omit<OpenMessage<F>, 'provider'>; bytes: number }> {
  const graph = files.find(({ role }) => role === 'weights');
  if (!graph) throw new ModelUnsupported('the model has no graph');
  const parts = files.filter((file): file is Exclude<GraphFile, BuiltGraphFile> => file.role === 'part');
  const message = {
    type: 'open' as const,
    graph: 'bytes' in graph ? graph.bytes : await platform.fileOf(graph),
    data: await Promise.all(
      parts.map(async (part) => ({
        name: nameInGraph(graph, part),
        size: part.size,
        file: await platform.fileOf(part),
        isShared: 'used' in part && part.used !== undefined,
      })),
    ),
    isEdited: options.edits !== undefined,
    threads: options.threads ?? 0,
    keepsStoredWeights: options.keepsStoredWeights ?? false,
    ...(options.keeps && { keeps: options.keeps }),
  };
  return { message, bytes: usedBytes(parts) + graph.size };
}

function tooLargeMessage(bytes: number, fallbackCause: string | undefined): string {
  const message = `this graph has ${(bytes / 1e9).toFixed(1)} GB, and on the processor no more than ${MAX_CPU_GRAPH_BYTES / 1e9} GB can be held: it needs a GPU, or an export in 16-bit floats`;
  return fallbackCause === undefined ? message : `${message} (on the GPU: ${fallbackCause})`;
}

/** A graph names its external data relative to its own folder. */
function nameInGraph(graph: GraphFile, part: GraphFile): string {
  const folder = graph.name?.includes('/') ? graph.name.slice(0, graph.name.lastIndexOf('/') + 1) : '';
  const name = part.name ?? '';
  return folder !== '' && name.startsWith(folder) ? name.slice(folder.length) : name;
}

/** Rejects with `ProviderUnusable` when the outputs differ. A session that fails the check is disposed. */
async function checkKnownAnswer(
  session: TensorSession,
  knownAnswer: TensorOpenOptions['knownAnswer'],
  signal: AbortSignal,
): Promise<void> {
  if (!knownAnswer) return;
  const { feeds, outputs: expected, tolerance } = knownAnswer;
  try {
    const actual = await session.run(feeds, signal, Object.keys(expected));
    for (const [name, tensor] of Object.entries(expected)) {
      if (!isClose(actual[name]!, tensor, tolerance)) {
        throw new ProviderUnusable(`${session.device.name} gave a wrong answer to a known question`);
      }
    }
  } catch (error) {
    await session.dispose();
    throw error;
  }
}

function isClose(actual: Tensor, expected: Tensor, tolerance: number): boolean {
  if (actual.type !== expected.type || actual.data.length !== expected.data.length) return false;
  for (let i = 0; i < expected.data.length; i++) {
    const difference = Math.abs(numberAt(actual, i) - numberAt(expected, i));
    // Negated, because every comparison with NaN is false: NaN must count as a difference.
    if (!(difference <= tolerance)) return false;
  }
  return true;
}

/** The number at an index. 16-bit floats are decoded from their bits (IEEE 754 binary16). */
function numberAt({ type, data }: Tensor, index: number): number {
  const stored = Number(data[index]);
  if (type !== 'float16') return stored;
  const exponent = (stored >> 10) & 0x1f;
  const fraction = stored & 0x3ff;
  const sign = stored & 0x8000 ? -1 : 1;
  if (exponent === 0x1f) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}
