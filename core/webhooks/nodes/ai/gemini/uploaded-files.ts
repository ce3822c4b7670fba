/** Files for a question: Google reads them from its own storage. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import { commaList } from '../../shared/comma-list.ts';
import { type ModelServer, readJson, requestModel } from '../wire/model-request.ts';

/** Milliseconds between two looks at a file that Google still reads. */
const POLL_INTERVAL = 1000;

interface SourceFile {
  bytes: Uint8Array;
  mimeType: string;
}

/** A file as a part of a question refers to it. */
export interface UploadedFile extends JsonObject {
  fileUri: unknown;
  mimeType: unknown;
}

/**
 * The files that an item names, by addresses or as its own.
 * @param addresses the parameter with the addresses
 * @param fallback the type of a download that states none
 */
export async function uploadSources(
  context: NodeContext,
  server: ModelServer,
  index: number,
  { addresses, fallback }: { addresses: string; fallback: string },
): Promise<UploadedFile[]> {
  const uploaded: UploadedFile[] = [];
  if ((await context.parameter('inputType', index, 'url')) === 'url') {
    // The key is for Google alone.
    const others = { ...server, headers: {} };
    for (const address of commaList(await context.parameter(addresses, index, ''))) {
      const file = await download(context, others, { address, fallback });
      uploaded.push(await upload(context, server, file));
    }
    return uploaded;
  }
  const properties = commaList(await context.parameter('binaryPropertyName', index, 'data'));
  return uploadOwnFiles(context, server, index, properties);
}

export async function uploadOwnFiles(
  context: NodeContext,
  server: ModelServer,
  index: number,
  properties: string[],
): Promise<UploadedFile[]> {
  const uploaded: UploadedFile[] = [];
  for (const property of properties) {
    const file = context.binary.require(context.items()[index], property, index);
    const bytes = await context.binary.bytes(file);
    uploaded.push(await upload(context, server, { bytes, mimeType: file.mimeType }));
  }
  return uploaded;
}

/**
 * The file at an address.
 * @param server sends its headers along
 * @throws ModelError when the address does not answer with success
 */
export function download(
  context: NodeContext,
  server: ModelServer,
  { address, fallback }: { address: string; fallback: string },
): Promise<SourceFile> {
  const request = { path: address, method: 'GET' } as const;
  return requestModel(context, { ...server, baseUrl: '' }, request, async (response) => ({
    bytes: new Uint8Array(await response.arrayBuffer()),
    mimeType: response.headers.get('content-type')?.split(';')[0] || fallback,
  }));
}

/** Sends a file by Google's resumable uploads, and waits until it can be used. */
async function upload(
  context: NodeContext,
  server: ModelServer,
  { bytes, mimeType }: SourceFile,
): Promise<UploadedFile> {
  const start = withHeaders(server, {
    'content-type': 'application/json',
    'x-goog-upload-protocol': 'resumable',
    'x-goog-upload-command': 'start',
    'x-goog-upload-header-content-length': String(bytes.length),
    'x-goog-upload-header-content-type': mimeType,
  });
  const address = await requestModel(context, start, { path: '/upload/v1beta/files' }, async (response) =>
    response.headers.get('x-goog-upload-url'),
  );
  if (!address) throw new NodeError('Failed to get upload URL');
  const send = withHeaders(
    { ...server, baseUrl: '', headers: {} },
    { 'x-goog-upload-offset': '0', 'x-goog-upload-command': 'upload, finalize' },
  );
  const sent = await requestModel(context, send, { path: address, body: bytes }, readJson);
  let file: JsonObject = isObject(sent.file) ? sent.file : {};
  while (file.state !== 'ACTIVE' && file.state !== 'FAILED') {
    await context.sleep(POLL_INTERVAL);
    const path = `/v1beta/${String(file.name)}`;
    file = await requestModel(context, server, { path, method: 'GET' }, readJson);
  }
  if (file.state === 'FAILED') {
    const message = isObject(file.error) ? String(file.error.message ?? '') : '';
    throw new NodeError(message || 'Unknown error', { description: 'Error uploading file' });
  }
  return { fileUri: file.uri, mimeType: file.mimeType };
}

function withHeaders(server: ModelServer, headers: Record<string, string>): ModelServer {
  return { ...server, headers: { ...server.headers, ...headers } };
}
