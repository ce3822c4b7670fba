/** `this.helpers` */
import { Bytes } from '../../bytes-in-json.ts';
import { callServer } from './bridge.ts';
import { Buffer, bytesOf } from './buffer.ts';

interface Item {
  json: Record<string, unknown>;
  binary?: Record<string, unknown>;
}

export function helpersFor(items: () => Item[]) {
  const fileOf = (index: number, property: string) => {
    const file = items()[index]?.binary?.[property];
    if (file) return file;
    throw new Error(`The item has no binary field '${property}' [item ${index}]`);
  };
  const httpRequest = async (request: unknown) => {
    const answer = (await callServer('httpRequest', requestOf(request))) as {
      bytes?: ArrayBuffer;
      value?: unknown;
    };
    return revive(answer);
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
      (Array.isArray(data) ? data : [data]).map((one) => ('json' in Object(one) ? one : { json: one })),
    constructExecutionMetaData: (data: object[], { itemData }: { itemData: unknown }) =>
      data.map((one) => ({ ...one, pairedItem: itemData })),
    copyInputItems: (given: Item[], properties: string[]) =>
      given.map(({ json }) => Object.fromEntries(properties.map((name) => [name, json[name] ?? null]))),
  };
}

/** Bytes and form data cannot travel as JSON. */
function requestOf(request: unknown): unknown {
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

function revive(answer: {
  bytes?: ArrayBuffer;
  value?: unknown;
  response?: Record<string, unknown>;
}): unknown {
  const body = answer.bytes === undefined ? answer.value : Buffer.from(answer.bytes);
  return answer.response ? { body, ...answer.response } : body;
}
