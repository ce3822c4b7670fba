/** The host's side of sharing tabd with pages of other origins, with one permission for each origin. */
import { FrameServer, portChannel } from '#core/frames';
import { API_NAMES, type ApiName, dialectErrorResponse, withoutPrefix } from '#core/http';
import { BUILD, lockName } from '#relay';
import type { Tabd } from '../types.ts';
import { type Grant, GrantStore } from './grants.ts';
import { type GuestHello, type HostAnswer, type Permission, PROTOCOL } from './messages.ts';
import { checkPermission } from './permission-check.ts';

export type { ApiName, Grant, Permission };

/**
 * The request of a page of another origin for a permission.
 *
 * @example
 * ```ts
 * import type { ShareRequest } from 'tabd/share';
 *
 * const question = ({ origin, apis }: ShareRequest) => `May ${origin} use ${apis.join(', ')}?`;
 * console.log(question({ origin: 'https://guest.example', apis: ['webhooks'], manage: false })); // May https://guest.example use webhooks?
 * ```
 */
export interface ShareRequest extends Permission {
  /** The origin of the requesting page, as the browser reports it. */
  origin: string;
}

/**
 * The options of `share`.
 *
 * @example
 * ```ts
 * import type { ShareOptions } from 'tabd/share';
 *
 * export const options: ShareOptions = { apis: ['local-models'], origins: ['https://guest.example'] };
 * ```
 */
export interface ShareOptions {
  /** The shared APIs. Default: all. */
  apis?: readonly ApiName[];
  /** The `prefix` option of `start`. */
  prefix?: string;
  /** Origins that may use tabd (not `manage`) without a question to the user. */
  origins?: readonly string[];
  /**
   * Asks the user, once for each origin. True is stored until `revoke`, `once` holds for this visit, and a refusal until
   * this page is reloaded. Without `ask` only `origins` are allowed. It is not called in frames, where the
   * outer page could trick the user. Open this page in a window the first time.
   */
  ask?(request: ShareRequest): boolean | 'once' | Promise<boolean | 'once'>;
  /** Calls `ask` in frames too, for pages whose `frame-ancestors` lists trusted origins. Default: false. */
  askInFrames?: boolean;
}

/**
 * A running share, which answers pages of other origins until `close`.
 *
 * @example
 * ```ts
 * import type { Share } from 'tabd/share';
 *
 * export function revokeAll(sharing: Share) {
 *   for (const { origin } of sharing.grants()) sharing.revoke(origin);
 * }
 * ```
 */
export interface Share {
  /** The stored permissions. */
  grants(): Grant[];
  /** Deletes the permission of an origin and cancels its running requests. */
  revoke(origin: string): void;
  close(): void;
}

/**
 * The page's globals that a share uses. Tests replace them.
 *
 * @example
 * ```ts
 * import type { ShareEnvironment } from 'tabd/share';
 *
 * export const environment: ShareEnvironment = {
 *   window: new EventTarget() as ShareEnvironment['window'],
 *   origin: 'https://host.example',
 *   storage: { getItem: () => null, setItem() {} },
 *   framed: false,
 * };
 * ```
 */
export interface ShareEnvironment {
  window: Pick<Window, 'addEventListener' | 'removeEventListener'>;
  origin: string;
  storage: Pick<Storage, 'getItem' | 'setItem'>;
  framed: boolean;
}

/**
 * Shares tabd with pages of other origins that have this page in a frame or a window and call `connect`.
 *
 * @example
 * ```ts browser
 * import { start } from 'tabd';
 * import { share } from 'tabd/share';
 *
 * const sharing = share(await start(), { ask: ({ origin }) => confirm(`May ${origin} use tabd?`) });
 * addEventListener('pagehide', () => sharing.close());
 * ```
 */
export function share(
  tabd: Pick<Tabd, 'fetch' | 'scope'>,
  options: ShareOptions = {},
  place: ShareEnvironment = {
    window,
    origin: location.origin,
    storage: localStorage,
    framed: window.parent !== window,
  },
): Share {
  return new ActiveShare(tabd, options, place);
}

class ActiveShare implements Share {
  readonly #site: { origin: string; apis: readonly ApiName[]; prefix: string };
  readonly #grants: GrantStore;
  /** The user's answers of this visit, by origin. */
  readonly #answers = new Map<string, { requested: Permission; answer: Promise<boolean> }>();
  readonly #served = new Map<FrameServer, string>();

  constructor(
    private readonly tabd: Pick<Tabd, 'fetch' | 'scope'>,
    private readonly options: ShareOptions,
    private readonly place: ShareEnvironment,
  ) {
    const { apis = API_NAMES, prefix = '' } = options;
    this.#site = { origin: place.origin, apis, prefix };
    this.#grants = new GrantStore(place.storage, lockName(tabd.scope, 'origins'));
    place.window.addEventListener('message', this.#handleMessage);
    place.window.addEventListener('pagehide', this.#left);
  }

  grants(): Grant[] {
    return this.#grants.list();
  }

  revoke(origin: string): void {
    this.#grants.remove(origin);
    this.#answers.delete(origin);
    this.#cut((requester) => requester === origin, 'the permission was taken back');
  }

  close(): void {
    this.place.window.removeEventListener('message', this.#handleMessage);
    this.place.window.removeEventListener('pagehide', this.#left);
    this.#left();
  }

  readonly #left = () => this.#cut(() => true, 'the page that shares tabd was left');

  #cut(matches: (origin: string) => boolean, reason: string): void {
    for (const [server, origin] of this.#served) if (matches(origin)) server.close(reason);
  }

  readonly #handleMessage = async (event: Event) => {
    const { data, origin, ports } = event as MessageEvent<Partial<GuestHello> | null>;
    const [port] = ports;
    if (data?.tabd !== 'connect' || !port) return;
    const send = (answer: HostAnswer) => port.postMessage(answer);
    const refuse = (message: string) => {
      send({ tabd: 'refused', message });
      port.close();
    };
    if (data.protocol !== PROTOCOL) {
      return refuse(`this page speaks version ${PROTOCOL} of tabd's messages, not ${data.protocol}`);
    }
    const requested = this.#requestedPermission(data);
    if (requested.apis.length === 0) return refuse('nothing that was asked for is switched on here');
    send({ tabd: 'asking' });
    // Sandboxed frames and files all have the origin `null`: the user could not know which page asks.
    const allowed = origin !== 'null' && (await this.#allows(origin, requested).catch(() => false));
    if (!allowed) {
      const hint = this.#mayAsk ? '' : ': open it in a window of its own, where it can ask';
      return refuse(`${this.place.origin} does not let ${origin} use tabd${hint}`);
    }
    const { prefix } = this.#site;
    send({ tabd: 'granted', base: this.place.origin + prefix, ...requested });
    this.#serve(port, origin, requested);
  };

  get #mayAsk(): boolean {
    const { ask, askInFrames } = this.options;
    return ask === undefined || !this.place.framed || askInFrames === true;
  }

  #requestedPermission({ apis, manage }: Partial<GuestHello>): Permission {
    const names: readonly unknown[] = Array.isArray(apis) ? apis : ['local-models'];
    return { apis: this.#site.apis.filter((api) => names.includes(api)), manage: manage === true };
  }

  async #allows(origin: string, requested: Permission): Promise<boolean> {
    const { origins = [], ask } = this.options;
    if (!requested.manage && origins.includes(origin)) return true;
    if (this.#grants.covers(origin, requested)) return true;
    if (!this.#mayAsk) return false;
    const before = this.#answers.get(origin);
    if (before && isCovered(before.requested, requested)) return before.answer;
    const answer = Promise.resolve(ask?.({ origin, ...requested }) ?? false).then((answer) => {
      if (answer === true) this.#grants.add(origin, requested);
      return answer === true || answer === 'once';
    });
    this.#answers.set(origin, { requested, answer });
    return answer;
  }

  #serve(port: MessagePort, origin: string, permission: Permission): void {
    const server = new FrameServer(
      portChannel(port as never),
      {
        fetch: async (request) => {
          const permissionResult = checkPermission(
            request.method,
            new URL(request.url),
            permission,
            this.#site,
          );
          if (permissionResult.allowed) return this.tabd.fetch(request);
          const { pathname } = new URL(request.url);
          const path = withoutPrefix(pathname, this.#site.prefix) ?? pathname;
          return dialectErrorResponse(permissionResult.api, path, 403, permissionResult.reason);
        },
        connect: async () => new Response('pages of other origins get no WebSocket', { status: 501 }),
      },
      {
        build: `share ${BUILD}`,
        context: () => ({ listener: 'origin', loopback: true, clientAddress: '127.0.0.1', appOrigins: [] }),
      },
    );
    this.#served.set(server, origin);
    server.handshakeDone.catch(() => {});
    server.gone.then(() => this.#served.delete(server));
  }
}

function isCovered(granted: Permission, requested: Permission): boolean {
  return requested.apis.every((api) => granted.apis.includes(api)) && (granted.manage || !requested.manage);
}
