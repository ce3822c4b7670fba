/**
 * A model hub on this machine in the layout of Hugging Face. Large files are redirected to another port, which is
 * another origin.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type Content,
  type Faults,
  type ReceivedRequest,
  type StoredFile,
  sendFile,
  startServer,
  storeFile,
} from '../network/blob-server.ts';

export interface HubRepository {
  files: Record<string, Content>;
  /** Front matter of the model card. */
  card?: Record<string, unknown>;
  /** Requires the token `hubToken`. */
  gated?: boolean;
}

export interface Hub {
  /** The value for HF_ENDPOINT. */
  endpoint: string;
  /** Origin of the large files. */
  cdn: string;
  /** The failures of large files. A test may change them. */
  faults: Faults;
  requests: ReceivedRequest[];
  /** Replaces the bytes of a path, as a new upload does. */
  replace(repository: string, path: string, content: Content): Promise<void>;
  close(): Promise<void>;
}

export const hubToken = 'hf_test_token';

export async function startHub(repositories: Record<string, HubRepository>): Promise<Hub> {
  const files = new Map<string, Map<string, StoredFile>>();
  for (const [name, repository] of Object.entries(repositories)) {
    const stored = new Map<string, StoredFile>();
    for (const [path, content] of Object.entries(repository.files))
      stored.set(path, await storeFile(content));
    files.set(name, stored);
  }
  const faults: Faults = {};
  const requests: ReceivedRequest[] = [];
  const log = (server: string, { method, url, headers }: IncomingMessage) =>
    requests.push({ server, method: method!, path: url!, headers });

  const cdn = await startServer(async (request, response) => {
    log('cdn', request);
    const [, repository, path] = /^\/blobs\/([^/]+\/[^/]+)\/(.+)$/.exec(decodeURI(request.url!)) ?? [];
    const file = files.get(repository ?? '')?.get(path ?? '');
    if (file) await sendFile(request, response, file, faults);
    else response.writeHead(404).end();
  });

  const hub = await startServer(async (request, response) => {
    log('hub', request);
    const { pathname } = new URL(request.url!, 'http://hub');
    const [, api, repository, rest] =
      /^\/(api\/models\/)?([^/]+\/[^/]+)(\/.*)?$/.exec(decodeURIComponent(pathname)) ?? [];
    const published = repositories[repository ?? ''];
    const stored = files.get(repository ?? '');
    if (!published || !stored) {
      // The public hub hides whether a repository exists.
      json(response, 401, { error: 'Invalid username or password.' });
    } else if (published.gated && request.headers.authorization !== `Bearer ${hubToken}`) {
      json(response, 401, { error: `Access to model ${repository} is restricted.` });
    } else if (api) {
      json(response, 200, {
        id: repository,
        gated: published.gated ? 'manual' : false,
        cardData: published.card ?? {},
        siblings: [...stored].map(([rfilename, { size, sha256 }]) => ({
          rfilename,
          size,
          ...(isLarge(rfilename) ? { lfs: { sha256, size, pointerSize: 135 } } : {}),
        })),
      });
    } else {
      const path = /^\/resolve\/[^/]+\/(.+)$/.exec(rest ?? '')?.[1] ?? '';
      const file = stored.get(path);
      if (!file) {
        json(response, 404, { error: 'Entry not found' });
      } else if (isLarge(path)) {
        response.setHeader('x-linked-size', file.size);
        response.setHeader('x-linked-etag', `"${file.sha256}"`);
        response.writeHead(302, { location: `${cdn.url}/blobs/${repository}/${encodeURI(path)}` }).end();
      } else {
        await sendFile(request, response, file, {});
      }
    }
  });

  return {
    endpoint: hub.url,
    cdn: cdn.url,
    faults,
    requests,
    async replace(repository, path, content) {
      files.get(repository)!.set(path, await storeFile(content));
    },
    async close() {
      await hub.close();
      await cdn.close();
    },
  };
}

const isLarge = (path: string) => /\.(gguf|onnx|safetensors|bin)$/.test(path);

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
