export type { Api, Route, RouteCall } from './api.ts';
export { ApiError } from './api-error.ts';
export { Base64Error, base64UrlText, decodeBase64, encodeBase64, looseBase64 } from './base64.ts';
export { MAX_JSON_BODY, readBytes, readJson } from './body.ts';
export { composeServer } from './compose.ts';
export { LONGEST_DURATION, parseDuration } from './duration.ts';
export { earlyHead } from './early-head.ts';
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
} from './json/decode.ts';
export { shortFloat } from './json/float32.ts';
export {
  type JsonDocument,
  type JsonNode,
  JsonSyntaxError,
  MAX_NESTING,
  parseJson,
  toRecord,
  toValue,
} from './json/parse.ts';
export { orOmit, printJson } from './json/print.ts';
export { LazyApi } from './lazy-api.ts';
export { type Here, hostName, isIp, isNear } from './near-host.ts';
export { ALL_APIS, type ApiName, ownerOf, type Reach, withoutPrefix } from './paths.ts';
export { refused } from './refused.ts';
export { emptyResponse, jsonResponse, textResponse, withHeaders } from './respond.ts';
export { routeLabel } from './route-label.ts';
export { bindRoutes, type RouteHandler, type RouteTable } from './route-table.ts';
export type { CallContext, Listener, Server, ServerSocket, WebSocketSession } from './server-types.ts';
export { eventStreamResponse, ndjsonResponse, textStream } from './stream.ts';
export { localTime, utcTime } from './time.ts';
export { errorAnswer, unavailable } from './unavailable.ts';
