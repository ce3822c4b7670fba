/** A registry of models with manifests and blobs, with the protocol of Ollama's public one. Blobs are redirected. */
import { createHash, randomUUID } from 'node:crypto';
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

export interface RegistryModel {
  weights: Content;
  template?: string;
  system?: string;
  licence?: string;
  parameters?: Record<string, unknown>;
  messages?: { role: string; content: string }[];
}

/** How uploads fail. Each fault applies to `times` parts. */
export interface UploadFaults {
  /** Answers a part with this status instead of storing it. */
  status?: { code: number; times: number };
  /** Stores a part, and breaks the connection instead of answering. */
  lost?: { times: number };
  /** Stores no part while it is set. */
  stall?: boolean;
  /** Redirects parts to the object store, as the public registry does. */
  elsewhere?: boolean;
}

export interface RegistryServer {
  /** `127.0.0.1:PORT`, the prefix of `/library/name:tag`. */
  host: string;
  faults: Faults;
  uploadFaults: UploadFaults;
  /** The anonymous token of `/token`, which every request needs. Undefined: requests need none. */
  token: string | undefined;
  requests: ReceivedRequest[];
  /** Texts of manifests by `namespace/model:tag`. */
  manifests: Map<string, string>;
  blobs: Map<string, StoredFile>;
  /** Uploads that neither ended nor were cancelled. */
  uploads: Map<string, Uint8Array[]>;
  /** The SHA-256 of a model's manifest, in hexadecimal. */
  manifestDigest(name: string): string;
  close(): Promise<void>;
}

/** `models`: by `namespace/model:tag`. */
export async function startRegistry(models: Record<string, RegistryModel>): Promise<RegistryServer> {
  const blobs = new Map<string, StoredFile>();
  const manifests = new Map<string, string>();
  for (const [name, model] of Object.entries(models)) manifests.set(name, await manifestOf(model, blobs));
  const state = {
    faults: {} as Faults,
    uploadFaults: {} as UploadFaults,
    token: undefined as string | undefined,
    requests: [] as ReceivedRequest[],
    manifests,
    blobs,
    uploads: new Map<string, Uint8Array[]>(),
  };
  const log = (server: string, { method, url, headers }: IncomingMessage) =>
    state.requests.push({ server, method: method!, path: url!, headers });
  const store = await startServer(async (request, response) => {
    log('store', request);
    const part = /^\/parts\/(.+)$/.exec(request.url!)?.[1];
    if (part !== undefined) {
      state.uploads.get(part)!.push(await read(request));
      response.writeHead(200).end();
      return;
    }
    const file = blobs.get(request.url!.slice(1));
    if (file) await sendFile(request, response, file, file.size > 1000 ? state.faults : {});
    else response.writeHead(404).end();
  });
  const registry = await startServer(async (request, response) => {
    log('registry', request);
    const url = new URL(request.url!, `http://${request.headers.host}`);
    if (url.pathname === '/token') {
      response.end(JSON.stringify({ token: state.token }));
      return;
    }
    if (state.token !== undefined && request.headers.authorization !== `Bearer ${state.token}`) {
      const challenge = `Bearer realm="${url.origin}/token",service="models",scope="repository:x:pull,push"`;
      response.writeHead(401, { 'www-authenticate': challenge }).end('{"errors":[{"code":"UNAUTHORIZED"}]}');
      return;
    }
    const [, name, kind, reference] =
      /^\/v2\/([^/]+\/[^/]+)\/(manifests|blobs)\/(?!uploads\/)([^/]+)$/.exec(url.pathname) ?? [];
    const upload = /^\/v2\/[^/]+\/[^/]+\/blobs\/uploads\/([^/]*)$/.exec(url.pathname)?.[1];
    if (upload !== undefined) {
      await receive(state, store.url, upload, url, request, response);
    } else if (kind === 'manifests' && request.method === 'PUT') {
      manifests.set(`${name}:${reference}`, new TextDecoder().decode(await read(request)));
      response.writeHead(201).end();
    } else if (kind === 'manifests' && manifests.has(`${name}:${reference}`)) {
      response.writeHead(200, { 'content-type': 'application/vnd.docker.distribution.manifest.v2+json' });
      response.end(manifests.get(`${name}:${reference}`));
    } else if (kind === 'blobs' && blobs.has(reference!)) {
      response.writeHead(307, { location: `${store.url}/${reference}` }).end();
    } else {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end('{"errors":[{"code":"MANIFEST_UNKNOWN"}]}');
    }
  });
  return Object.assign(state, {
    host: new URL(registry.url).host,
    manifestDigest: (name: string) => createHash('sha256').update(manifests.get(name)!).digest('hex'),
    async close() {
      await registry.close();
      await store.close();
    },
  });
}

/** A request of an upload: POST starts it, PATCH sends parts, PUT with the digest ends it, DELETE cancels it. */
async function receive(
  { uploads, uploadFaults, blobs }: Pick<RegistryServer, 'uploads' | 'uploadFaults' | 'blobs'>,
  store: string,
  upload: string,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const size = (id: string) => uploads.get(id)!.reduce((sum, part) => sum + part.length, 0);
  const at = (id: string) => ({ location: `${url.pathname.replace(/[^/]*$/, '')}${id}?state=${size(id)}` });
  if (request.method === 'POST') {
    const id = randomUUID();
    uploads.set(id, []);
    response.writeHead(202, at(id)).end();
    return;
  }
  const parts = uploads.get(upload);
  if (!parts) {
    response.writeHead(404).end();
  } else if (request.method === 'GET') {
    response.writeHead(204, { ...at(upload), range: `0-${size(upload) - 1}` }).end();
  } else if (request.method === 'DELETE') {
    uploads.delete(upload);
    response.writeHead(204).end();
  } else if (request.method === 'PUT') {
    const file = await storeFile(Buffer.concat(parts));
    uploads.delete(upload);
    if (url.searchParams.get('digest') === `sha256:${file.sha256}`) {
      blobs.set(`sha256:${file.sha256}`, file);
      response.writeHead(201).end();
    } else response.writeHead(400).end('{"errors":[{"code":"DIGEST_INVALID"}]}');
  } else {
    if (uploadFaults.stall) return;
    if (taken(uploadFaults.status)) {
      request.resume();
      response.writeHead(uploadFaults.status!.code).end('a fault of the test');
      return;
    }
    if (uploadFaults.elsewhere) {
      request.resume();
      const next = new URL(at(upload).location, url).href;
      response.writeHead(307, { location: `${store}/parts/${upload}`, 'docker-upload-location': next }).end();
      return;
    }
    const part = await read(request);
    const [from] = (request.headers['content-range'] ?? '').split('-').map(Number);
    if (from !== size(upload)) {
      response.writeHead(416, { range: `0-${size(upload) - 1}` }).end();
      return;
    }
    parts.push(part);
    if (taken(uploadFaults.lost)) response.destroy();
    else response.writeHead(202, { ...at(upload), range: `0-${size(upload) - 1}` }).end();
  }
}

async function manifestOf(model: RegistryModel, blobs: Map<string, StoredFile>): Promise<string> {
  const layer = async (mediaType: string, content: Content) => {
    const file = await storeFile(content);
    blobs.set(`sha256:${file.sha256}`, file);
    return { mediaType, digest: `sha256:${file.sha256}`, size: file.size };
  };
  const text = (value: unknown) =>
    new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));
  const image = 'application/vnd.ollama.image.';
  const layers = [await layer(`${image}model`, model.weights)];
  for (const [kind, value] of [
    ['template', model.template],
    ['system', model.system],
    ['license', model.licence],
    ['params', model.parameters],
    ['messages', model.messages],
  ] as const) {
    if (value !== undefined) layers.push(await layer(`${image}${kind}`, text(value)));
  }
  const config = await layer(
    'application/vnd.docker.container.image.v1+json',
    text({ model_format: 'gguf', model_family: 'llama' }),
  );
  const mediaType = 'application/vnd.docker.distribution.manifest.v2+json';
  return JSON.stringify({ schemaVersion: 2, mediaType, config, layers });
}

async function read(request: IncomingMessage): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function taken(fault: { times: number } | undefined): boolean {
  if (!fault || fault.times <= 0) return false;
  fault.times--;
  return true;
}
