/** A page that replays a recording in a worker. Playwright chooses its files, which stay on the disk. */
import { proxy, wrap } from 'comlink';
import type { RecordedInput, Recording } from '../recorded-numbers.ts';
import type { ReplayWorker } from './replay.worker.ts';

declare global {
  interface Window {
    /** Resolves to the number of arrays outside of the tolerance. @param paths of the chosen files */
    replay(name: string, recording: Recording, arrays: string, paths: string[]): Promise<number>;
    /** 32-bit floats in base64. Node computes them. */
    recipeInput(recorded: RecordedInput): Promise<string>;
  }
}

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));

window.replay = async (name, recording, arrays, paths) => {
  const chosen = [...document.querySelector('input')!.files!];
  const files = paths.map((path, index) => ({ path, file: chosen[index]! }));
  const worker = new Worker(new URL('./replay.worker.ts', import.meta.url), { type: 'module' });
  const input = proxy(async (recorded: RecordedInput) => ({
    shape: recorded.shape,
    data: new Float32Array(bytesOf(await window.recipeInput(recorded)).buffer),
  }));
  return wrap<ReplayWorker>(worker).replay({ name, recording, arrays: bytesOf(arrays), files }, input);
};
