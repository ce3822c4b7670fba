export { BUILD } from './build.ts';
export { findNewestServer } from './find-server.ts';
export {
  apiOfOrigin,
  type HandleOptions,
  interceptedApi,
  readHandleOptions,
  writeHandleOptions,
} from './handle-options.ts';
export {
  clientIdOf,
  clientLock,
  coordinationChannel,
  isNewerBuild,
  leaderLock,
  lockName,
  type ServerIdentity,
  serverLock,
  serversInLocks,
  stealLock,
  type TabIdentity,
  tabLock,
  tabsInLocks,
} from './lock-names.ts';
export type {
  AttachMessage,
  ClientId,
  CoordinationMessage,
  FromServerWorker,
  PortKind,
  ToServerWorker,
  ToServiceWorker,
} from './messages.ts';
export { pageOriginOf, toOutgoingRequest } from './outgoing-request.ts';
export { relayRequest } from './relay.ts';
export {
  MAX_LOGGED_BODY,
  type RequestNote,
  requestChannel,
  type TokenCounts,
  WATCH_DURATION,
  type WatchMessage,
} from './request-log.ts';
export { type RequestTarget, requestTarget } from './request-target.ts';
export { ServerConnection } from './server-connection.ts';
export type { BridgeLink, ConsentPage, ImportLine, ServerControl } from './server-control.ts';
export type { SettingValues } from './settings.ts';
export { heldLockNames, holdLock, waitForLockRelease } from './web-locks.ts';
