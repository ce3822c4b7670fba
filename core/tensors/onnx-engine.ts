import { Mutex } from '#core/base';
import {
  EngineCrashed,
  EngineError,
  type GraphFile,
  ModelUnsupported,
  OutOfMemory,
  type Tensor,
  type TensorEngine,
  type TensorOpenOptions,
  type TensorProvider,
  type TensorSession,
} from '#core/host';
import { ProviderUnusable, RemoteSession, type SessionChannel } from './remote-session.ts';

export interface OnnxPlatform<F> {
  /** How a stored file is handed to a worker or process. */
  fileOf(file: GraphFile): Promise<F>;
  /** Starts a worker or process. Throws where the provider cannot be had at all. */
  start(provider: TensorProvider): SessionChannel<F>;
}

/** onnxruntime in workers or processes of its own, one a session. */
export function createOnnxEngine<F>(platform: OnnxPlatform<F>): TensorEngine {
  /** One device of each kind. */
  const deviceMutexes: Record<TensorProvider, Mutex> = { webgpu: new Mutex(), wasm: new Mutex() };
  return {
    name: 'onnxruntime-web',
    async open(files, options, signal, onProgress = () => {}) {
      const graph = files.find(({ role }) => role === 'weights');
      if (!graph) throw new ModelUnsupported('the model has no graph');
      const parts = files.filter(({ role }) => role === 'part');
      const bytes = [graph, ...parts].reduce((sum, { size }) => sum + size, 0);
      const message = {
        type: 'open' as const,
        graph: await platform.fileOf(graph),
        data: await Promise.all(
          parts.map(async (part) => ({
            name: nameBeside(graph, part),
            size: part.size,
            file: await platform.fileOf(part),
          })),
        ),
        isEdited: options.edits !== undefined,
        threads: options.threads ?? 0,
      };
      let note: string | undefined;
      for (const [index, provider] of options.providers.entries()) {
        signal.throwIfAborted();
        if (provider === 'wasm' && bytes > MOST_ON_CPU) throw new OutOfMemory(tooLarge(bytes, note));
        try {
          const session = new RemoteSession<F>(
            platform.start(provider),
            deviceMutexes[provider],
            bytes,
            provider === 'webgpu',
          );
          await session.open({ ...message, provider }, signal, onProgress, options.edits?.());
          await prove(session, options.knownAnswer, signal);
          if (note !== undefined) session.device = { ...session.device, note };
          return session;
        } catch (error) {
          signal.throwIfAborted();
          const last = index === options.providers.length - 1;
          // What is wrong with the file is wrong everywhere.
          const mayWorkElsewhere =
            error instanceof ProviderUnusable ||
            error instanceof EngineCrashed ||
            (provider === 'webgpu' && error instanceof EngineError);
          if (last || !mayWorkElsewhere) throw error;
          note = (error as Error).message;
        }
      }
      throw new EngineError('no provider was asked for');
    },
  };
}

/** The memory of WebAssembly ends at 4 GiB, and what a graph computes needs some, too. */
const MOST_ON_CPU = 4e9;

function tooLarge(bytes: number, note: string | undefined): string {
  const size = `this graph has ${(bytes / 1e9).toFixed(1)} GB, and on the processor no more than ${MOST_ON_CPU / 1e9} GB can be held: it needs a GPU, or an export in 16-bit floats`;
  return note === undefined ? size : `${size} (on the GPU: ${note})`;
}

/** External data is named from the folder of the graph. */
function nameBeside(graph: GraphFile, part: GraphFile): string {
  const folder = graph.name?.includes('/') ? graph.name.slice(0, graph.name.lastIndexOf('/') + 1) : '';
  const name = part.name ?? '';
  return folder !== '' && name.startsWith(folder) ? name.slice(folder.length) : name;
}

async function prove(
  session: TensorSession,
  proof: TensorOpenOptions['knownAnswer'],
  signal: AbortSignal,
): Promise<void> {
  if (!proof) return;
  try {
    const outputs = await session.run(proof.feeds, signal, Object.keys(proof.outputs));
    for (const [name, expected] of Object.entries(proof.outputs)) {
      if (!near(outputs[name]!, expected, proof.tolerance)) {
        throw new ProviderUnusable(`${session.device.name} gave a wrong answer to a known question`);
      }
    }
  } catch (error) {
    await session.dispose();
    throw error;
  }
}

function near(actual: Tensor, expected: Tensor, tolerance: number): boolean {
  if (actual.type !== expected.type || actual.data.length !== expected.data.length) return false;
  for (let i = 0; i < expected.data.length; i++) {
    const difference = Math.abs(numberAt(actual, i) - numberAt(expected, i));
    // NaN is near nothing.
    if (!(difference <= tolerance)) return false;
  }
  return true;
}

function numberAt({ type, data }: Tensor, index: number): number {
  const stored = Number(data[index]);
  if (type !== 'float16') return stored;
  const exponent = (stored >> 10) & 0x1f;
  const fraction = stored & 0x3ff;
  const sign = stored & 0x8000 ? -1 : 1;
  if (exponent === 0x1f) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}
