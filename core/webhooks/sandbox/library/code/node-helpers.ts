/** `this.helpers` of Code nodes. */
import { Bytes } from '../../packed-message.ts';
import { callServer } from './bridge.ts';
import { Buffer, bytesOf } from './buffer.ts';

interface Item {
  json: Record<string, unknown>;
  binary?: Record<string, unknown>;
}

/** @param items the items that the code works on: all, or the current one */
export function helpersFor(items: () => Item[]) {
  const fileOf = (index: number, property: string) => {
    const file = items()[index]?.binary?.[property];
    if (file) return file;
    throw new Error(`The item has no binary field '${property}' [item ${index}]`);
  };
  const httpRequest = async (request: unknown) => {
    return toResult((await callServer('httpRequest', toMessage(request))) as HttpResponse);
  };
  return {
    httpRequest,
    request: httpRequest,
    assertBinaryData: (index: number, property: string) => fileOf(index, property),
    getBinaryDataBuffer: async (index: number, property: string) =>
      Buffer.from((await callServer('binaryBytes', fileOf(index, property))) as ArrayBuffer),
    prepareBinaryData: (data: unknown, fileName?: string, mimeType?: string) =>
      callServer('prepareBinary', new Bytes(bytesOf(data)), fileName, mimeType),
    setBinaryDataBuffer: async (file: Record<string, unknown>, data: unknown) => ({
      ...file,
      ...((await callServer(
        'prepareBinary',
        new Bytes(bytesOf(data)),
        file.fileName,
        file.mimeType,
      )) as object),
    }),
    binaryToBuffer: async (data: unknown) => Buffer.from(bytesOf(data)),
    binaryToString: async (data: unknown, encoding = 'utf8') =>
      Buffer.from(bytesOf(data)).toString(encoding as 'utf8'),
    returnJsonArray: (data: unknown) => (Array.isArray(data) ? data : [data]).map((json) => ({ json })),
    normalizeItems: (data: unknown) =>
      (Array.isArray(data) ? data : [data]).map((item) => ('json' in Object(item) ? item : { json: item })),
    constructExecutionMetaData: (data: object[], { itemData }: { itemData: unknown }) =>
      data.map((item) => ({ ...item, pairedItem: itemData })),
    copyInputItems: (source: Item[], properties: string[]) =>
      source.map(({ json }) => Object.fromEntries(properties.map((name) => [name, json[name] ?? null]))),
  };
}

/** The response of a request, as the server packs it. */
interface HttpResponse {
  bytes?: ArrayBuffer;
  value?: unknown;
  response?: Record<string, unknown>;
}

/** The request as it is sent to the server: bytes and forms get fields of their own, which can be packed. */
function toMessage(request: unknown): unknown {
  if (typeof request === 'string') return { url: request };
  const { body, ...rest } = request as { body?: unknown };
  if (body === undefined) return rest;
  if (body instanceof Uint8Array || body instanceof ArrayBuffer)
    return { ...rest, bytes: new Bytes(bytesOf(body)) };
  if (typeof body === 'object' && body !== null && Symbol.iterator in body && 'append' in body) {
    const fields = [...(body as Iterable<[string, unknown, string?]>)].map(([name, value, fileName]) =>
      value instanceof Uint8Array
        ? { name, bytes: new Bytes(value), fileName }
        : { name, value: String(value) },
    );
    return { ...rest, fields };
  }
  return { ...rest, body };
}

function toResult({ bytes, value, response }: HttpResponse): unknown {
  const body = bytes === undefined ? value : Buffer.from(bytes);
  return response ? { body, ...response } : body;
}
