import type { FileEdit } from '#core/host';
import { applyEdit } from './apply-edit.ts';
import { checkTensor, fromOrtTensor, type Ort, type OrtSession, slotOf, toOrtTensor } from './onnxruntime.ts';
import type { OpenMessage, SessionCommand, SessionReport, TensorFailure } from './session-protocol.ts';
import { splitExternalData } from './split-external-data.ts';

export interface SessionPlatform<F> {
  /** Makes onnxruntime ready for the provider; `device` says what it runs on. Throws `DeviceUnusable`. */
  prepare(message: OpenMessage<F>): Promise<Prepared>;
  /** Bytes [start, end) of a file; without them, all. */
  read(file: F, start?: number, end?: number): Promise<Uint8Array>;
  /** A file that the runtime is to read by itself, piece by piece, as it needs it; where its build can. */
  stream?(file: F): Blob;
  /** For tests: the largest array that is asked for. */
  largestPiece?: number;
  /** Bytes that this worker or process has now, where it can tell. */
  memory?(): number;
  send(message: SessionReport): void;
}

export interface Prepared {
  ort: Ort;
  device: string;
  lost?: () => Promise<string>;
  /** It reads `Blob`s by itself. */
  streams?: boolean;
}

/** Data of a graph as it is handed over, of the file `file`: all of it, or a piece from `start` on. */
interface DataPart {
  file: string;
  path: string;
  start?: number;
  data: Uint8Array | Blob;
}

/** This provider cannot be used here. */
export class DeviceUnusable extends Error {
  override name = 'DeviceUnusable';
}

/** The end of one session that runs in the worker or process. */
export class ServedSession<F> {
  #ort: Ort | undefined;
  #session: OrtSession | undefined;
  #runs: Promise<void> = Promise.resolve();
  #edited: (edit: FileEdit | undefined) => void = () => {};

  constructor(private readonly platform: SessionPlatform<F>) {}

  hear(message: SessionCommand<F>): void {
    if (message.type === 'open') void this.#open(message);
    else if (message.type === 'edit') this.#edited(message.edit);
    else this.#runs = this.#runs.then(() => this.#run(message));
  }

  async #open(message: OpenMessage<F>): Promise<void> {
    const { platform } = this;
    try {
      platform.send({ type: 'progress', fraction: 0 });
      const before = platform.memory?.() ?? 0;
      const { ort, device, lost, streams = false } = await platform.prepare(message);
      this.#ort = ort;
      let graph = await platform.read(message.graph);
      const data = await this.#dataOf(message, graph, streams);
      while (message.isEdited) {
        const edit = await this.#nextEdit();
        if (!edit) break;
        if (edit.file === undefined) graph = applyEdit(graph, edit);
        else for (const part of data) if (part.file === edit.file) part.data = editedPart(part, edit);
      }
      const session = (await ort.InferenceSession.create(graph, {
        executionProviders: [message.provider],
        ...(data.length > 0 && { externalData: data.map(({ path, data }) => ({ path, data })) }),
        logSeverityLevel: 3,
      })) as OrtSession;
      this.#session = session;
      lost?.().then(
        (reason) => platform.send({ type: 'lost', message: reason }),
        () => {}, // where it cannot be told, a failed run tells
      );
      platform.send({ type: 'progress', fraction: 1 });
      platform.send({
        type: 'opened',
        opened: {
          inputs: session.inputMetadata.map(slotOf),
          outputs: session.outputMetadata.map(slotOf),
          device,
          memory: platform.memory && platform.memory() - before,
        },
      });
    } catch (error) {
      platform.send({ type: 'open-failed', failure: openFailure(error) });
    }
  }

  /** Large files in pieces, of which `graph` is told; those the runtime reads by itself, where it can. */
  async #dataOf(message: OpenMessage<F>, graph: Uint8Array, streams: boolean): Promise<DataPart[]> {
    const { platform } = this;
    const pieces = await splitExternalData(graph, message.data, platform.largestPiece);
    const parts: DataPart[] = [];
    for (const [index, { name, file }] of message.data.entries()) {
      const stream = streams && pieces.has(name) ? platform.stream?.(file) : undefined;
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

  #nextEdit(): Promise<FileEdit | undefined> {
    return new Promise((resolve) => {
      this.#edited = resolve;
      this.platform.send({ type: 'edit-wanted' });
    });
  }

  async #run({ id, feeds, wanted }: Extract<SessionCommand<F>, { type: 'run' }>): Promise<void> {
    try {
      if (!this.#ort || !this.#session) throw new Error('no graph is open here');
      const inputs = Object.entries(feeds).map(([name, tensor]) => {
        checkTensor(name, tensor);
        return [name, toOrtTensor(this.#ort!, tensor)] as const;
      });
      const names = wanted ?? [...this.#session.outputNames];
      const results = await this.#session.run(Object.fromEntries(inputs), names);
      const outputs: Extract<SessionReport, { type: 'result' }>['outputs'] = {};
      for (const name of names) {
        outputs[name] = await fromOrtTensor(results[name]!);
        results[name]!.dispose();
      }
      this.platform.send({ type: 'result', id, outputs });
    } catch (error) {
      if (isBroken(error)) this.platform.send({ type: 'lost', message: messageOf(error) });
      else
        this.platform.send({
          type: 'run-failed',
          id,
          failure: { kind: 'request', message: messageOf(error) },
        });
    }
  }
}

/** The part with an edit of the whole file made on it, where it concerns that. */
function editedPart({ data, start: from }: DataPart, { start, bytes }: FileEdit): Uint8Array | Blob {
  const at = start - (from ?? 0);
  const size = data instanceof Uint8Array ? data.length : data.size;
  // Weights are not cut: an edit lies in a piece, or in another one.
  if (from !== undefined && (at < 0 || at + bytes.length > size)) return data;
  if (data instanceof Uint8Array) return applyEdit(data, { start: at, bytes });
  return new Blob([data.slice(0, at), bytes as Uint8Array<ArrayBuffer>, data.slice(at + bytes.length)]);
}

function openFailure(error: unknown): TensorFailure {
  const message = messageOf(error);
  if (error instanceof DeviceUnusable) return { kind: 'device', message };
  if (/out of memory|allocation failed|bad_alloc|std::length_error|OutOfMemory/i.test(message))
    return { kind: 'memory', message };
  if (
    /NOT_IMPLEMENTED|not a registered function|Unsupported model IR|opset|No Op registered|Could not find an implementation/i.test(
      message,
    )
  )
    return { kind: 'unsupported', message };
  if (
    /protobuf|INVALID_GRAPH|INVALID_PROTOBUF|INVALID_MODEL|external data|Load model|failed to load model|Type Error|ShapeInferenceError/i.test(
      message,
    )
  )
    return { kind: 'corrupt', message };
  return { kind: 'device', message };
}

/** The runtime itself stopped (a trap or an abort): nothing that comes later could be believed. */
function isBroken(error: unknown): boolean {
  return (error instanceof Error && error.name === 'RuntimeError') || /Aborted\(/.test(messageOf(error));
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
