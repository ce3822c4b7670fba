import { errorMessage } from '#core/base';
import {
  type EngineErrorKind,
  type FileEdit,
  ProviderUnusable,
  type SerializedEngineError,
} from '#core/host';
import { applyEdit } from './apply-edit.ts';
import { checkAttention, hasAttention } from './attention-check.ts';
import {
  BFLOAT_TO_HALF,
  BFLOAT_TO_SINGLE,
  convertFloats,
  type FloatConversion,
  HALF_TO_SINGLE,
} from './convert-floats.ts';
import { halfNodes } from './half-nodes.ts';
import { readOnnxOutline } from './onnx-file/read-graph-file.ts';
import {
  checkTensor,
  type ExecutionProvider,
  fromOrtTensor,
  mergeOptions,
  type Ort,
  type OrtSession,
  type OrtTensor,
  type SessionOptions,
  toOrtTensor,
  toTensorSlot,
} from './onnxruntime.ts';
import { withPlainAttention } from './plain-attention.ts';
import { renameExternalData } from './rename-external-data.ts';
import type { OpenMessage, SessionCommand, SessionReport } from './session-protocol.ts';
import { splitExternalData } from './split-external-data.ts';

/** The part of a session's worker or process that differs by platform. `F` is how files are handed over. */
export interface SessionPlatform<F> {
  /** Loads onnxruntime for the provider. Rejects with `ProviderUnusable`. */
  prepare(message: OpenMessage<F>): Promise<PreparedRuntime>;
  /** Bytes [start, end) of a file; without them, all. */
  read(file: F, start?: number, end?: number): Promise<Uint8Array>;
  /** The file as a `Blob` that the runtime reads itself, part by part. Undefined: this platform has none. */
  stream?(file: F): Blob;
  /** Bytes of the largest array that `read` returns, for tests. Undefined: the default of `splitExternalData`. */
  largestPiece?: number;
  /** Bytes that this worker or process has allocated. Undefined: it cannot be measured. */
  memory?(): number;
  send(report: SessionReport): void;
}

/** onnxruntime, loaded for a provider of one platform. */
export interface PreparedRuntime {
  ort: Ort;
  /** A name of the device for people. */
  device: string;
  /** Resolves with a reason when the GPU is lost. */
  lost?: () => Promise<string>;
  /** Whether this is a GPU whose shaders have no 16-bit floats: it gets 32-bit ones, or the CPU runs such nodes. */
  lacksHalf?: boolean;
  /** Whether it computes in 32-bit WebAssembly, whose operator for attention fails for long sequences. */
  is32Bit?: boolean;
  /** Whether outputs can stay on the GPU between runs. */
  keepsOnGpu?: boolean;
  /** Whether this build of the runtime reads `Blob`s itself. */
  readsBlobs?: boolean;
  /** The runtime's name of the provider. Undefined: that of the message. */
  provider?: string;
  /** Options of every session. */
  options?: SessionOptions;
  /** The options with which the runtime maps the data files into memory. Undefined: it must be given their bytes. */
  mapping?: SessionOptions;
  /** The names of data files for the mapping, by those in the graph, where they differ. */
  mappedNames?: ReadonlyMap<string, string>;
}

/** A file of external data as the runtime receives it: all of it, or the piece that begins at `start`. */
interface DataPart {
  /** The name of the file it comes from. */
  file: string;
  /** The name in the graph. */
  path: string;
  start?: number;
  data: Uint8Array | Blob;
}

/**
 * By default the runtime computes all that follows from constants when it opens a graph. That includes 32-bit floats of
 * all weights. The level `all` of optimization does so once more.
 */
const STORED_WEIGHTS: SessionOptions = {
  graphOptimizationLevel: 'basic',
  extra: {
    optimization: { disable_specified_optimizers: 'ConstantFolding' },
    session: { disable_prepacking: '1' },
  },
};

/**
 * Without them, 32-bit floats of a weight are freed after their use, as far as the runtime is native. A network of 1.7 GB
 * then keeps 0.2 GB of memory of its own, and not 2.4 GB.
 */
const WITHOUT_ARENA: SessionOptions = { enableCpuMemArena: false, enableMemPattern: false };

/** The CPU then reads transposed weights where they lie. Otherwise each run makes a copy of every one. */
const WITHOUT_TRANSPOSED_COPIES: SessionOptions = { graphOptimizationLevel: 'extended' };

/** The runtime's name of the provider, and what it leaves to the CPU. */
async function providerOf<F>(
  { provider, lacksHalf }: PreparedRuntime,
  message: OpenMessage<F>,
  graph: Uint8Array,
): Promise<ExecutionProvider> {
  const name = provider ?? message.provider;
  if (!lacksHalf) return name;
  const outline = await readOnnxOutline(graph.length, async (start, end) => graph.subarray(start, end));
  const forceCpuNodeNames = halfNodes(outline);
  return forceCpuNodeNames.length > 0 ? { name, forceCpuNodeNames } : name;
}

/**
 * The weights that this GPU gets as other floats. onnxruntime's build for GPUs in browsers reads no BF16 at all. Graphs of
 * this project over files of weights, which are shared, only convert 16-bit floats. Others may compute with them.
 */
function conversionsFor<F>(
  { lacksHalf }: PreparedRuntime,
  { provider, keepsStoredWeights, data }: OpenMessage<F>,
): FloatConversion[] {
  if (provider !== 'webgpu') return [];
  const isShared = data.some((file) => file.isShared);
  return [
    ...(lacksHalf && isShared ? [HALF_TO_SINGLE] : []),
    // Where weights do not stay as they are stored, the runtime makes them 32-bit floats.
    isShared && keepsStoredWeights && !lacksHalf ? BFLOAT_TO_HALF : BFLOAT_TO_SINGLE,
  ];
}

/** The end of one session inside its worker or process. */
export class ServedSession<F> {
  #ort: Ort | undefined;
  #session: OrtSession | undefined;
  /** Outputs of earlier runs, by the inputs that they are. */
  readonly #retained = new Map<string, OrtTensor>();
  /** The last run: the next one begins after it. */
  #lastRun: Promise<void> = Promise.resolve();
  #resolveEdit: (edit: FileEdit | undefined) => void = () => {};

  constructor(private readonly platform: SessionPlatform<F>) {}

  receive(command: SessionCommand<F>): void {
    if (command.type === 'open') void this.#open(command);
    else if (command.type === 'edit') this.#resolveEdit(command.edit);
    else this.#lastRun = this.#lastRun.then(() => this.#run(command));
  }

  async #open(message: OpenMessage<F>): Promise<void> {
    const { platform } = this;
    try {
      platform.send({ type: 'progress', fraction: 0 });
      const memoryBefore = platform.memory?.() ?? 0;
      const runtime = await platform.prepare(message);
      const { ort, device, lost, mapping } = runtime;
      this.#ort = ort;
      // The sender may open its bytes again, and the names of pieces are written into them.
      const original =
        message.graph instanceof Uint8Array ? message.graph.slice() : await platform.read(message.graph);
      if (message.provider === 'webgpu' && hasAttention(original))
        await checkAttention(ort, runtime.provider ?? message.provider);
      const read = (graph: Uint8Array) => this.#readData(message, graph, runtime.readsBlobs ?? false);
      const files = { parts: mapping ? [] : await read(original), isMapped: mapping !== undefined };
      const edited = message.isEdited ? await this.#applyEdits(original, files, read) : original;
      const { isMapped } = files;
      const named =
        isMapped && runtime.mappedNames ? await renameExternalData(edited, runtime.mappedNames) : edited;
      const conversions = isMapped ? [] : conversionsFor(runtime, message);
      const { graph: converted, parts } = await convertFloats(named, files.parts, conversions);
      const graph = runtime.is32Bit ? await withPlainAttention(converted) : converted;
      const session = (await ort.InferenceSession.create(graph, {
        executionProviders: [await providerOf(runtime, message, graph)],
        ...mergeOptions(
          runtime.options,
          isMapped ? mapping : undefined,
          message.keepsStoredWeights ? STORED_WEIGHTS : undefined,
          message.keepsStoredWeights && mapping ? WITHOUT_ARENA : undefined,
          message.keepsStoredWeights && message.provider === 'wasm' ? WITHOUT_TRANSPOSED_COPIES : undefined,
          runtime.keepsOnGpu && message.keeps ? stayingOnGpu(message.keeps) : undefined,
        ),
        ...(parts.length > 0 && { externalData: parts.map(({ path, data }) => ({ path, data })) }),
        logSeverityLevel: 3,
      })) as OrtSession;
      this.#session = session;
      lost?.().then(
        (reason) => platform.send({ type: 'lost', message: reason }),
        () => {}, // The next run fails, if the GPU was lost.
      );
      platform.send({ type: 'progress', fraction: 1 });
      platform.send({
        type: 'opened',
        opened: {
          inputs: session.inputMetadata.map(toTensorSlot),
          outputs: session.outputMetadata.map(toTensorSlot),
          device,
          memory: platform.memory && platform.memory() - memoryBefore,
        },
      });
    } catch (error) {
      platform.send({ type: 'open-failed', failure: describeOpenError(error) });
    }
  }

  /** The external data. Files that are too large for one array come in pieces, whose names `graph` is changed to use. */
  async #readData(message: OpenMessage<F>, graph: Uint8Array, readsBlobs: boolean): Promise<DataPart[]> {
    const { platform } = this;
    const pieces = await splitExternalData(graph, message.data, platform.largestPiece);
    const parts: DataPart[] = [];
    for (const [index, { name, file }] of message.data.entries()) {
      const stream = readsBlobs && pieces.has(name) ? platform.stream?.(file) : undefined;
      for (const { name: path, start, end } of pieces.get(name) ?? [])
        parts.push({
          file: name,
          path,
          start,
          data: stream?.slice(start, end) ?? (await platform.read(file, start, end)),
        });
      if (!pieces.has(name)) parts.push({ file: name, path: name, data: await platform.read(file) });
      platform.send({ type: 'progress', fraction: (0.8 * (index + 1)) / message.data.length });
    }
    return parts;
  }

  /**
   * Asks the host for its edits. Returns the graph, which may be a new array, and changes `files` in place.
   * @param read reads all files, and writes the names of their pieces into the graph. Called for mapped files when an
   * edit concerns data: edits change bytes in memory, and onnxruntime takes all data from memory or none
   */
  async #applyEdits(
    original: Uint8Array,
    files: { parts: DataPart[]; isMapped: boolean },
    read: (graph: Uint8Array) => Promise<DataPart[]>,
  ): Promise<Uint8Array> {
    let graph = original;
    for (let edit = await this.#nextEdit(); edit; edit = await this.#nextEdit()) {
      const { file, bytes } = edit;
      if (file === undefined) {
        graph = applyEdit(graph, edit);
        continue;
      }
      if (files.isMapped) files.parts = await read(graph);
      files.isMapped = false;
      const { parts } = files;
      if (parts.some((part) => part.file === file)) {
        for (const part of parts) if (part.file === file) part.data = editedPart(part, edit);
      } else parts.push({ file, path: file, data: bytes });
    }
    return graph;
  }

  /** The kept tensors that the graph takes. */
  #retainedInputs(): Record<string, OrtTensor> {
    const { inputNames } = this.#session!;
    return Object.fromEntries([...this.#retained].filter(([name]) => inputNames.includes(name)));
  }

  #nextEdit(): Promise<FileEdit | undefined> {
    return new Promise((resolve) => {
      this.#resolveEdit = resolve;
      this.platform.send({ type: 'edit-wanted' });
    });
  }

  async #run({
    id,
    feeds,
    outputNames,
    keep = {},
  }: Extract<SessionCommand<F>, { type: 'run' }>): Promise<void> {
    try {
      if (!this.#ort || !this.#session) throw new Error('no graph is open here');
      const inputs = Object.entries(feeds).map(([name, tensor]) => {
        checkTensor(name, tensor);
        return [name, toOrtTensor(this.#ort!, tensor)] as const;
      });
      const names = outputNames ?? [...this.#session.outputNames];
      const results = await this.#session.run({ ...this.#retainedInputs(), ...Object.fromEntries(inputs) }, [
        ...new Set([...names, ...Object.keys(keep)]),
      ]);
      const outputs: Extract<SessionReport, { type: 'result' }>['outputs'] = {};
      for (const name of names) {
        outputs[name] = await fromOrtTensor(results[name]!);
        if (!Object.hasOwn(keep, name)) results[name]!.dispose();
      }
      for (const [name, input] of Object.entries(keep)) {
        this.#retained.get(input)?.dispose();
        this.#retained.set(input, results[name]!);
      }
      this.platform.send({ type: 'result', id, outputs });
    } catch (error) {
      const message = errorMessage(error);
      if (isRuntimeBroken(error)) this.platform.send({ type: 'lost', message });
      else {
        const kind = OUT_OF_MEMORY.test(message) ? 'memory' : 'request';
        this.platform.send({ type: 'run-failed', id, failure: { kind, message } });
      }
    }
  }
}

/** Leaves outputs on the GPU. A name that the graph lacks has no effect. */
const stayingOnGpu = (names: readonly string[]): SessionOptions => ({
  preferredOutputLocation: Object.fromEntries(names.map((name) => [name, 'gpu-buffer'])),
});

/** The data of a part with an edit of its file, if the edit lies inside of this part. */
function editedPart({ data, start: partStart }: DataPart, { start, bytes }: FileEdit): Uint8Array | Blob {
  const offset = start - (partStart ?? 0);
  const size = data instanceof Uint8Array ? data.length : data.size;
  // Pieces end between weights, and an edit changes one weight: it lies inside of one piece or outside of it.
  if (partStart !== undefined && (offset < 0 || offset + bytes.length > size)) return data;
  if (data instanceof Uint8Array) return applyEdit(data, { start: offset, bytes });
  return new Blob([
    data.slice(0, offset),
    bytes as Uint8Array<ArrayBuffer>,
    data.slice(offset + bytes.length),
  ]);
}

const OUT_OF_MEMORY =
  /out of memory|allocation failed|failed to allocate|bad_?\s?alloc|std::length_error|OutOfMemory/i;

/** onnxruntime's messages, by the kind of error that they stand for. The first match counts. */
const OPEN_ERRORS: [EngineErrorKind, RegExp][] = [
  ['memory', OUT_OF_MEMORY],
  [
    'unsupported',
    /NOT_IMPLEMENTED|not a registered function|Unsupported model IR|opset|No Op registered|Could not find an implementation/i,
  ],
  [
    'corrupt',
    /protobuf|INVALID_GRAPH|INVALID_PROTOBUF|INVALID_MODEL|external data|Load model|failed to load model|Type Error|ShapeInferenceError/i,
  ],
];

function describeOpenError(error: unknown): SerializedEngineError {
  const message = errorMessage(error);
  const kind =
    error instanceof ProviderUnusable
      ? 'provider'
      : OPEN_ERRORS.find(([, pattern]) => pattern.test(message))?.[0];
  // Nothing says that the file is at fault: another provider may open it.
  return { kind: kind ?? 'provider', message };
}

/** Whether the runtime itself stopped (a trap or an abort). Its later results could not be trusted. */
function isRuntimeBroken(error: unknown): boolean {
  return (error instanceof Error && error.name === 'RuntimeError') || /Aborted\(/.test(errorMessage(error));
}
