/** HTTP of the core: routing, bodies, errors in the dialects of the APIs, and the texts that Go's libraries print. */
export { API_NAMES, type ApiName, DEFAULT_PORTS } from './apis.ts';
export { ApiError } from './errors/api-error.ts';
export {
  accessRefusedResponse,
  dialectErrorResponse,
  type LocalModelsDialect,
  localModelsDialect,
  unavailableResponse,
} from './errors/dialect-error.ts';
export {
  Base64Error,
  decodeBase64,
  decodeBase64Text,
  decodeLooseBase64,
  encodeBase64,
} from './formats/base64.ts';
export { MAX_DURATION, parseDuration } from './formats/duration.ts';
export { formatLocalTime, formatUtcTime } from './formats/timestamp.ts';
export {
  arrayOf,
  booleanField,
  customField,
  type DecodeContext,
  type DecodedValue,
  decodeBody,
  float32Field,
  float64Field,
  integerField,
  type JsonDecoder,
  mapOf,
  rawField,
  reportMismatch,
  type StructValue,
  stringField,
  structOf,
} from './json/decoders.ts';
export {
  type JsonDocument,
  type JsonNode,
  JsonSyntaxError,
  toPlainObject,
  toPlainValue,
} from './json/json-nodes.ts';
export type { JsonBuilder } from './json/json-scanner.ts';
export { MAX_JSON_NESTING, parseJson, replaceLoneSurrogates, scanJson } from './json/parse-json.ts';
export { JsonTooDeep, parsePlainJson } from './json/plain-json.ts';
export { omitIfEmpty, printJson } from './json/print-json.ts';
export { shortestFloat32 } from './json/shortest-float32.ts';
export { isCrossSite } from './requests/cross-site.ts';
export { decodeText } from './requests/decode-text.ts';
export { isIpAddress, isLoopbackOrPrivate, type MachineNames, withoutPort } from './requests/host-name.ts';
export { MAX_JSON_BODY, readBodyBytes, readBodyJson } from './requests/read-body.ts';
export { BytesResponse } from './responses/bytes-response.ts';
export { earlyResponseHead, HEAD_WITHIN } from './responses/early-response-head.ts';
export {
  emptyResponse,
  jsonResponse,
  keptJsonResponse,
  textResponse,
  withHeaders,
} from './responses/plain-response.ts';
export { readEvents, readLines } from './responses/read-lines.ts';
export { eventStreamResponse, ndjsonResponse, textStream } from './responses/text-stream.ts';
export { withEnd } from './responses/with-end.ts';
export type { Api, Route, RouteCall } from './routing/api.ts';
export { composeServer } from './routing/compose-server.ts';
export { LazyApi } from './routing/lazy-api.ts';
export type { LocalApis } from './routing/local-apis.ts';
export { apiOfRequest, type PathReach, withoutPrefix } from './routing/path-owner.ts';
export { routeLabel } from './routing/route-label.ts';
export { bindRoutes, type RouteHandler, type RouteTable } from './routing/route-table.ts';
export {
  apiOfContext,
  type CallContext,
  type Listener,
  type Server,
  type ServerSocket,
  type WebSocketSession,
} from './routing/server.ts';
