/** `this.helpers` */
import { callServer } from './bridge.ts';
import { Buffer, toBase64 } from './buffer.ts';

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
      base64?: string;
      value?: unknown;
    };
    return revive(answer);
  };
  return {
    httpRequest,
    request: httpRequest,
    assertBinaryData: (index: number, property: string) => fileOf(index, property),
    getBinaryDataBuffer: async (index: number, property: string) =>
      Buffer.from((await callServer('binaryBytes', fileOf(index, property))) as string, 'base64'),
    prepareBinaryData: (data: unknown, fileName?: string, mimeType?: string) =>
      callServer('prepareBinary', toBase64(data), fileName, mimeType),
    setBinaryDataBuffer: async (file: Record<string, unknown>, data: unknown) => ({
      ...file,
      ...((await callServer('prepareBinary', toBase64(data), file.fileName, file.mimeType)) as object),
    }),
    binaryToBuffer: async (data: unknown) => Buffer.from(toBase64(data), 'base64'),
    binaryToString: async (data: unknown, encoding = 'utf8') =>
      Buffer.from(toBase64(data), 'base64').toString(encoding as 'utf8'),
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
  if (body instanceof Uint8Array || body instanceof ArrayBuffer) return { ...rest, bytes: toBase64(body) };
  if (typeof body === 'object' && body !== null && Symbol.iterator in body && 'append' in body) {
    const fields = [...(body as Iterable<[string, unknown, string?]>)].map(([name, value, fileName]) =>
      value instanceof Uint8Array
        ? { name, bytes: toBase64(value), fileName }
        : { name, value: String(value) },
    );
    return { ...rest, fields };
  }
  return { ...rest, body };
}

function revive(answer: { base64?: string; value?: unknown; response?: Record<string, unknown> }): unknown {
  const body = answer.base64 === undefined ? answer.value : Buffer.from(answer.base64, 'base64');
  return answer.response ? { body, ...answer.response } : body;
}
