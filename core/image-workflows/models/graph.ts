import type { FilePath, Files } from '../../host/files.ts';
import type { Host } from '../../host/host.ts';
import type { NamedGraphFile, TensorSession } from '../../host/tensor-engine.ts';

/**
 * A graph of a model that is opened when it is first needed, and again after it was unloaded, crashed or lost its device: so
 * what was made of it stays good.
 */
export class Graph {
  #opening: Promise<TensorSession> | undefined;

  constructor(
    private readonly host: Host,
    /** Looked at whenever it is opened. Throws where there is no graph. */
    private readonly parts: (files: Files) => Promise<NamedGraphFile[]>,
  ) {}

  session(signal: AbortSignal): Promise<TensorSession> {
    if (this.#opening) return this.#opening;
    const opening = this.#open(signal);
    const forget = () => {
      if (this.#opening === opening) this.#opening = undefined;
    };
    this.#opening = opening;
    opening.then((session) => session.gone.then(forget), forget);
    return opening;
  }

  /** Frees its memory; the next use opens it again. */
  async unload(): Promise<void> {
    const opening = this.#opening;
    this.#opening = undefined;
    await opening?.then(
      (session) => session.dispose(),
      () => {},
    );
  }

  async #open(signal: AbortSignal): Promise<TensorSession> {
    const { tensorEngine, files } = this.host;
    if (!tensorEngine) throw new Error('this platform cannot run ONNX models');
    return tensorEngine.open(await this.parts(files), { providers: ['webgpu', 'wasm'] }, signal);
  }
}

/** `model.onnx` of a folder and its data. Throws where there is none. */
export async function graphOfFolder(files: Files, folder: FilePath): Promise<NamedGraphFile[]> {
  const found = (await files.list(folder)) ?? [];
  const graphs = found.flatMap(({ kind, path, size }): NamedGraphFile[] => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (kind !== 'file' || name.endsWith('.json') || name.endsWith('.txt')) return [];
    return [{ role: name === 'model.onnx' ? 'weights' : 'part', name, size, path }];
  });
  if (!graphs.some(({ role }) => role === 'weights'))
    throw new Error(`the model has no ${folder}/model.onnx: export it with "optimum-cli export onnx"`);
  return graphs;
}
