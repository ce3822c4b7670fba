import { sleep } from '#core/base';
import type { Host } from '#core/host';
import type { Layer } from '../manifest/manifest.ts';
import { backoff } from '../transfer/backoff.ts';
import { ConnectionError, HttpStatusError, statusError } from '../transfer/http-file.ts';
import { readPieces } from '../transfer/pieces.ts';
import type { RemoteRegistry } from '../transfer/remote-registry.ts';

/** Held in memory at once. Stores behind registries want parts of at least 5 MiB. */
const partSize = 8 * 1024 * 1024;
const mostTries = 6;

export interface UploadJob {
  host: Pick<Host, 'blobs' | 'clock' | 'log'>;
  registry: RemoteRegistry;
  layer: Layer;
  signal: AbortSignal;
}

/** Gives the registry a blob unless it has it. Yields the bytes that are there. Throws as `RemoteRegistry` does, or `HttpStatusError`. */
export async function* uploadBlob(job: UploadJob): AsyncGenerator<number> {
  const { host, registry, layer, signal } = job;
  const { digest, size } = layer;
  const url = `${registry.base}/blobs/${digest}`;
  const known = await tried(job, () => registry.request('HEAD', url, {}, signal), [404]);
  if (known.status !== 404) {
    yield size;
    return;
  }
  yield 0;
  const begun = await tried(job, () =>
    registry.request('POST', `${registry.base}/blobs/uploads/`, {}, signal),
  );
  await begun.body?.cancel();
  const session = new Session(job, next(begun, registry.base));
  try {
    for await (const part of parts(host.blobs.read(digest), signal)) {
      await session.send(part);
      yield session.sent;
    }
    await session.finish();
  } catch (error) {
    session.abandon();
    throw error;
  }
}

/** One upload: parts go to where the answer to the part before said. */
class Session {
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
    const answer = await tried(
      this.job,
      () => registry.request('PATCH', this.location, { headers, body: part, redirect: 'manual' }, signal),
      [307, 416],
    );
    await answer.body?.cancel();
    if (answer.status === 416) await this.#resume(end);
    else if (answer.status === 307) await this.#sendTo(answer, part);
    else this.location = next(answer, this.location);
    this.sent = end;
  }

  /** The answer to a part was lost on the way: the registry may have it. */
  async #resume(end: number): Promise<void> {
    const { registry, signal } = this.job;
    const answer = await tried(this.job, () => registry.request('GET', this.location, {}, signal));
    await answer.body?.cancel();
    const last = Number(/-(\d+)$/.exec(answer.headers.get('range') ?? '')?.[1] ?? Number.NaN);
    if (last + 1 !== end) throw new ConnectionError(`${this.location} lost its place in the upload`);
    this.location = next(answer, this.location);
  }

  /** Some registries have the bytes put straight into their store. */
  async #sendTo(answer: Response, part: Uint8Array<ArrayBuffer>): Promise<void> {
    const { registry, signal } = this.job;
    const store = new URL(answer.headers.get('location') ?? '', this.location).href;
    const stored = await tried(this.job, () =>
      registry.requestElsewhere('PUT', store, { body: part }, signal),
    );
    await stored.body?.cancel();
    this.location = next(answer, this.location);
  }

  async finish(): Promise<void> {
    const { registry, layer, signal } = this.job;
    const url = new URL(this.location);
    url.searchParams.set('digest', layer.digest);
    const headers = { 'content-type': 'application/octet-stream' };
    const answer = await tried(this.job, () => registry.request('PUT', url.href, { headers }, signal));
    await answer.body?.cancel();
  }

  /** Tells the registry, without waiting, that nothing more comes. */
  abandon(): void {
    const { registry } = this.job;
    registry
      .request('DELETE', this.location, {}, AbortSignal.timeout(5_000))
      .then((answer) => answer.body?.cancel())
      .catch(() => {});
  }
}

/** Tries again what may pass by itself. `fine`: statuses that are answers, besides those of success. */
export async function tried(
  { host, signal }: Pick<UploadJob, 'host' | 'signal'>,
  request: () => Promise<Response>,
  fine: number[] = [],
): Promise<Response> {
  for (let failures = 1; ; failures++) {
    try {
      const answer = await request();
      if (answer.ok || fine.includes(answer.status)) return answer;
      throw await statusError(answer, answer.url);
    } catch (error) {
      signal.throwIfAborted();
      const passes =
        error instanceof HttpStatusError
          ? error.status >= 500 || error.status === 429
          : error instanceof ConnectionError && !/connection refused|no such host/.test(error.message);
      if (!passes || failures >= mostTries) throw error;
      const asked = error instanceof HttpStatusError ? Math.min(error.retryAfter ?? 0, 60_000) : 0;
      host.log.info('an upload broke off and is tried again', { reason: String(error) });
      await sleep(host.clock, Math.max(backoff(failures), asked), signal);
    }
  }
}

/** Where the next part goes; Ollama's own registry says it in a header of its own. */
function next(answer: Response, before: string): string {
  const said = answer.headers.get('docker-upload-location') ?? answer.headers.get('location');
  if (said === null || answer.status === 307) return answer.headers.get('docker-upload-location') ?? before;
  return new URL(said, before).href;
}

async function* parts(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let part = new Uint8Array(partSize);
  let filled = 0;
  for await (const piece of readPieces(stream, signal, () => {})) {
    for (let at = 0; at < piece.length; ) {
      const taken = Math.min(piece.length - at, partSize - filled);
      part.set(piece.subarray(at, at + taken), filled);
      filled += taken;
      at += taken;
      if (filled < partSize) continue;
      yield part;
      part = new Uint8Array(partSize);
      filled = 0;
    }
  }
  if (filled > 0) yield part.slice(0, filled);
}
