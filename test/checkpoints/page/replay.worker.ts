/** Replays a recording over the host of a browser and its runtime. */
import { expose } from 'comlink';
import type { Host } from '#core/host';
import type { FloatTensor } from '#core/image-workflows/values/tensor.ts';
import { browserTensorEngine } from '#workers/engines/onnx/index.ts';
import { createBrowserHost } from '#workers/host/index.ts';
import { type RecordedInput, RecordedNumbers, type Recording } from '../recorded-numbers.ts';
import { replayModel } from '../replay-model.ts';
import { SessionReport } from '../session-report.ts';
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
    const report = new SessionReport();
    const host: Host = {
      ...(await createBrowserHost({ scope: 'checkpoints' })),
      files,
      tensorEngine: report.watch(engine, false),
    };
    try {
      return await replayModel(name, host, new RecordedNumbers(recording, arrays), { input });
    } finally {
      for (const line of report.lines()) console.log(line);
    }
  },
};

export type ReplayWorker = typeof worker;
expose(worker);
