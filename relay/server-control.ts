import type { Device, DownloadConsent } from '#core/host';

/** One line of the progress of an import, as `/api/pull` reports it. */
export interface ImportLine {
  status?: string;
  digest?: string;
  total?: number;
  completed?: number;
  error?: string;
}

/** What the pages of the app may ask of their server worker besides the APIs. Called through comlink. */
export interface ServerControl {
  /** Device by display name of each loaded model. */
  devices(): Promise<Record<string, Device>>;
  /** Adds a page that can ask its person; the first answer of all pages counts. `withdraw(id)` tells the others. */
  onConsent(page: ConsentPage): Promise<void>;
  /** Installs a model file under a name; settles when it is installed. A message on `stop` ends it. */
  importFile(name: string, file: File, onLine: (line: ImportLine) => void, stop: MessagePort): Promise<void>;
  /** Answers the ports of a shim until `undefined` is given. */
  bridge(link: BridgeLink | undefined): Promise<void>;
}

export interface ConsentPage {
  ask(id: number, request: DownloadConsent): Promise<boolean>;
  withdraw(id: number): void;
}

/** How a tab reaches the bridge of a shim. */
export interface BridgeLink {
  /** `ws:` address. */
  url: string;
  /** Subprotocols to offer, which hold the secrets that the shim asks for. */
  protocols: string[];
}
