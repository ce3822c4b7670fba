import type { FileEdit } from '../host/tensor-engine.ts';
import { edited } from './edited.ts';
import type { FromTensors, OpenMessage, TensorFailure, ToTensors } from './protocol.ts';
import { checkTensor, fromOrt, type Ort, type OrtSession, slotOf, toOrt } from './runtime.ts';

export interface SessionPlatform<F> {
  /** Makes onnxruntime ready for the provider; `device` says what it runs on. Throws `DeviceUnusable`. */
  prepare(message: OpenMessage<F>): Promise<{ ort: Ort; device: string; lost?: () => Promise<string> }>;
  read(file: F): Promise<Uint8Array>;
  /** Bytes that this worker or process has now, where it can tell. */
  memory?(): number;
  send(message: FromTensors): void;
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

  hear(message: ToTensors<F>): void {
    if (message.type === 'open') void this.#open(message);
    else if (message.type === 'edit') this.#edited(message.edit);
    else this.#runs = this.#runs.then(() => this.#run(message));
  }

  async #open(message: OpenMessage<F>): Promise<void> {
    const { platform } = this;
    try {
      platform.send({ type: 'progress', fraction: 0 });
      const before = platform.memory?.() ?? 0;
      const { ort, device, lost } = await platform.prepare(message);
      this.#ort = ort;
      let graph = await platform.read(message.graph);
      const data: { path: string; data: Uint8Array }[] = [];
      for (const { name, file } of message.data) {
        data.push({ path: name, data: await platform.read(file) });
        platform.send({ type: 'progress', fraction: (0.8 * data.length) / message.data.length });
      }
      while (message.isEdited) {
        const edit = await this.#nextEdit();
        if (!edit) break;
        const part = data.find(({ path }) => path === edit.file);
        if (part) part.data = edited(part.data, edit);
        else if (edit.file === undefined) graph = edited(graph, edit);
      }
      const session = (await ort.InferenceSession.create(graph, {
        executionProviders: [message.provider],
        ...(data.length > 0 ? { externalData: data } : {}),
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

  #nextEdit(): Promise<FileEdit | undefined> {
    return new Promise((resolve) => {
      this.#edited = resolve;
      this.platform.send({ type: 'edit-wanted' });
    });
  }

  async #run({ id, feeds, wanted }: Extract<ToTensors<F>, { type: 'run' }>): Promise<void> {
    try {
      if (!this.#ort || !this.#session) throw new Error('no graph is open here');
      const inputs = Object.entries(feeds).map(([name, tensor]) => {
        checkTensor(name, tensor);
        return [name, toOrt(this.#ort!, tensor)] as const;
      });
      const names = wanted ?? [...this.#session.outputNames];
      const results = await this.#session.run(Object.fromEntries(inputs), names);
      const outputs: Extract<FromTensors, { type: 'result' }>['outputs'] = {};
      for (const name of names) {
        outputs[name] = await fromOrt(results[name]!);
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
