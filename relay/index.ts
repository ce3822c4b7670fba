export { BUILD } from './build.ts';
export type { BridgeLink, ConsentPage, ImportLine, ServerControl } from './control.ts';
export { Link } from './link.ts';
export { heldLocks, holdLock, lockReleased } from './locks.ts';
export type {
  Attach,
  Call,
  ClientId,
  FromServerWorker,
  PortKind,
  ToServerWorker,
  ToServiceWorker,
} from './messages.ts';
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
} from './names.ts';
export { apiOfOrigin, type HandleOptions, interceptedApi, optionsOf, withOptions } from './options.ts';
export { originOf, outgoing } from './outgoing.ts';
export { relay } from './relay.ts';
export {
  LONGEST_BODY,
  type RequestNote,
  requestChannel,
  type TokenCounts,
  WATCH,
  type Watching,
} from './request-log.ts';
export { findServer } from './servers.ts';
export type { Settings } from './settings.ts';
export { type Target, targetOf } from './target.ts';
