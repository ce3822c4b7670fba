import { concatBytes, Mutex } from '#core/base';
import type { Blobs, Digest, PartialBlob, RecordCollection, Records } from '#core/host';
import { decodeLooseBase64, encodeBase64 } from '#core/http';
import type { Binary, Item } from '#core/workflow-format';
import type { BinaryData, FileOptions } from '../node-api/node-context.ts';
import { NodeError } from '../node-api/node-error.ts';
import { describeFile } from './describe-file.ts';

/** Bytes. Larger files are stored as blobs. */
const LARGEST_INLINE = 64 * 1024;
const PREFIX = 'blob:';
/** The first bytes of every blob. A file is never the same blob as a model's file, so that each can be deleted. */
const MARK = new TextEncoder().encode('tabd run file\n');

/** The record that an execution uses a blob. */
interface BlobUse {
  executionId: string;
  digest: Digest;
}

/** A caller reads an execution's files. */
interface Hold {
  count: number;
  /** The files are to be deleted when the last caller releases them. */
  isForgotten: boolean;
}

/**
 * The files of executions. Small ones are base64 in the item. Large ones are blobs, which exist as long as one
 * execution that uses them.
 */
export class ExecutionFiles {
  readonly #uses: RecordCollection<BlobUse>;
  readonly #holds = new Map<string, Hold>();
  /** Executions whose files arrived since this server began: `sweep` spares them. */
  readonly #recent = new Set<string>();
  /** Held while a use is added or removed: a blob must not be deleted while it gets a new use. */
  readonly #changes = new Mutex();

  constructor(
    private readonly blobs: Blobs,
    records: Records,
  ) {
    this.#uses = records.collection('executionFiles');
  }

  of(executionId: string): BinaryData {
    return {
      prepare: (bytes, options = {}) => this.#receive(executionId, [bytes], options),
      receive: (chunks, options = {}) => this.#receive(executionId, chunks, options),
      bytes: (binary) => this.#bytes(binary),
      stream: (binary) => this.#stream(binary),
      require: requireFile,
    };
  }

  /**
   * Keeps an execution's files even if it is deleted.
   * @returns a function that releases them; further calls of it do nothing
   */
  hold(executionId: string): () => void {
    const hold = this.#holds.get(executionId) ?? { count: 0, isForgotten: false };
    this.#holds.set(executionId, hold);
    hold.count++;
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      if (--hold.count > 0) return;
      this.#holds.delete(executionId);
      if (hold.isForgotten) void this.forget(executionId).catch(() => undefined);
    };
  }

  /** Deletes an execution's files, as soon as nobody holds them. Blobs that another execution uses stay. */
  forget(executionId: string): Promise<void> {
    return this.#changes.run(async () => {
      const hold = this.#holds.get(executionId);
      if (hold) {
        hold.isForgotten = true;
        return;
      }
      this.#recent.delete(executionId);
      const uses = await this.#uses.list({ index: 'executionId', equals: executionId });
      for (const { key, doc } of uses) {
        await this.#uses.delete(key);
        const [other] = await this.#uses.list({ index: 'digest', equals: doc.digest, limit: 1 });
        if (!other) await this.blobs.delete(doc.digest);
      }
    });
  }

  /** Deletes files of executions that never started: a former server ended while their call arrived. */
  async sweep(exists: (executionId: string) => Promise<boolean>): Promise<void> {
    const users = new Set((await this.#uses.list()).map(({ doc }) => doc.executionId));
    for (const executionId of users) {
      if (!this.#recent.has(executionId) && !(await exists(executionId))) await this.forget(executionId);
    }
  }

  async #receive(
    executionId: string,
    chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    options: FileOptions,
  ): Promise<Binary> {
    const buffered: Uint8Array[] = [];
    let size = 0;
    let partial: PartialBlob | undefined;
    const key = `execution-${executionId}-${crypto.randomUUID()}`;
    try {
      for await (const chunk of chunks) {
        size += chunk.length;
        if (!partial && size > LARGEST_INLINE) {
          partial = await this.blobs.openPartial(key);
          await partial.append(MARK);
          for (const earlier of buffered.splice(0)) await partial.append(earlier);
        }
        if (partial) await partial.append(chunk);
        else buffered.push(chunk);
      }
    } catch (error) {
      await partial?.close();
      if (partial) await this.blobs.deletePartial(key);
      throw error;
    }
    const description = describeFile(size, options);
    if (!partial)
      return {
        ...description,
        data: encodeBase64(buffered.length === 1 ? buffered[0]! : concatBytes(buffered)),
      };
    const digest = await this.#commit(partial, executionId);
    return { ...description, data: 'filesystem-v2', id: `${PREFIX}${digest}` };
  }

  #commit(partial: PartialBlob, executionId: string): Promise<Digest> {
    return this.#changes.run(async () => {
      this.#recent.add(executionId);
      const { digest } = await partial.commit();
      await this.#uses.put(`${executionId} ${digest}`, { executionId, digest });
      return digest;
    });
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
