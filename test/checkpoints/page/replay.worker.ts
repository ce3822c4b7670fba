/** Replays a recording over the host of a browser and its runtime. */
import { expose } from 'comlink';
import type { Host, TensorEngine } from '#core/host';
import type { FloatTensor } from '#core/image-workflows/values/tensor.ts';
import { browserTensorEngine } from '#workers/engines/onnx/index.ts';
import { createBrowserHost } from '#workers/host/index.ts';
import { type RecordedInput, RecordedNumbers, type Recording } from '../recorded-numbers.ts';
import { replayModel } from '../replay-model.ts';
import { ChosenFiles } from './chosen-files.ts';

interface Question {
  name: string;
  recording: Recording;
  /** The bytes of the `.npz` file. */
  arrays: Uint8Array;
  files: { path: string; file: File }[];
}

const worker = {
  async replay(
    { name, recording, arrays, files: chosen }: Question,
    input: (recorded: RecordedInput) => Promise<FloatTensor>,
  ): Promise<number> {
    const files = new ChosenFiles();
    for (const { path, file } of chosen) await files.add(path, file);
    const engine = browserTensorEngine({
      namedFile: (path) => files.body(path),
      fileOf: async () => {
        throw new Error('no blobs here');
      },
    });
    const host: Host = {
      ...(await createBrowserHost({ scope: 'checkpoints' })),
      files,
      tensorEngine: printingDevice(engine),
    };
    return replayModel(name, host, new RecordedNumbers(recording, arrays), { input });
  },
};

function printingDevice(engine: TensorEngine): TensorEngine {
  return {
    name: engine.name,
    async open(...args) {
      const started = performance.now();
      const session = await engine.open(...args);
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      console.log(`     ${args[0].at(-1)?.name} opened on ${session.device.name} in ${seconds} s`);
      return session;
    },
  };
}

export type ReplayWorker = typeof worker;
expose(worker);
