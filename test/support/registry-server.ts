/** A registry of models with manifests and blobs, as the public one of Ollama speaks; blobs come by a redirect. */
import { createHash } from 'node:crypto';
import {
  type Content,
  type Faults,
  type LoggedRequest,
  type StoredFile,
  sendFile,
  startServer,
  storeFile,
} from './blob-server.ts';

export interface RegistryModel {
  weights: Content;
  template?: string;
  system?: string;
  licence?: string;
  parameters?: Record<string, unknown>;
  messages?: { role: string; content: string }[];
}

export interface RegistryServer {
  /** `127.0.0.1:PORT`, to be put before `/library/name:tag`. */
  host: string;
  faults: Faults;
  requests: LoggedRequest[];
  /** sha256 of a model's manifest, hex. */
  manifestDigest(name: string): string;
  close(): Promise<void>;
}

/** `models`: by `namespace/model:tag`. */
export async function startRegistry(models: Record<string, RegistryModel>): Promise<RegistryServer> {
  const blobs = new Map<string, StoredFile>();
  const manifests = new Map<string, string>();
  const layer = async (mediaType: string, content: Content) => {
    const file = await storeFile(content);
    blobs.set(`sha256:${file.sha256}`, file);
    return { mediaType, digest: `sha256:${file.sha256}`, size: file.size };
  };
  const text = (value: unknown) =>
    new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));
  for (const [name, model] of Object.entries(models)) {
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
    manifests.set(name, JSON.stringify({ schemaVersion: 2, mediaType, config, layers }));
  }
  const faults: Faults = {};
  const requests: LoggedRequest[] = [];
  const store = await startServer(async (request, response) => {
    requests.push({ server: 'store', method: request.method!, path: request.url!, headers: request.headers });
    const file = blobs.get(request.url!.slice(1));
    if (file) await sendFile(request, response, file, file.size > 1000 ? faults : {});
    else response.writeHead(404).end();
  });
  const registry = await startServer((request, response) => {
    requests.push({
      server: 'registry',
      method: request.method!,
      path: request.url!,
      headers: request.headers,
    });
    const [, name, kind, reference] =
      /^\/v2\/([^/]+\/[^/]+)\/(manifests|blobs)\/([^/]+)$/.exec(request.url!) ?? [];
    const manifest = manifests.get(`${name}:${reference}`);
    if (kind === 'manifests' && manifest) {
      response.writeHead(200, { 'content-type': 'application/vnd.docker.distribution.manifest.v2+json' });
      response.end(manifest);
    } else if (kind === 'blobs' && blobs.has(reference!)) {
      response.writeHead(307, { location: `${store.url}/${reference}` }).end();
    } else {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end('{"errors":[{"code":"MANIFEST_UNKNOWN"}]}');
    }
  });
  return {
    host: new URL(registry.url).host,
    faults,
    requests,
    manifestDigest: (name) => createHash('sha256').update(manifests.get(name)!).digest('hex'),
    async close() {
      await registry.close();
      await store.close();
    },
  };
}
