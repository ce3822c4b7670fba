import type { CallContext } from '#core/http';
import { BodyStarts } from '../../forwarding/body-start.ts';
import { type Call, outgoing } from '../../forwarding/outgoing-request.ts';
import { type RoutedRequest, routeOf } from './fleet-routes.ts';
import { mergeLists, type TabAnswer } from './merge-lists.ts';
import { rankTabs } from './rank-tabs.ts';
import { type SendOptions, sendToFirst } from './send-to-first.ts';
import type { TabConnection } from './tab-connection.ts';
import type { TabDescription } from './tab-description.ts';

/** Milliseconds that a list waits for one of several tabs. A tab that takes longer is left out. */
const LIST_TIMEOUT = 3000;

export interface Fleet {
  /** The connected tabs, the oldest first. */
  connections(): TabConnection[];
  /** The connection of the home. Undefined while it is away. */
  home(): TabConnection | undefined;
  canonical(model: string): string;
  /** All paired tabs, also those that are away. */
  describe(): TabDescription[];
  nameOf(id: string): string;
}

/** The home is away, and no other tab may answer. */
export class HomeAway extends Error {
  override name = 'HomeAway';
  constructor() {
    super('the home is away');
  }
}

/** Spreads requests over the tabs of a fleet. */
export class FleetServer {
  readonly #bodies = new BodyStarts();

  constructor(private readonly fleet: Fleet) {}

  /** Rejects with `HomeAway`, the signal's reason, or the reason why a tab did not answer. */
  async fetch(request: Request, context: CallContext): Promise<Response> {
    const { pathname } = new URL(request.url);
    const routed = routeOf(request.method, pathname, context.listener);
    const call = outgoing(request, context);
    switch (routed.route) {
      case 'work':
      case 'holder':
        return this.#toHolder(routed, request, call);
      case 'merged':
        return this.#merged(pathname, call);
      case 'all':
        return this.#toAll(request, call);
      case 'any':
        return this.#send({ rank: () => this.#ranked(undefined), request: call });
      case 'home':
        return this.#toHome(call);
    }
  }

  async #send(options: SendOptions): Promise<Response> {
    const response = await sendToFirst(options);
    if (!response) throw new Error('it has disconnected');
    return response;
  }

  #ranked(model: string | undefined): TabConnection[] {
    return rankTabs(this.fleet.connections(), model);
  }

  #home(): TabConnection {
    const home = this.fleet.home();
    if (!home) throw new HomeAway();
    return home;
  }

  async #toHome(request: Call): Promise<Response> {
    const home = this.#home();
    return this.#send({ rank: () => [home], request });
  }

  async #toHolder({ route, model, field }: RoutedRequest, request: Request, call: Call): Promise<Response> {
    // The name in a compressed body cannot be read here.
    const isReadable = field !== undefined && request.body && !request.headers.has('content-encoding');
    const start = isReadable ? await this.#bodies.read(request.body!, field) : undefined;
    try {
      const name = model ?? start?.field;
      const canonical = name === undefined ? undefined : this.fleet.canonical(name);
      return await this.#send({
        rank: () => (route === 'work' ? this.#ranked(canonical) : this.#holders(canonical)),
        request: start ? { ...call, body: () => start.body } : call,
        ...(route === 'work' && { model: canonical }),
      });
    } finally {
      start?.release();
    }
  }

  /** The tabs that have a model, the home first whatever its work: what it says about a model is what it manages. */
  #holders(model: string | undefined): TabConnection[] {
    return this.#ranked(model).sort((a, b) => Number(b.isHome) - Number(a.isHome));
  }

  async #merged(pathname: string, call: Call): Promise<Response> {
    const tabs = this.#ranked(undefined);
    const reacting = tabs.filter(({ isResponsive }) => isResponsive);
    const answers = await Promise.all(
      (reacting.length > 0 ? reacting : tabs).map(async (tab): Promise<TabAnswer | undefined> => {
        const signal = AbortSignal.any([call.signal, AbortSignal.timeout(LIST_TIMEOUT)]);
        const response = await tab.fetch({ ...call, signal }).catch(() => undefined);
        return response && { tab: this.fleet.nameOf(tab.id), response };
      }),
    );
    call.signal.throwIfAborted();
    const [first, ...others] = answers.filter((answer) => answer !== undefined);
    if (!first) throw new Error('no tab answered in time');
    // A tab that refuses the client, for instance for its Origin, speaks for all.
    if (first.response.status !== 200) return first.response;
    const good = others.filter(({ response }) => response.status === 200);
    return mergeLists(pathname, [first, ...good], this.fleet.describe());
  }

  /**
   * The other tabs follow. The answer to a pull does not wait for them: they stop if the client disconnects before the home
   * has answered.
   */
  async #toAll(request: Request, call: Call): Promise<Response> {
    const home = this.#home();
    const start = request.body ? await this.#bodies.read(request.body, undefined) : undefined;
    try {
      // A body of such a size names no model: the home says what it is.
      if (!start?.isComplete) return await this.#toHome(start ? { ...call, body: () => start.body } : call);
      const bytes = new Uint8Array(await new Response(start.body).arrayBuffer());
      const following = new AbortController();
      const stop = () => following.abort(call.signal.reason);
      call.signal.addEventListener('abort', stop, { once: true });
      const others = this.fleet
        .connections()
        .filter((tab) => tab !== home)
        .map((tab) => {
          const copy = { ...call, signal: following.signal, body: () => bytes.slice() };
          return tab.fetch(copy).catch(() => undefined);
        });
      const onEnd = () => call.signal.removeEventListener('abort', stop);
      const answer = await home.fetch({ ...call, body: () => bytes.slice(), onEnd });
      if (request.method === 'DELETE') return await firstGood(answer, others);
      for (const other of others) void other.then(drain);
      return answer;
    } finally {
      start?.release();
    }
  }
}

/** The first answer, unless it has no such model and another tab had it. A tab that takes too long is not waited for. */
async function firstGood(first: Response, others: Promise<Response | undefined>[]): Promise<Response> {
  const inTime = await Promise.race([Promise.all(others), timeout(LIST_TIMEOUT)]);
  const good = first.ok ? undefined : inTime?.find((response) => response?.ok);
  for (const other of others)
    void other.then((response) => (response === good ? undefined : drain(response)));
  if (!good) return first;
  void drain(first);
  return good;
}

function timeout(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => void setTimeout(() => resolve(undefined), milliseconds).unref());
}

/** Reads a response to its end, so that its tab does the work. */
async function drain(response: Response | undefined): Promise<void> {
  await response?.body?.pipeTo(new WritableStream()).catch(() => {});
}
