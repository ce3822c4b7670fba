export { API_NAMES, type ApiName, DEFAULT_PORTS } from './apis.ts';
export { ApiError } from './errors/api-error.ts';
export {
  accessRefused,
  dialectError,
  type LocalModelsDialect,
  localModelsDialect,
  unavailable,
} from './errors/dialect-error.ts';
export { Base64Error, base64UrlText, decodeBase64, encodeBase64, looseBase64 } from './formats/base64.ts';
export { LONGEST_DURATION, parseDuration } from './formats/duration.ts';
export { localTime, utcTime } from './formats/timestamp.ts';
export {
  array,
  bool,
  custom,
  type Decoded,
  type Decoder,
  decodeBody,
  float32,
  float64,
  int,
  map,
  mismatch,
  type Place,
  raw,
  type StructOf,
  string,
  struct,
} from './json/decoders.ts';
export {
  type JsonDocument,
  type JsonNode,
  JsonSyntaxError,
  MAX_NESTING,
  parseJson,
  toRecord,
  toValue,
} from './json/parse-json.ts';
export { orOmit, printJson } from './json/print-json.ts';
export { shortFloat } from './json/shortest-float32.ts';
export { type Here, hostName, isIp, isNear } from './requests/host-name.ts';
export { MAX_JSON_BODY, readBytes, readJson } from './requests/read-body.ts';
export { earlyResponseHead, HEAD_WITHIN } from './responses/early-response-head.ts';
export { emptyResponse, jsonResponse, textResponse, withHeaders } from './responses/plain-response.ts';
export { eventStreamResponse, ndjsonResponse, textStream } from './responses/text-stream.ts';
export type { Api, Route, RouteCall } from './routing/api.ts';
export { composeServer } from './routing/compose-server.ts';
export { LazyApi } from './routing/lazy-api.ts';
export type { LocalApis } from './routing/local-apis.ts';
export { ownerOf, type Reach, withoutPrefix } from './routing/path-owner.ts';
export { routeLabel } from './routing/route-label.ts';
export { bindRoutes, type RouteHandler, type RouteTable } from './routing/route-table.ts';
export type { CallContext, Listener, Server, ServerSocket, WebSocketSession } from './routing/server.ts';
