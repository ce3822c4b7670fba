/**
 * Web Locks by which the parts of tabd on one origin find and watch each other. Their names hold the scope (the path
 * that tabd is installed under), so that two installations beside each other do not meet.
 *
 *     leader                 held by the page that leads
 *     steal                  held while a page examines a leader that does not answer
 *     tab:<schema>:<build>:<page>     held by every page: who could lead, and how new it is
 *     client:<page>:<id>              held by every page once it knows its client id: how the service worker reaches it
 *     server:<schema>:<epoch>:<page>  held by the server worker: it is alive, which page owns it, which is the newest
 *     peer:<uuid>                     held by a service worker or page that asks: when it can be had, the caller is gone
 */
export interface ServerIdentity {
  schema: number;
  /** Milliseconds since 1970 when the tenure began: of two servers the newer one is meant. */
  epoch: number;
  page: string;
}

export interface TabIdentity {
  schema: number;
  /** Milliseconds since 1970 when the code was built; 0 when it was not. */
  build: number;
  page: string;
}

export function lockName(scope: string, kind: string, ...rest: (string | number)[]): string {
  return ['tabd', encodeURIComponent(scope), kind, ...rest].join(':');
}

/** The parts behind the kind, or undefined when the name is another scope's or of another kind. */
function parts(scope: string, kind: string, name: string): string[] | undefined {
  const head = `${lockName(scope, kind)}:`;
  return name.startsWith(head) ? name.slice(head.length).split(':') : undefined;
}

export const leaderLock = (scope: string): string => lockName(scope, 'leader');
export const stealLock = (scope: string): string => lockName(scope, 'steal');
export const tabLock = (scope: string, { schema, build, page }: TabIdentity): string =>
  lockName(scope, 'tab', schema, build, page);
export const clientLock = (scope: string, page: string, id: string): string =>
  lockName(scope, 'client', page, id);
export const serverLock = (scope: string, { schema, epoch, page }: ServerIdentity): string =>
  lockName(scope, 'server', schema, epoch, page);
export const newPeerLock = (scope: string): string => lockName(scope, 'peer', crypto.randomUUID());

/** The channel on which leaders are pinged, questioned and announced: see `messages.ts`. */
export const coordinationChannel = (scope: string): string => lockName(scope, 'call');

/** Newest first. */
export function serversInLocks(scope: string, held: string[]): ServerIdentity[] {
  return held
    .flatMap((name) => {
      const [schema, epoch, page] = parts(scope, 'server', name) ?? [];
      return page === undefined ? [] : [{ schema: Number(schema), epoch: Number(epoch), page }];
    })
    .sort((a, b) => b.epoch - a.epoch);
}

export function tabsInLocks(scope: string, held: string[]): TabIdentity[] {
  return held.flatMap((name) => {
    const [schema, build, page] = parts(scope, 'tab', name) ?? [];
    return page === undefined ? [] : [{ schema: Number(schema), build: Number(build), page }];
  });
}

/** The client id of a page, as the service worker knows it. */
export function clientIdOf(scope: string, page: string, held: string[]): string | undefined {
  for (const name of held) {
    const [owner, id] = parts(scope, 'client', name) ?? [];
    if (owner === page) return id;
  }
  return undefined;
}

export function isNewerBuild(a: Omit<TabIdentity, 'page'>, b: Omit<TabIdentity, 'page'>): boolean {
  return a.schema === b.schema ? a.build > b.build : a.schema > b.schema;
}
