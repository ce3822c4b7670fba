/** Files of runs: small ones lie in the item, large ones in the blob store for as long as the run is kept. */
import type { Blobs, Digest } from '../../host/blobs.ts';
import type { Collection, Records } from '../../host/records.ts';
import { fromBase64, toBase64 } from '../sandbox/thread/host-functions.ts';
import type { BinaryData } from '../workflow/node-context.ts';
import { NodeError } from '../workflow/node-error.ts';
import type { Binary, Item } from '../workflow/types.ts';
import { describeFile } from './describe.ts';

/** Bytes; larger files go to the blob store. */
const LARGEST_INLINE = 64 * 1024;
const PREFIX = 'blob:';

interface Use {
  executionId: string;
  digest: Digest;
}

export class ExecutionFiles {
  readonly #uses: Collection<Use>;

  constructor(
    private readonly blobs: Blobs,
    records: Records,
  ) {
    this.#uses = records.collection('executionFiles');
  }

  of(executionId: string): BinaryData {
    return {
      prepare: (bytes, options = {}) => this.#prepare(executionId, bytes, options),
      bytes: (binary) => this.#bytes(binary),
      stream: (binary) => this.#stream(binary),
      require: requireFile,
    };
  }

  /** Lets go of a run's files; a blob goes with the last run that uses it. */
  async forget(executionId: string): Promise<void> {
    for (const { key, doc } of await this.#uses.list({ index: 'executionId', equals: executionId })) {
      await this.#uses.delete(key);
      const others = await this.#uses.list();
      if (!others.some((one) => one.doc.digest === doc.digest)) await this.blobs.delete(doc.digest);
    }
  }

  async #prepare(
    executionId: string,
    bytes: Uint8Array,
    options: { fileName?: string; mimeType?: string },
  ): Promise<Binary> {
    const described = describeFile(bytes.length, options);
    if (bytes.length <= LARGEST_INLINE) return { ...described, data: toBase64(bytes) };
    const partial = await this.blobs.openPartial(`execution-${executionId}-${crypto.randomUUID()}`);
    await partial.append(bytes);
    const { digest } = await partial.commit();
    await this.#uses.put(`${executionId} ${digest}`, { executionId, digest });
    return { ...described, data: 'filesystem-v2', id: `${PREFIX}${digest}` };
  }

  async #bytes(binary: Binary): Promise<Uint8Array<ArrayBuffer>> {
    if (binary.id === undefined) return fromBase64(binary.data);
    return new Uint8Array(await new Response(this.#stream(binary)).arrayBuffer());
  }

  #stream(binary: Binary): ReadableStream<Uint8Array<ArrayBuffer>> {
    if (binary.id === undefined) {
      const bytes = fromBase64(binary.data);
      return new ReadableStream({
        start(controller) {
          controller.enqueue(bytes);
          controller.close();
        },
      });
    }
    if (!binary.id.startsWith(PREFIX)) throw new NodeError(`The file ${binary.id} is not stored here`);
    return this.blobs.read(binary.id.slice(PREFIX.length) as Digest);
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
