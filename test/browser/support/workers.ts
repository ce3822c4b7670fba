/** Observes WebGPU from outside: counts submitted commands in each global of a page, and destroys devices. */
import type { BrowserContext, Page, Worker } from '@playwright/test';

interface Watched {
  submits: number;
  devices: { destroy(): void }[];
}
type WatchedGlobal = { __gpu?: Watched };

/** Counts submits from now on in this global, and returns its name. Call it before the first device is requested. */
function install(): string {
  const global = globalThis as WatchedGlobal & {
    name?: string;
    GPUQueue?: { prototype: { submit(...args: unknown[]): unknown } };
    GPUAdapter?: { prototype: { requestDevice(...args: unknown[]): Promise<{ destroy(): void }> } };
  };
  if (global.__gpu) return global.name ?? '';
  const watched: Watched = { submits: 0, devices: [] };
  global.__gpu = watched;
  if (!global.GPUQueue || !global.GPUAdapter) return global.name ?? '';
  const { submit } = global.GPUQueue.prototype;
  global.GPUQueue.prototype.submit = function (...args) {
    watched.submits++;
    return submit.apply(this, args);
  };
  const { requestDevice } = global.GPUAdapter.prototype;
  global.GPUAdapter.prototype.requestDevice = async function (...args) {
    const device = await requestDevice.apply(this, args);
    watched.devices.push(device);
    return device;
  };
  return global.name ?? '';
}

function destroy(): number {
  const devices = (globalThis as WatchedGlobal).__gpu?.devices ?? [];
  for (const device of devices) device.destroy();
  return devices.length;
}

function after<T>(milliseconds: number, value: T): Promise<T> {
  return new Promise((resolve) => setTimeout(() => resolve(value), milliseconds));
}

export interface GpuWatch {
  /** Submits by global: `page`, `service worker`, and every worker by its name or the kind of its address. */
  submits(): Promise<Record<string, number>>;
  /** Destroys every device, as a driver reset or another tab may do. Returns their number. */
  destroyDevices(): Promise<number>;
}

/** Watches the page and every worker that it starts from now on, nested workers too. */
export async function watchGpu(page: Page, context: BrowserContext): Promise<GpuWatch> {
  const workers = new Map<Worker, string>();
  const serviceWorkers = new Set<Worker>();
  await page.addInitScript(install);
  const watch = (worker: Worker) => {
    const kind = worker.url().startsWith('blob:')
      ? 'wasm worker'
      : (/([\w.]+?)-[\w-]+\.js/.exec(worker.url())?.[1] ?? worker.url());
    workers.set(worker, kind);
    worker.on('close', () => workers.delete(worker));
    worker.evaluate(install).then(
      (name) => {
        if (/pthread/.test(name) && workers.has(worker)) workers.set(worker, 'wasm thread');
      },
      () => {},
    );
  };
  page.on('worker', watch);
  for (const worker of page.workers()) watch(worker);
  const watchService = (worker: Worker) => {
    serviceWorkers.add(worker);
    worker.on('close', () => serviceWorkers.delete(worker));
    worker.evaluate(install).catch(() => {});
  };
  context.on('serviceworker', watchService);
  for (const worker of context.serviceWorkers()) watchService(worker);
  const count = () => (globalThis as WatchedGlobal).__gpu?.submits ?? 0;
  // A thread that sleeps in WebAssembly neither answers nor submits anything.
  const countIn = (worker: Worker) => Promise.race([worker.evaluate(count).catch(() => 0), after(2_000, 0)]);
  return {
    async submits() {
      const found: Record<string, number> = { page: await page.evaluate(count) };
      for (const worker of serviceWorkers) {
        found['service worker'] = (found['service worker'] ?? 0) + (await countIn(worker));
      }
      for (const [worker, kind] of workers) {
        found[kind] = (found[kind] ?? 0) + (await countIn(worker));
      }
      return found;
    },
    async destroyDevices() {
      let destroyed = 0;
      for (const worker of workers.keys()) {
        destroyed += await Promise.race([worker.evaluate(destroy).catch(() => 0), after(2_000, 0)]);
      }
      return destroyed;
    },
  };
}
