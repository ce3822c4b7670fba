/** Files of runs: small ones lie in the item, large ones in the blob store for as long as the run is kept. */
import type { Blobs, Digest, PartialBlob, RecordCollection, Records } from '#core/host';
import { decodeLooseBase64, encodeBase64 } from '#core/http';
import type { Binary, Item } from '#core/workflow-format';
import type { BinaryData, FileOptions } from '../node-api/node-context.ts';
import { NodeError } from '../node-api/node-error.ts';
import { describeFile } from './describe-file.ts';

/** Bytes; larger files go to the blob store. */
const LARGEST_INLINE = 64 * 1024;
const PREFIX = 'blob:';
/**
 * Begins every file in the store, so that none of them is the same blob as a model's file: whoever lets go of one
 * deletes it.
 */
const MARK = new TextEncoder().encode('tabd run file\n');

interface Use {
  executionId: string;
  digest: Digest;
}

export class ExecutionFiles {
  readonly #uses: RecordCollection<Use>;
  readonly #held = new Map<string, { count: number; forgotten: boolean }>();
  /** Runs whose files came in since this server began. */
  readonly #fresh = new Set<string>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly blobs: Blobs,
    records: Records,
  ) {
    this.#uses = records.collection('executionFiles');
  }

  of(executionId: string): BinaryData {
    return {
      prepare: (bytes, options = {}) => this.#receive(executionId, once(bytes), options),
      receive: (pieces, options = {}) => this.#receive(executionId, pieces, options),
      bytes: (binary) => this.#bytes(binary),
      stream: (binary) => this.#stream(binary),
      require: requireFile,
    };
  }

  /** Keeps a run's files, also when it is forgotten, until the returned function is called. */
  hold(executionId: string): () => void {
    const held = this.#held.get(executionId) ?? { count: 0, forgotten: false };
    this.#held.set(executionId, { ...held, count: held.count + 1 });
    let released = false;
    return () => {
      const now = this.#held.get(executionId);
      if (released || !now) return;
      released = true;
      if (now.count > 1) {
        this.#held.set(executionId, { ...now, count: now.count - 1 });
        return;
      }
      this.#held.delete(executionId);
      if (now.forgotten) void this.forget(executionId).catch(() => undefined);
    };
  }

  /** Lets go of a run's files, as soon as nobody holds them; a blob goes with the last run that uses it. */
  forget(executionId: string): Promise<void> {
    return this.#inTurn(async () => {
      const held = this.#held.get(executionId);
      if (held) {
        this.#held.set(executionId, { ...held, forgotten: true });
        return;
      }
      this.#fresh.delete(executionId);
      const uses = await this.#uses.list({ index: 'executionId', equals: executionId });
      for (const { key, doc } of uses) {
        await this.#uses.delete(key);
        const [other] = await this.#uses.list({ index: 'digest', equals: doc.digest, limit: 1 });
        if (!other) await this.blobs.delete(doc.digest);
      }
    });
  }

  /** Lets go of files of runs that never came to be: a former server ended while their call came in. */
  async sweep(isRun: (executionId: string) => Promise<boolean>): Promise<void> {
    const users = new Set((await this.#uses.list()).map(({ doc }) => doc.executionId));
    for (const executionId of users) {
      if (!this.#fresh.has(executionId) && !(await isRun(executionId))) await this.forget(executionId);
    }
  }

  async #receive(
    executionId: string,
    pieces: AsyncIterable<Uint8Array>,
    options: FileOptions,
  ): Promise<Binary> {
    const held: Uint8Array[] = [];
    let size = 0;
    let partial: PartialBlob | undefined;
    const key = `execution-${executionId}-${crypto.randomUUID()}`;
    try {
      for await (const piece of pieces) {
        size += piece.length;
        if (!partial && size > LARGEST_INLINE) {
          partial = await this.blobs.openPartial(key);
          await partial.append(MARK);
          for (const earlier of held.splice(0)) await partial.append(earlier);
        }
        if (partial) await partial.append(piece);
        else held.push(piece);
      }
    } catch (error) {
      await partial?.close();
      if (partial) await this.blobs.deletePartial(key);
      throw error;
    }
    const described = describeFile(size, options);
    if (!partial) return { ...described, data: encodeBase64(joined(held, size)) };
    const digest = await this.#keep(partial, executionId);
    return { ...described, data: 'filesystem-v2', id: `${PREFIX}${digest}` };
  }

  /** Beside `forget`, which must not take a blob for unused that is about to be used. */
  #keep(partial: PartialBlob, executionId: string): Promise<Digest> {
    return this.#inTurn(async () => {
      this.#fresh.add(executionId);
      const { digest } = await partial.commit();
      await this.#uses.put(`${executionId} ${digest}`, { executionId, digest });
      return digest;
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #bytes(binary: Binary): Promise<Uint8Array<ArrayBuffer>> {
    if (binary.id === undefined) return decodeLooseBase64(binary.data);
    return new Uint8Array(await new Response(this.#stream(binary)).arrayBuffer());
  }

  #stream(binary: Binary): ReadableStream<Uint8Array<ArrayBuffer>> {
    if (binary.id === undefined) {
      const bytes = decodeLooseBase64(binary.data);
      return new ReadableStream({
        start(controller) {
          controller.enqueue(bytes);
          controller.close();
        },
      });
    }
    if (!binary.id.startsWith(PREFIX)) throw new NodeError(`The file ${binary.id} is not stored here`);
    return this.blobs.read(binary.id.slice(PREFIX.length) as Digest, MARK.length);
  }
}

function requireFile(item: Item | undefined, property: string, itemIndex: number): Binary {
  const binary = item?.binary?.[property];
  if (binary) return binary;
  throw new NodeError(
    `This operation expects the node's input data to contain a binary file '${property}', but none was found [item ${itemIndex}]`,
    { description: 'Make sure that a node before this one gives a file.', itemIndex },
  );
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function joined(parts: Uint8Array[], size: number): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
