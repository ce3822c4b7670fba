/** POST /v1/embeddings: vectors as numbers, or as base64 of 32-bit floats */
import {
  ApiError,
  decodeBody,
  earlyResponseHead,
  encodeBase64,
  HEAD_WITHIN,
  integerField,
  type JsonNode,
  type RouteCall,
  rawField,
  readBodyJson,
  shortestFloat32,
  stringField,
  structOf,
} from '#core/http';
import { BARE_JSON_TYPE } from '../../base/content-types.ts';
import type { LocalModelServices } from '../../runs/services.ts';
import { jsonLine } from '../respond.ts';
import { openaiRunError } from './errors.ts';

const requestFields = structOf('openai.EmbedRequest', {
  input: rawField,
  model: stringField,
  dimensions: integerField,
  encoding_format: stringField,
});

/** @throws ApiError 400 when there is no input */
function requireInput(input: JsonNode | undefined): asserts input is JsonNode {
  if (!input || input.type === 'null' || (input.type === 'array' && input.items.length === 0))
    throw new ApiError(400, 'invalid input');
}

/** @throws ApiError 400 for anything but texts: lists of token ids are not supported */
function readTexts(input: JsonNode): string[] {
  const items = input.type === 'array' ? input.items : [input];
  return items.map((item) => {
    if (item.type !== 'string') throw new ApiError(400, 'invalid input type');
    return item.value;
  });
}

/** Little-endian on every machine. */
function toBase64(vector: Float32Array): string {
  const view = new DataView(new ArrayBuffer(vector.length * 4));
  for (const [i, value] of vector.entries()) view.setFloat32(i * 4, value, true);
  return encodeBase64(new Uint8Array(view.buffer));
}

export async function openaiEmbeddings(
  { host, textService }: LocalModelServices,
  { request, signal }: RouteCall,
): Promise<Response> {
  const document = await readBodyJson(request, signal, { whenEmpty: 'EOF', zstd: true });
  const body = decodeBody(requestFields, document);
  const { input, encoding_format: encoding = '' } = body;
  if (!['', 'float', 'base64'].includes(encoding.toLowerCase())) {
    throw new ApiError(
      400,
      `Invalid value for 'encoding_format' = ${encoding}. Supported values: ['float', 'base64'].`,
    );
  }
  requireInput(input);
  const requestedName = body.model ?? '';
  return earlyResponseHead(
    async (head) => {
      const { vectors, promptTokens } = await textService.embed(
        {
          model: requestedName,
          texts: readTexts(input),
          truncate: true,
          dimensions: body.dimensions ?? 0,
          options: {},
        },
        head.signal,
      );
      const print =
        encoding.toLowerCase() === 'base64' ? toBase64 : (v: Float32Array) => Array.from(v, shortestFloat32);
      return jsonLine({
        object: 'list',
        data: vectors.map((vector, index) => ({ object: 'embedding', embedding: print(vector), index })),
        model: requestedName,
        usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
      });
    },
    {
      clock: host.clock,
      within: HEAD_WITHIN,
      contentType: BARE_JSON_TYPE,
      failure: openaiRunError,
      lateError: (body) => body,
    },
    signal,
  );
}
