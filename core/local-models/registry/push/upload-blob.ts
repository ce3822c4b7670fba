import type { Host } from '#core/host';
import type { Layer } from '../manifest/manifest.ts';
import { ConnectionError } from '../transfer/http-file.ts';
import { readPieces } from '../transfer/read-pieces.ts';
import type { RemoteRegistry } from '../transfer/remote-registry.ts';
import { withRetries } from './with-retries.ts';

/** In bytes; held in memory. Object stores behind registries require parts of at least 5 MiB. */
const PART_SIZE = 8 * 1024 * 1024;

export interface UploadJob {
  host: Pick<Host, 'blobs' | 'clock' | 'log'>;
  registry: RemoteRegistry;
  layer: Layer;
  signal: AbortSignal;
}

/**
 * Uploads a blob unless the registry has it. Yields the number of bytes that the registry has.
 * @throws HttpStatusError, ConnectionError, BlobMissing, or the reason of the signal
 */
export async function* uploadBlob(job: UploadJob): AsyncGenerator<number> {
  const { host, registry, layer, signal } = job;
  const { digest, size } = layer;
  const url = `${registry.base}/blobs/${digest}`;
  const existing = await withRetries(job, () => registry.request('HEAD', url, {}, signal), [404]);
  if (existing.status !== 404) {
    yield size;
    return;
  }
  yield 0;
  const created = await withRetries(job, () =>
    registry.request('POST', `${registry.base}/blobs/uploads/`, {}, signal),
  );
  await created.body?.cancel();
  const session = new UploadSession(job, nextLocation(created, registry.base));
  try {
    for await (const part of splitIntoParts(host.blobs.read(digest), signal)) {
      await session.send(part);
      yield session.sent;
    }
    await session.finish();
  } catch (error) {
    session.abandon();
    throw error;
  }
}

/** An upload in parts. The response to each part names the address for the next one. */
class UploadSession {
  /** The number of bytes that the registry has. */
  sent = 0;

  constructor(
    private readonly job: UploadJob,
    private location: string,
  ) {}

  async send(part: Uint8Array<ArrayBuffer>): Promise<void> {
    const { registry, signal } = this.job;
    const end = this.sent + part.length;
    const headers = {
      'content-type': 'application/octet-stream',
      'content-range': `${this.sent}-${end - 1}`,
    };
    const response = await withRetries(
      this.job,
      () => registry.request('PATCH', this.location, { headers, body: part, redirect: 'manual' }, signal),
      [307, 416],
    );
    await response.body?.cancel();
    if (response.status === 416) await this.#resume(end);
    else if (response.status === 307) await this.#sendToStore(response, part);
    else this.location = nextLocation(response, this.location);
    this.sent = end;
  }

  /** Continues after a part whose response was lost: a retry is refused because the registry has the part. */
  async #resume(end: number): Promise<void> {
    const { registry, signal } = this.job;
    const response = await withRetries(this.job, () => registry.request('GET', this.location, {}, signal));
    await response.body?.cancel();
    const last = Number(/-(\d+)$/.exec(response.headers.get('range') ?? '')?.[1] ?? Number.NaN);
    if (last + 1 !== end) throw new ConnectionError(`${this.location} lost its place in the upload`);
    this.location = nextLocation(response, this.location);
  }

  /** Some registries redirect parts to their object store. */
  async #sendToStore(redirect: Response, part: Uint8Array<ArrayBuffer>): Promise<void> {
    const { registry, signal } = this.job;
    const store = new URL(redirect.headers.get('location') ?? '', this.location).href;
    const response = await withRetries(this.job, () =>
      registry.requestElsewhere('PUT', store, { body: part }, signal),
    );
    await response.body?.cancel();
    this.location = nextLocation(redirect, this.location);
  }

  async finish(): Promise<void> {
    const { registry, layer, signal } = this.job;
    const url = new URL(this.location);
    url.searchParams.set('digest', layer.digest);
    const headers = { 'content-type': 'application/octet-stream' };
    const response = await withRetries(this.job, () =>
      registry.request('PUT', url.href, { headers }, signal),
    );
    await response.body?.cancel();
  }

  /** Asks the registry to drop the upload, without waiting for its response. */
  abandon(): void {
    const { registry } = this.job;
    registry
      .request('DELETE', this.location, {}, AbortSignal.timeout(5_000))
      .then((response) => response.body?.cancel())
      .catch(() => {});
  }
}

/** The address of the next part. Ollama's registry names it in a header of its own. */
function nextLocation(response: Response, current: string): string {
  const dockerLocation = response.headers.get('docker-upload-location');
  const location = dockerLocation ?? response.headers.get('location');
  // The location of a redirect is the address of the store.
  if (location === null || response.status === 307) return dockerLocation ?? current;
  return new URL(location, current).href;
}

async function* splitIntoParts(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let part = new Uint8Array(PART_SIZE);
  let filled = 0;
  for await (const piece of readPieces(stream, signal, () => {})) {
    for (let at = 0; at < piece.length; ) {
      const taken = Math.min(piece.length - at, PART_SIZE - filled);
      part.set(piece.subarray(at, at + taken), filled);
      filled += taken;
      at += taken;
      if (filled < PART_SIZE) continue;
      yield part;
      part = new Uint8Array(PART_SIZE);
      filled = 0;
    }
  }
  if (filled > 0) yield part.slice(0, filled);
}
