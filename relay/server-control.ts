import type { Battery } from '#core/frames';
import type { Device, DownloadConsent } from '#core/host';

/**
 * One line of the progress of an import, as `/api/pull` reports it.
 *
 * @example
 * ```ts
 * import type { ImportProgress } from 'tabd';
 *
 * const isDone = ({ status }: ImportProgress) => status === 'success';
 * console.log(isDone({ status: 'verifying sha256 digest' })); // false
 * ```
 */
export interface ImportLine {
  status?: string;
  digest?: string;
  total?: number;
  completed?: number;
  error?: string;
}

/** The functions of a server worker, besides the APIs, for the pages of the app. Called through comlink. */
export interface ServerControl {
  /** The device of each loaded model, by the model's display name. */
  devices(): Promise<Record<string, Device>>;
  /**
   * Adds a page that can ask the user for consent. The first answer of any page counts. The other pages get
   * `withdraw(id)`.
   */
  onConsent(page: ConsentPage): Promise<void>;
  /** Installs the files of a model under a name. Settles when it is installed. A message on `stop` cancels it. */
  importFiles(
    name: string,
    files: readonly File[],
    onLine: (line: ImportLine) => void,
    stop: MessagePort,
  ): Promise<void>;
  /** Connects to a shim and answers its ports. `undefined` disconnects. */
  bridge(link: BridgeLink | undefined): Promise<void>;
  /** Sets the state of the device's battery, which the shim of a bridge considers. */
  battery(battery: Battery): Promise<void>;
}

/** A page that can ask the user whether a download may begin. */
export interface ConsentPage {
  ask(id: number, request: DownloadConsent): Promise<boolean>;
  withdraw(id: number): void;
}

/** The address and secrets by which a tab connects to the bridge of a shim. */
export interface BridgeLink {
  /** A `ws:` URL. */
  url: string;
  /** Subprotocols to offer. They contain the secrets that the shim requires. */
  protocols: string[];
}
