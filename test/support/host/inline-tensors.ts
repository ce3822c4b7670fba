import { readFile } from 'node:fs/promises';
import type { GraphFile, TensorEngine } from '#core/host';
import { createOnnxEngine } from '#core/tensors/onnx-engine.ts';
import type { Ort } from '#core/tensors/onnxruntime.ts';
import { ServedSession } from '#core/tensors/served-session.ts';
import type { SessionReport } from '#core/tensors/session-protocol.ts';
import { runtimeFiles } from '#shim/engines/onnx/tensor-entry.ts';

/** onnxruntime in this process, for tests that open many graphs: separate processes take seconds to start. */
export function inlineTensors(
  read: (file: GraphFile, start?: number, end?: number) => Promise<Uint8Array>,
  options: { largestPiece?: number } = {},
): TensorEngine {
  return createOnnxEngine<GraphFile>({
    fileOf: async (file) => file,
    start() {
      let listener: (message: SessionReport) => void = () => {};
      const session = new ServedSession<GraphFile>({
        prepare,
        read,
        ...options,
        send: (message) => listener(message),
      });
      return {
        // The two sides of a worker share no bytes either, and the session changes those of a graph.
        send: (message) => session.receive(structuredClone(message)),
        listen: (onReport) => {
          listener = onReport;
        },
        end: async () => {
          listener = () => {};
        },
      };
    },
  });
}

async function prepare() {
  const ort = await import('onnxruntime-web');
  const { mjs, wasm } = runtimeFiles();
  ort.env.wasm.wasmPaths = { mjs: mjs.href, wasm: wasm.href };
  ort.env.wasm.wasmBinary = await readFile(wasm);
  ort.env.wasm.numThreads = 1;
  return { ort: ort as unknown as Ort, device: 'CPU, 1 thread', is32Bit: true };
}
