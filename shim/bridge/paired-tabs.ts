import { createHash, randomBytes } from 'node:crypto';
import { browserName } from './browser-name.ts';

/** A browser that may answer the ports. */
export interface PairedTab {
  id: string;
  /** For people. No two tabs have the same. */
  name: string;
  /** SHA-256 of the key with which the browser reconnects, in hexadecimal. */
  keyDigest: string;
  /** The id that the browser keeps when it forgets its key. A browser that is paired again replaces its older key. */
  browser?: string;
  /** ISO 8601. */
  pairedAt: string;
}

/** All paired tabs. `home`: the id of the tab whose state answers requests about state. */
export interface StoredTabs {
  home?: string;
  tabs: PairedTab[];
}

/** A change of the list is not possible. */
export class TabRefusal extends Error {
  override name = 'TabRefusal';
  constructor(
    /** HTTP status. */
    readonly status: 400 | 404 | 409,
    message: string,
  ) {
    super(message);
  }
}

/** No home needs more browsers; a script that pairs them without an end must not fill the disk. */
const MAX_TABS = 100;
const MAX_NAME = 60;

/**
 * The browsers that may answer the ports, oldest first. The first one is the home until the user chooses another: its
 * workflows, images and uploads are those of the ports.
 */
export class PairedTabs {
  #tabs: readonly PairedTab[];
  #home: string | undefined;

  /** `save` stores every change. If it throws, nothing has changed. */
  constructor(
    { tabs, home }: StoredTabs = { tabs: [] },
    private readonly save: (stored: StoredTabs) => void = () => {},
  ) {
    this.#tabs = tabs;
    this.#home = home;
  }

  get list(): readonly PairedTab[] {
    return this.#tabs;
  }

  get home(): PairedTab | undefined {
    return this.#tabs.find(({ id }) => id === this.#home) ?? this.#tabs[0];
  }

  /** By id or name. @throws TabRefusal 404 */
  get(idOrName: string): PairedTab {
    const tab =
      this.#tabs.find(({ id }) => id === idOrName) ?? this.#tabs.find(({ name }) => name === idOrName);
    if (!tab) throw new TabRefusal(404, `no connected browser is called '${idOrName}'`);
    return tab;
  }

  /** The tab with this key. Digests are compared, so the time of a comparison reveals nothing about a key. */
  withKey(key: string): PairedTab | undefined {
    const digest = digestOf(key);
    return this.#tabs.find(({ keyDigest }) => keyDigest === digest);
  }

  /** Adds a tab, or replaces the key of a browser that is known already. Undefined: there are too many. */
  add(key: string, { agent, browser }: { agent?: string; browser?: string } = {}): PairedTab | undefined {
    const earlier = browser === undefined ? undefined : this.#tabs.find((tab) => tab.browser === browser);
    if (earlier) return this.#replace({ ...earlier, keyDigest: digestOf(key) });
    if (this.#tabs.length >= MAX_TABS) return undefined;
    const tab: PairedTab = {
      id: randomBytes(4).toString('hex'),
      name: this.#freeName(browserName(agent ?? '')),
      keyDigest: digestOf(key),
      ...(browser !== undefined && { browser }),
      pairedAt: new Date().toISOString(),
    };
    this.#set([...this.#tabs, tab], this.#home);
    return tab;
  }

  /** @throws TabRefusal */
  rename(idOrName: string, name: string): PairedTab {
    const tab = this.get(idOrName);
    const text = name.trim();
    if (text === '' || text.length > MAX_NAME || /\p{Cc}/u.test(text)) {
      throw new TabRefusal(400, `a name has 1 to ${MAX_NAME} characters`);
    }
    if (this.#tabs.some((other) => other.id !== tab.id && other.name === text)) {
      throw new TabRefusal(409, `another browser is called '${text}'`);
    }
    return this.#replace({ ...tab, name: text });
  }

  /** @throws TabRefusal */
  chooseHome(idOrName: string): PairedTab {
    const tab = this.get(idOrName);
    this.#set(this.#tabs, tab.id);
    return tab;
  }

  /** Removes a tab. If it was the home, the oldest other tab follows. @throws TabRefusal */
  revoke(idOrName: string): PairedTab {
    const tab = this.get(idOrName);
    this.#set(
      this.#tabs.filter(({ id }) => id !== tab.id),
      this.#home === tab.id ? undefined : this.#home,
    );
    return tab;
  }

  #replace(changed: PairedTab): PairedTab {
    this.#set(
      this.#tabs.map((tab) => (tab.id === changed.id ? changed : tab)),
      this.#home,
    );
    return changed;
  }

  #set(tabs: readonly PairedTab[], home: string | undefined): void {
    this.save({ ...(home !== undefined && { home }), tabs: [...tabs] });
    this.#tabs = tabs;
    this.#home = home;
  }

  #freeName(name: string): string {
    const isTaken = (candidate: string) => this.#tabs.some((tab) => tab.name === candidate);
    if (!isTaken(name)) return name;
    let number = 2;
    while (isTaken(`${name} ${number}`)) number++;
    return `${name} ${number}`;
  }
}

export function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
