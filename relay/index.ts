export { BUILD } from './build.ts';
export { findServer } from './find-server.ts';
export { apiOfOrigin, type HandleOptions, interceptedApi, optionsOf, withOptions } from './handle-options.ts';
export {
  callName,
  clientLock,
  clientOf,
  isNewer,
  leaderLock,
  lockName,
  type ServerName,
  serverLock,
  serversAmong,
  stealLock,
  type TabName,
  tabLock,
  tabsAmong,
} from './lock-names.ts';
export type {
  Attach,
  Call,
  ClientId,
  FromServerWorker,
  PortKind,
  ToServerWorker,
  ToServiceWorker,
} from './messages.ts';
export { originOf, outgoing } from './outgoing-request.ts';
export { relay } from './relay.ts';
export {
  LONGEST_BODY,
  type RequestNote,
  requestChannel,
  type TokenCounts,
  WATCH,
  type Watching,
} from './request-log.ts';
export { type Target, targetOf } from './request-target.ts';
export { Link } from './server-connection.ts';
export type { BridgeLink, ConsentPage, ImportLine, ServerControl } from './server-control.ts';
export type { Settings } from './settings.ts';
export { heldLocks, holdLock, lockReleased } from './web-locks.ts';
