/** tabd for pages of other origins, with one permission an origin: the end that has tabd. */
import { FrameServer, portChannel } from '#core/frames';
import { API_NAMES, type ApiName, dialectErrorResponse, withoutPrefix } from '#core/http';
import { BUILD, lockName } from '#relay';
import type { Tabd } from '../types.ts';
import { type Grant, GrantStore } from './grants.ts';
import { type GuestHello, type HostAnswer, type Permission, PROTOCOL } from './messages.ts';
import { checkPermission } from './permission-check.ts';

export type { ApiName, Grant, Permission };

export interface ShareRequest extends Permission {
  /** Of the page that asks, as the browser says it. */
  origin: string;
}

export interface ShareOptions {
  /** As given to `start`. */
  apis?: readonly ApiName[];
  prefix?: string;
  /** Origins that may use tabd (not `manage`) without being asked about. */
  origins?: readonly string[];
  /**
   * Asks the person, once an origin: true is remembered until `revoke`, `once` holds for this visit, and a refusal
   * until this page is loaded anew. Without `ask` only `origins` may. Not asked in a frame, where the page around it
   * could trick a person into a click: open this page in a window for the first time.
   */
  ask?(request: ShareRequest): boolean | 'once' | Promise<boolean | 'once'>;
  /** Asks in frames too, for a page whose `frame-ancestors` names whom it trusts. Default false. */
  askInFrames?: boolean;
}

/** Pages of other origins are answered until `close`. */
export interface Share {
  /** What is remembered. */
  grants(): Grant[];
  /** Forgets the permission and cuts what this origin has under way. */
  revoke(origin: string): void;
  close(): void;
}

/** Where a share lives: the page's own window, except in tests. */
export interface ShareEnvironment {
  window: Pick<Window, 'addEventListener' | 'removeEventListener'>;
  origin: string;
  storage: Pick<Storage, 'getItem' | 'setItem'>;
  framed: boolean;
}

/** Answers `connect` of pages of other origins that have this page in a frame or as a window. */
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
  /** Answers that hold for this visit, by origin. */
  readonly #asked = new Map<string, { wanted: Permission; answer: Promise<boolean> }>();
  readonly #served = new Map<FrameServer, string>();

  constructor(
    private readonly tabd: Pick<Tabd, 'fetch' | 'scope'>,
    private readonly options: ShareOptions,
    private readonly place: ShareEnvironment,
  ) {
    const { apis = API_NAMES, prefix = '' } = options;
    this.#site = { origin: place.origin, apis, prefix };
    this.#grants = new GrantStore(place.storage, lockName(tabd.scope, 'origins'));
    place.window.addEventListener('message', this.#heard);
    place.window.addEventListener('pagehide', this.#left);
  }

  grants(): Grant[] {
    return this.#grants.list();
  }

  revoke(origin: string): void {
    this.#grants.remove(origin);
    this.#asked.delete(origin);
    this.#cut((of) => of === origin, 'the permission was taken back');
  }

  close(): void {
    this.place.window.removeEventListener('message', this.#heard);
    this.place.window.removeEventListener('pagehide', this.#left);
    this.#left();
  }

  readonly #left = () => this.#cut(() => true, 'the page that shares tabd was left');

  #cut(which: (origin: string) => boolean, reason: string): void {
    for (const [server, origin] of this.#served) if (which(origin)) server.close(reason);
  }

  readonly #heard = async (event: Event) => {
    const { data, origin, ports } = event as MessageEvent<Partial<GuestHello> | null>;
    const [port] = ports;
    if (data?.tabd !== 'connect' || !port) return;
    const tell = (answer: HostAnswer) => port.postMessage(answer);
    const refuse = (message: string) => {
      tell({ tabd: 'refused', message });
      port.close();
    };
    if (data.protocol !== PROTOCOL) {
      return refuse(`this page speaks version ${PROTOCOL} of tabd's messages, not ${data.protocol}`);
    }
    const wanted = this.#wanted(data);
    if (wanted.apis.length === 0) return refuse('nothing that was asked for is switched on here');
    tell({ tabd: 'asking' });
    // Frames without an origin and files all call themselves `null`: nobody could be told whom it is about.
    const allowed = origin !== 'null' && (await this.#allows(origin, wanted).catch(() => false));
    if (!allowed) {
      const hint = this.#mayAsk ? '' : ': open it in a window of its own, where it can ask';
      return refuse(`${this.place.origin} does not let ${origin} use tabd${hint}`);
    }
    const { prefix } = this.#site;
    tell({ tabd: 'granted', base: this.place.origin + prefix, ...wanted });
    this.#serve(port, origin, wanted);
  };

  get #mayAsk(): boolean {
    const { ask, askInFrames } = this.options;
    return ask === undefined || !this.place.framed || askInFrames === true;
  }

  #wanted({ apis, manage }: Partial<GuestHello>): Permission {
    const asked: readonly unknown[] = Array.isArray(apis) ? apis : ['local-models'];
    return { apis: this.#site.apis.filter((api) => asked.includes(api)), manage: manage === true };
  }

  async #allows(origin: string, wanted: Permission): Promise<boolean> {
    const { origins = [], ask } = this.options;
    if (!wanted.manage && origins.includes(origin)) return true;
    if (this.#grants.covers(origin, wanted)) return true;
    if (!this.#mayAsk) return false;
    const before = this.#asked.get(origin);
    if (before && isCovered(before.wanted, wanted)) return before.answer;
    const answer = Promise.resolve(ask?.({ origin, ...wanted }) ?? false).then((given) => {
      if (given === true) this.#grants.add(origin, wanted);
      return given === true || given === 'once';
    });
    this.#asked.set(origin, { wanted, answer });
    return answer;
  }

  #serve(port: MessagePort, origin: string, permission: Permission): void {
    const server = new FrameServer(
      portChannel(port as never),
      {
        fetch: async (request) => {
          const verdict = checkPermission(request.method, new URL(request.url), permission, this.#site);
          if (verdict.allowed) return this.tabd.fetch(request);
          const { pathname } = new URL(request.url);
          const path = withoutPrefix(pathname, this.#site.prefix) ?? pathname;
          return dialectErrorResponse(verdict.api, path, 403, verdict.reason);
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

function isCovered(given: Permission, wanted: Permission): boolean {
  return wanted.apis.every((api) => given.apis.includes(api)) && (given.manage || !wanted.manage);
}
