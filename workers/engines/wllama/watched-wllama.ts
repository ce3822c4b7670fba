// The package names an entry that it does not contain; its build is here.
import { Wllama } from '@wllama/wllama/esm/index.js';
import wasmUrl from '@wllama/wllama/esm/wasm/wllama.wasm?url';
import moduleCode from '@wllama/wllama/src/wasm/wllama.js?raw';
import compatWorkerUrl from '@wllama/wllama-compat/wasm/wllama.js?url';
import compatWasmUrl from '@wllama/wllama-compat/wasm/wllama.wasm?url';
import { noDownloadCache } from './no-download-cache.ts';
import { workerPrelude } from './worker-prelude.ts';

interface WorkerProxy {
  wllamaAction(name: string, body: { files?: Uint8Array[] }): Promise<unknown>;
}

/** wllama with three changes: its worker runs code from our files, watches the GPU device, and takes images. */
export class WatchedWllama extends Wllama {
  #media: Uint8Array[] = [];

  private constructor(
    private readonly prelude: string,
    compatCode: string | undefined,
    config: ConstructorParameters<typeof Wllama>[1],
  ) {
    super({ default: wasmUrl }, { ...config, cacheManager: noDownloadCache() });
    this.setCompat(
      compatCode === undefined ? null : { worker: { code: prelude + compatCode }, wasm: compatWasmUrl },
    );
  }

  /**
   * @param lock the Web Lock that wllama's worker holds for as long as it lives
   * @param logger receives what llama.cpp prints
   */
  static async create(
    lock: string,
    logger: NonNullable<ConstructorParameters<typeof Wllama>[1]>['logger'],
  ): Promise<WatchedWllama> {
    const compatCode = needsCompatBuild() ? await (await fetch(compatWorkerUrl)).text() : undefined;
    return new WatchedWllama(workerPrelude(lock), compatCode, { logger });
  }

  override async loadModel(...args: Parameters<Wllama['loadModel']>): Promise<void> {
    await super.loadModel(...args);
    // wllama sends an empty list of files with a plain completion. llama.cpp takes files with any prompt.
    const { proxy } = this as unknown as { proxy: WorkerProxy };
    const { wllamaAction } = proxy;
    proxy.wllamaAction = (name, body) =>
      wllamaAction.call(proxy, name, name === 'completion' ? { ...body, files: this.#media } : body);
  }

  /**
   * Runs a completion. Its chunks go to `options.onData`.
   * @param media one file for each marker in the prompt
   */
  complete(options: Record<string, unknown>, media: Uint8Array[]): Promise<unknown> {
    // `createCompletion` sends the files before it returns, so concurrent completions do not mix their files.
    this.#media = media;
    const completion = this.createCompletion(
      options as unknown as { prompt: string; stream: true; onData(): void },
    );
    this.#media = [];
    return completion;
  }

  override getWorkerResources() {
    const resources = super.getWorkerResources();
    return resources.compat ? resources : { ...resources, jsPath: { code: this.prelude + moduleCode } };
  }
}

/** Whether the browser lacks JSPI or 64-bit memory, and needs the larger and slower build. */
function needsCompatBuild(): boolean {
  if (!('Suspending' in WebAssembly)) return true;
  try {
    new WebAssembly.Memory({ address: 'i64', initial: 1n } as unknown as WebAssembly.MemoryDescriptor);
    return false;
  } catch {
    return true;
  }
}
