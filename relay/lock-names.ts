/**
 * Web Locks by which the parts of tabd on one origin find and watch each other. Their names contain the scope (the path
 * that tabd is installed under), so that two installations on one origin stay apart.
 *
 * ```
 * leader                          held by the leader's page
 * steal                           held by a page while it examines a leader that does not answer
 * tab:<schema>:<build>:<page>     held by every page: a candidate for leader, with its version
 * client:<page>:<id>              held by every page that knows its client id, by which the service worker reaches it
 * server:<schema>:<epoch>:<page>  held by a living server worker: its owner and its age
 * peer:<uuid>                     held by a living caller (service worker or page); a free lock means that it is gone
 * ```
 */
export interface ServerIdentity {
  schema: number;
  /** Milliseconds since 1970 when the leader's term began. The server with the highest epoch answers. */
  epoch: number;
  page: string;
}

/** The parts of the name of a tab's lock. */
export interface TabIdentity {
  schema: number;
  /** Milliseconds since 1970 when the code was built; 0 for sources that run without a build. */
  build: number;
  page: string;
}

/** The name of a Web Lock. Scopes keep servers of one origin apart. */
export function lockName(scope: string, kind: string, ...rest: (string | number)[]): string {
  return ['tabd', encodeURIComponent(scope), kind, ...rest].join(':');
}

/** The parts of a lock's name that follow its kind. Undefined for another scope or kind. */
function partsAfterKind(scope: string, kind: string, name: string): string[] | undefined {
  const head = `${lockName(scope, kind)}:`;
  return name.startsWith(head) ? name.slice(head.length).split(':') : undefined;
}

/** The Web Lock that the leader of an origin holds. */
export const leaderLock = (scope: string): string => lockName(scope, 'leader');
/** The Web Lock of the tab that takes the lead from a frozen leader: only one may try. */
export const stealLock = (scope: string): string => lockName(scope, 'steal');
/** The Web Lock that every tab holds, so that others know its versions. */
export const tabLock = (scope: string, { schema, build, page }: TabIdentity): string =>
  lockName(scope, 'tab', schema, build, page);
/** The Web Lock that a page holds under its `Client.id`: the service worker finds the page by it. */
export const clientLock = (scope: string, page: string, id: string): string =>
  lockName(scope, 'client', page, id);
/** The Web Lock that a running server worker holds. */
export const serverLock = (scope: string, { schema, epoch, page }: ServerIdentity): string =>
  lockName(scope, 'server', schema, epoch, page);
export const newPeerLock = (scope: string): string => lockName(scope, 'peer', crypto.randomUUID());

/** The name of the BroadcastChannel for `CoordinationMessage`, see messages.ts. */
export const coordinationChannel = (scope: string): string => lockName(scope, 'call');

/** The servers that hold a lock, newest first. */
export function serversInLocks(scope: string, held: string[]): ServerIdentity[] {
  return held
    .flatMap((name) => {
      const [schema, epoch, page] = partsAfterKind(scope, 'server', name) ?? [];
      return page === undefined ? [] : [{ schema: Number(schema), epoch: Number(epoch), page }];
    })
    .sort((a, b) => b.epoch - a.epoch);
}

/** The tabs that hold a lock. */
export function tabsInLocks(scope: string, held: string[]): TabIdentity[] {
  return held.flatMap((name) => {
    const [schema, build, page] = partsAfterKind(scope, 'tab', name) ?? [];
    return page === undefined ? [] : [{ schema: Number(schema), build: Number(build), page }];
  });
}

/** The id by which the service worker's `clients` know a page. Undefined when the page has not announced it yet. */
export function clientIdOf(scope: string, page: string, held: string[]): string | undefined {
  for (const name of held) {
    const [lockPage, id] = partsAfterKind(scope, 'client', name) ?? [];
    if (lockPage === page) return id;
  }
  return undefined;
}

/** Whether `a` is newer than `b`: by schema first, then by build date. */
export function isNewerBuild(a: Omit<TabIdentity, 'page'>, b: Omit<TabIdentity, 'page'>): boolean {
  return a.schema === b.schema ? a.build > b.build : a.schema > b.schema;
}
